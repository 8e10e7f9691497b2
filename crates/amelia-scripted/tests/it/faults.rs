//! Errors, cuts, stalls, garbage and very long answers.

use std::time::Duration;

use reqwest::Response;
use serde_json::{Value, json};

use crate::client::{PATHS, ask, play, post};

async fn text_until_broken(mut response: Response) -> (String, bool) {
    let mut bytes = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) => bytes.extend(chunk),
            Ok(None) => return (String::from_utf8(bytes).unwrap(), false),
            Err(_) => return (String::from_utf8(bytes).unwrap(), true),
        }
    }
}

#[tokio::test]
async fn errors_have_the_shape_of_their_api() {
    let mut seen = String::new();
    for status in [400, 401, 403, 404, 408, 413, 429, 500, 503, 529] {
        let script = format!("rules: [{{reply: {{error: {{status: {status}, message: no}}}}}}]");
        let server = play(&script).await;
        for path in PATHS {
            let response = post(&server, path, &ask(path, "x", true)).await;
            assert_eq!(response.status(), status);
            seen += &format!("{status} {path} {}\n", response.text().await.unwrap());
        }
    }
    insta::assert_snapshot!(seen);
}

#[tokio::test]
async fn an_error_has_the_headers_and_the_body_of_the_script() {
    let server = play(
        "rules:
  - replies:
      - error: {status: 429, retry_after: 7, headers: {x-ratelimit-remaining-requests: '0'}, body: {code: 5}}
      - error: {status: 502, body: '<html>bad gateway</html>'}
",
    )
    .await;
    let response = post(&server, PATHS[0], &ask(PATHS[0], "x", false)).await;
    assert_eq!(response.headers()["retry-after"], "7");
    assert_eq!(response.headers()["x-ratelimit-remaining-requests"], "0");
    assert_eq!(response.json::<Value>().await.unwrap(), json!({"code": 5}));
    let response = post(&server, PATHS[0], &ask(PATHS[0], "x", false)).await;
    assert_eq!(response.text().await.unwrap(), "<html>bad gateway</html>");
}

#[tokio::test]
async fn an_error_can_come_within_a_stream() {
    let script = "rules: [{reply: {text: hello, error: {status: 529, message: overloaded, after: 2}}}]";
    let server = play(script).await;
    let mut seen = String::new();
    for path in PATHS {
        let response = post(&server, path, &ask(path, "x", true)).await;
        assert_eq!(response.status(), 200);
        let text = response.text().await.unwrap();
        let events: Vec<&str> = text.trim_end().split("\n\n").collect();
        assert_eq!(events.len(), 3);
        seen += &format!("{}\n", events[2]);
        let response = post(&server, path, &ask(path, "x", false)).await;
        assert_eq!(response.status(), 529);
    }
    insta::assert_snapshot!(seen);
}

#[tokio::test]
async fn a_connection_is_cut_where_the_script_says() {
    let server = play(
        "rules:
  - when: {last: bytes}
    reply: {text: hello, cut_after: {bytes: 30}}
  - when: {last: chunks}
    reply: {text: hello, cut_after: {chunks: 2}}
  - when: {last: never}
    reply: {text: hello, cut_after: {bytes: 1000000}}
",
    )
    .await;
    for path in PATHS {
        for stream in [true, false] {
            let response = post(&server, path, &ask(path, "bytes", stream)).await;
            let (text, is_broken) = text_until_broken(response).await;
            assert_eq!((text.len(), is_broken), (30, true), "{path} {text}");
        }
        let response = post(&server, path, &ask(path, "chunks", true)).await;
        let (text, is_broken) = text_until_broken(response).await;
        assert_eq!((text.matches("\n\n").count(), is_broken), (2, true), "{path} {text}");
        let response = post(&server, path, &ask(path, "never", true)).await;
        assert!(text_until_broken(response).await.1, "{path}: the end was proper");
    }
}

#[tokio::test]
async fn a_stall_lasts_longer_than_the_client_and_the_server_still_stops() {
    let server = play("rules: [{reply: {text: hello, stall_after: {chunks: 2}}}]").await;
    let mut open = Vec::new();
    for path in PATHS {
        let mut response = post(&server, path, &ask(path, "x", true)).await;
        let mut seen = String::new();
        while seen.matches("\n\n").count() < 2 {
            seen += std::str::from_utf8(&response.chunk().await.unwrap().unwrap()).unwrap();
        }
        let more = tokio::time::timeout(Duration::from_millis(100), response.chunk()).await;
        assert!(more.is_err(), "{path}: {more:?}");
        open.push(response);
    }
    tokio::time::timeout(Duration::from_secs(5), server.shutdown())
        .await
        .expect("stalled answers held it up");
    for mut response in open {
        assert!(response.chunk().await.is_err(), "a connection outlived its server");
    }
}

#[tokio::test]
async fn garbage_is_sent_as_it_is() {
    let server = play(
        "rules:
  - when: {last: words}
    reply: {garbage: \"data: {not json\\n\\n\"}
  - when: {last: bytes}
    reply: {garbage_base64: 'ZGF0YTog//4K'}
",
    )
    .await;
    for path in PATHS {
        let response = post(&server, path, &ask(path, "words", true)).await;
        assert_eq!(response.headers()["content-type"], "text/event-stream; charset=utf-8");
        assert_eq!(response.text().await.unwrap(), "data: {not json\n\n");
        let response = post(&server, path, &ask(path, "bytes", false)).await;
        assert_eq!(response.bytes().await.unwrap(), &b"data: \xff\xfe\n"[..]);
    }
}

#[tokio::test]
async fn a_call_can_have_arguments_that_are_not_json() {
    let server = play("rules: [{reply: {tool_calls: [{name: a, raw_args: '{\"x\": '}]}}]").await;
    let chat: Value = post(&server, PATHS[0], &ask(PATHS[0], "x", false)).await.json().await.unwrap();
    assert_eq!(chat["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"], "{\"x\": ");
    let responses: Value = post(&server, PATHS[1], &ask(PATHS[1], "x", false)).await.json().await.unwrap();
    assert_eq!(responses["output"][0]["arguments"], "{\"x\": ");
    let stream = post(&server, PATHS[2], &ask(PATHS[2], "x", true)).await.text().await.unwrap();
    assert!(stream.contains(r#""partial_json":"{\"x\": ""#), "{stream}");
}

#[tokio::test]
async fn a_very_long_answer_streams_without_being_held_in_events() {
    let server = play("rules: [{reply: {text: '0123456789', repeat: 1000000, chunk: 100000}}]").await;
    let text = post(&server, PATHS[0], &ask(PATHS[0], "x", true)).await.text().await.unwrap();
    assert_eq!(text.matches("0123456789").count(), 1_000_000);
    assert!(text.ends_with("data: [DONE]\n\n"));
}

#[tokio::test]
async fn pauses_are_kept() {
    let server = play("rules: [{reply: {text: abcd, chunk: 1, delay_ms: 60, chunk_delay_ms: 10}}]").await;
    let start = std::time::Instant::now();
    let response = post(&server, PATHS[2], &ask(PATHS[2], "x", true)).await;
    assert!(start.elapsed() >= Duration::from_millis(60));
    response.text().await.unwrap();
    // Ten events: a pause between each two.
    assert!(start.elapsed() >= Duration::from_millis(60 + 9 * 10));
}
