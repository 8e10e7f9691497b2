//! What nobody expected, and what a real API would not take.

use amelia_scripted::{PlayOutcome, RecordedRequest, ScriptedApi};
use serde_json::{Value, json};

use crate::client::{PATHS, ask, play, post, post_bytes};

#[tokio::test]
async fn an_unexpected_request_is_told_what_was_asked_and_what_was_expected() {
    let server = play(
        "rules:
  - {name: planning, when: {model: claude-*}, reply: {}}
  - {when: {turn: 3}, reply: {}}
  - {when: {tools: [shell]}, reply: {}}
  - {when: {last: 'a very long text that nobody would ever write into a question, not even here, not even now'}, reply: {}}
  - {when: {text_regex: '^x+$'}, reply: {}}
  - {when: {system: carefully}, reply: {}}
  - {name: once, when: {last: hello, times: 1}, reply: {}}
",
    )
    .await;
    let mut seen = String::new();
    for path in PATHS {
        let mut body = ask(path, "hello \"you\"\nthere", false);
        body["tools"] = json!([{"name": "read", "type": "function", "function": {"name": "read"}}]);
        let response = post(&server, path, &body).await;
        if response.status() == 400 {
            let error: Value = response.json().await.unwrap();
            seen += &format!("{path}\n{}\n", error["error"]["message"].as_str().unwrap());
            assert_eq!(error["error"]["type"], "invalid_request_error");
        }
    }
    insta::assert_snapshot!(seen);
}

#[tokio::test]
async fn requests_are_recorded_with_what_became_of_them() {
    let server = play("rules: [{reply: {}}, {when: {turn: 5}, reply: {}}]").await;
    let body = ask(PATHS[2], "hello", false);
    post(&server, PATHS[2], &body).await;
    post_bytes(&server, PATHS[0], b"{".to_vec()).await;
    let message = "the body is not JSON: EOF while parsing an object at line 1 column 1".to_owned();
    assert_eq!(
        server.requests(),
        [
            RecordedRequest {
                wire: ScriptedApi::Messages,
                model: "m".to_owned(),
                body,
                outcome: PlayOutcome::Played { rule: 0 }
            },
            RecordedRequest {
                wire: ScriptedApi::Chat,
                model: String::new(),
                body: Value::Null,
                outcome: PlayOutcome::Refused { message }
            },
        ]
    );
}

#[tokio::test]
async fn long_requests_are_forgotten_before_they_fill_the_memory() {
    let server = play("rules: [{reply: {}}]").await;
    let long = "x".repeat(20 << 20);
    for first in ["one", "two", "three"] {
        post(&server, PATHS[0], &ask(PATHS[0], &format!("{first} {long}"), false)).await;
    }
    let kept = server.requests();
    assert_eq!(kept.len(), 1);
    let text = kept[0].body["messages"][0]["content"].as_str().unwrap();
    assert!(text.starts_with("three"));
}

#[tokio::test]
async fn what_a_real_api_refuses_is_refused() {
    let server = play("rules: [{reply: {}}]").await;
    let chat = |messages: Value| (PATHS[0], json!({"model": "m", "messages": messages}));
    let responses = |input: Value| (PATHS[1], json!({"model": "m", "input": input}));
    let messages = |messages: Value| (PATHS[2], json!({"model": "m", "max_tokens": 1, "messages": messages}));
    let cases = [
        (PATHS[0], json!({"messages": [{"role": "user", "content": "x"}]})),
        (PATHS[0], json!({"model": "m", "messages": [{"role": "user", "content": "x"}], "n": 2})),
        chat(json!([])),
        chat(json!([{"role": "robot", "content": "x"}])),
        chat(json!([{"role": "tool", "tool_call_id": "9", "content": "x"}])),
        chat(json!([{"role": "assistant", "tool_calls": [{"id": "1"}]}, {"role": "user", "content": "x"}])),
        responses(json!(7)),
        (PATHS[1], json!({"model": "m", "input": "x", "previous_response_id": "resp_1"})),
        responses(json!([{"type": "function_call", "call_id": "1", "name": "a", "arguments": "{}"}])),
        responses(json!([{"type": "function_call_output", "call_id": "1", "output": "x"}])),
        responses(json!([{"type": "reasoning", "summary": [], "encrypted_content": "mine"}])),
        (PATHS[2], json!({"model": "m", "messages": [{"role": "user", "content": "x"}]})),
        messages(json!([{"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "a"}]}])),
        messages(json!([{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1"}]}])),
        messages(json!([{"role": "assistant", "content": [
            {"type": "thinking", "thinking": "changed", "signature": "scripted-0"}]}])),
    ];
    let mut seen = String::new();
    for (path, body) in cases {
        let response = post(&server, path, &body).await;
        assert_eq!(response.status(), 400, "{path} {body}");
        let error: Value = response.json().await.unwrap();
        seen += &format!("{path}: {}\n", error["error"]["message"].as_str().unwrap());
    }
    insta::assert_snapshot!(seen);
}

#[tokio::test]
async fn thinking_that_comes_back_as_it_was_is_taken() {
    let server = play("rules: [{reply: {thinking: deep, text: so}}]").await;
    let first: Value = post(&server, PATHS[2], &ask(PATHS[2], "x", false)).await.json().await.unwrap();
    let mut body = ask(PATHS[2], "x", false);
    let said = body["messages"].as_array_mut().unwrap();
    said.push(json!({"role": "assistant", "content": first["content"]}));
    said.push(json!({"role": "user", "content": "go on"}));
    assert_eq!(post(&server, PATHS[2], &body).await.status(), 200);

    let first: Value = post(&server, PATHS[1], &ask(PATHS[1], "x", false)).await.json().await.unwrap();
    let mut body = ask(PATHS[1], "x", false);
    let said = body["input"].as_array_mut().unwrap();
    said.extend(first["output"].as_array().unwrap().iter().cloned());
    assert!(said.iter().any(|item| item["encrypted_content"].is_string()));
    assert_eq!(post(&server, PATHS[1], &body).await.status(), 200);
}
