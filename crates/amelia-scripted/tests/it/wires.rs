//! Each API byte for byte: whole and as a stream.

use serde_json::Value;

use crate::client::{PATHS, ask, play, post};

const SCRIPT: &str = "
rules:
  - when: {last: everything}
    reply:
      thinking: First the weather.
      text: Let me look.
      tool_calls:
        - {name: weather, args: {city: Paris, days: 2}}
        - {name: weather, id: call_mine, args: {city: Łódź}}
      usage: {input: 100, output: 20, cache_read: 60, cache_write: 30, reasoning: 7}
      chunk: 12
  - when: {last: length}
    reply: {text: 'It was a dark', stop_reason: max_tokens}
  - when: {last: nothing}
    reply: {usage: {omit: true}}
";

async fn whole(text: &str) -> String {
    let server = play(SCRIPT).await;
    let mut answers = String::new();
    for path in PATHS {
        let response = post(&server, path, &ask(path, text, false)).await;
        assert_eq!(response.headers()["x-amelia-scripted"], "true");
        assert_eq!(response.headers()["content-type"], "application/json");
        let body: Value = response.json().await.unwrap();
        answers += &format!("{path}\n{body:#}\n");
    }
    answers
}

async fn streamed(path: &str, text: &str) -> String {
    let server = play(SCRIPT).await;
    let response = post(&server, path, &ask(path, text, true)).await;
    assert_eq!(response.headers()["content-type"], "text/event-stream; charset=utf-8");
    response.text().await.unwrap()
}

#[tokio::test]
async fn an_answer_with_everything_is_whole_in_each_api() {
    insta::assert_snapshot!(whole("everything").await);
}

#[tokio::test]
async fn an_answer_with_everything_streams_in_chat() {
    insta::assert_snapshot!(streamed(PATHS[0], "everything").await);
}

#[tokio::test]
async fn an_answer_with_everything_streams_in_responses() {
    insta::assert_snapshot!(streamed(PATHS[1], "everything").await);
}

#[tokio::test]
async fn an_answer_with_everything_streams_in_messages() {
    insta::assert_snapshot!(streamed(PATHS[2], "everything").await);
}

#[tokio::test]
async fn an_answer_that_was_too_long_says_so() {
    insta::assert_snapshot!(whole("length").await);
}

#[tokio::test]
async fn an_empty_answer_is_an_answer() {
    let mut all = whole("nothing").await;
    for path in PATHS {
        all += &streamed(path, "nothing").await;
    }
    insta::assert_snapshot!(all);
}

#[tokio::test]
async fn the_same_question_has_the_same_answer() {
    for path in PATHS {
        assert_eq!(streamed(path, "everything").await, streamed(path, "everything").await);
    }
}
