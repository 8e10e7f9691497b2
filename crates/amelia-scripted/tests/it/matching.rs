//! Which rule answers: each condition, in each API, and how often.

use serde_json::{Value, json};

use crate::client::{PATHS, ask, play, post};

/// A conversation of two turns with parallel calls, as each API writes it.
fn long(path: &str) -> Value {
    match path {
        "/v1/chat/completions" => json!({"model": "gpt-5", "messages": [
            {"role": "developer", "content": "be brief"},
            {"role": "user", "content": [{"type": "text", "text": "the question"}]},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "1", "type": "function", "function": {"name": "find", "arguments": "{\"q\":\"needle\"}"}},
                {"id": "2", "type": "function", "function": {"name": "find", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "1", "content": "first result"},
            {"role": "tool", "tool_call_id": "2", "content": "second result"},
            {"role": "assistant", "content": "so"},
            {"role": "user", "content": "and now?"},
        ], "tools": [{"type": "function", "function": {"name": "find"}}]}),
        "/v1/responses" => json!({"model": "gpt-5", "instructions": "be brief", "input": [
            {"role": "user", "content": [{"type": "input_text", "text": "the question"}]},
            {"type": "reasoning", "id": "rs_1", "summary": []},
            {"type": "function_call", "call_id": "1", "name": "find", "arguments": "{\"q\":\"needle\"}"},
            {"type": "function_call", "call_id": "2", "name": "find", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "1", "output": "first result"},
            {"type": "function_call_output", "call_id": "2", "output": [{"type": "input_text", "text": "second result"}]},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "so"}]},
            {"type": "message", "role": "user", "content": "and now?"},
        ], "tools": [{"type": "function", "name": "find"}, {"type": "web_search"}]}),
        _ => {
            json!({"model": "gpt-5", "max_tokens": 9, "system": [{"type": "text", "text": "be brief"}], "messages": [
            {"role": "user", "content": "the question"},
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "1", "name": "find", "input": {"q": "needle"}},
                {"type": "tool_use", "id": "2", "name": "find", "input": {}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "1", "content": "first result"},
                {"type": "tool_result", "tool_use_id": "2", "content": [{"type": "text", "text": "second result"}]}]},
            {"role": "assistant", "content": "so"},
            {"role": "user", "content": "and now?"},
        ], "tools": [{"name": "find", "input_schema": {"type": "object"}}]})
        }
    }
}

/// Without the last two messages: what came last are the results.
fn at_results(path: &str) -> Value {
    let mut body = long(path);
    let key = if path == "/v1/responses" { "input" } else { "messages" };
    let list = body[key].as_array_mut().unwrap();
    list.truncate(list.len() - 2);
    body
}

#[tokio::test]
async fn every_condition_holds_in_every_api() {
    let yes = [
        ("{model: gpt-*}", true),
        ("{model: '*-4'}", false),
        ("{text: the question}", true),
        ("{text: second result}", true),
        ("{text: needle}", true),
        ("{text: be brief}", false),
        ("{text_regex: 'find\\(.*needle'}", true),
        ("{last: and now}", true),
        ("{last: result}", false),
        ("{last_regex: '^and'}", true),
        ("{system: brief}", true),
        ("{system: long}", false),
        ("{turn: 2}", true),
        ("{turn: 1}", false),
        ("{tools: [find]}", true),
        ("{tools: [find, shell]}", false),
        ("{text: question, last: now, turn: 2, times: 1}", true),
    ];
    for (when, expected) in yes {
        let server = play(&format!("rules: [{{when: {when}, reply: {{text: yes}}}}]")).await;
        for path in if when.contains("times") { &PATHS[..1] } else { &PATHS[..] } {
            let status = post(&server, path, &long(path)).await.status();
            assert_eq!(status.is_success(), expected, "{when} {path}");
        }
    }
}

#[tokio::test]
async fn all_results_of_parallel_calls_are_the_last_message() {
    let server =
        play("rules: [{when: {turn: 1, last_regex: '(?s)first.*second'}, reply: {text: yes}}]").await;
    for path in PATHS {
        assert_eq!(post(&server, path, &at_results(path)).await.status(), 200, "{path}");
    }
}

#[tokio::test]
async fn a_person_who_speaks_in_between_is_heard_in_every_api() {
    let script = r#"
rules:
  - when: {spoken: true}
    reply: {text: 'heard {spoken}', tool_calls: [{name: find, args: {q: '<{spoken}>'}}]}
  - when: {spoken: false}
    reply: {text: as always}
"#;
    let server = play(script).await;
    for path in PATHS {
        for body in [long(path), at_results(path), ask(path, "x", false)] {
            let said = post(&server, path, &body).await.text().await.unwrap();
            assert!(said.contains("as always"), "{path}: {said}");
        }
        let mut body = at_results(path);
        let key = if path == "/v1/responses" { "input" } else { "messages" };
        body[key].as_array_mut().unwrap().push(json!({"role": "user", "content": "say \"blue\"\nnow"}));
        let said: Value = post(&server, path, &body).await.json().await.unwrap();
        let said = said.to_string();
        assert!(said.contains(r#"heard say \"blue\"\nnow"#) && said.contains("<say "), "{path}: {said}");
    }
    // `claude` passes it on as a system message.
    let mut body = at_results("/v1/messages");
    body["messages"].as_array_mut().unwrap().push(json!({"role": "system", "content": "say blue"}));
    let said = post(&server, "/v1/messages", &body).await.text().await.unwrap();
    assert!(said.contains("heard say blue"), "{said}");
}

#[tokio::test]
async fn a_slow_script_says_the_same() {
    let script = amelia_scripted::Script::parse("rules: [{reply: {text: hello}}]").unwrap();
    let before = std::time::Duration::from_millis(50);
    let slow =
        amelia_scripted::serve(script.paced(before, before), ([127, 0, 0, 1], 0).into()).await.unwrap();
    let since = std::time::Instant::now();
    let said = post(&slow, PATHS[0], &ask(PATHS[0], "x", false)).await.text().await.unwrap();
    assert!(said.contains("hello") && since.elapsed() >= before, "{said}");
}

#[tokio::test]
async fn the_wire_can_be_asked_for() {
    for (wire, path) in ["chat", "responses", "messages"].iter().zip(PATHS) {
        let server = play(&format!("rules: [{{when: {{wire: {wire}}}, reply: {{}}}}]")).await;
        for other in PATHS {
            let status = post(&server, other, &ask(other, "x", false)).await.status();
            assert_eq!(status.is_success(), other == path, "{wire} {other}");
        }
    }
}

#[tokio::test]
async fn rules_fire_in_order_as_often_as_they_may() {
    let server = play(
        "rules:
  - when: {times: 2}
    reply: {text: A}
  - replies: [{text: B}, {text: C}]
  - reply: {text: D}
",
    )
    .await;
    let mut heard = Vec::new();
    for _ in 0..6 {
        let answer: Value = post(&server, PATHS[0], &ask(PATHS[0], "x", false)).await.json().await.unwrap();
        heard.push(answer["choices"][0]["message"]["content"].as_str().unwrap().to_owned());
    }
    assert_eq!(heard, ["A", "A", "B", "C", "D", "D"]);
}
