//! Who is not let through, and in whose words they are told.

use amelia_core::recording::Channel;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;

use crate::raw::{connected, read_until};
use crate::world::{World, calls, scripted};

const SCRIPT: &str = "rules: [{reply: {text: hello}}]";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_is_good_in_both_headers_and_only_as_long_as_its_pass() {
    let server = scripted(SCRIPT).await;
    let world = World::on(&server).await;
    let other = world.gate.open(&Channel::default()).unwrap();
    assert_ne!(other.token.reveal(), world.pass.token.reveal());
    assert_eq!(other.url, format!("http://{}/proxy", world.address));
    for (_, path, body) in calls("hi") {
        let ask = || world.client.post(world.url(path)).json(&body);
        let status =
            |request: reqwest::RequestBuilder| async { request.send().await.unwrap().status().as_u16() };
        assert_eq!(status(ask().bearer_auth(other.token.reveal())).await, 200);
        assert_eq!(status(ask().header("x-api-key", other.token.reveal())).await, 200);
        assert_eq!(status(ask()).await, 401);
        assert_eq!(status(ask().bearer_auth("amp-guessed")).await, 401);
    }
    let token = other.token.clone();
    drop(other);
    let (_, path, body) = &calls("hi")[0];
    let late =
        world.client.post(world.url(path)).json(body).bearer_auth(token.reveal()).send().await.unwrap();
    assert_eq!(late.status(), 401);
    let said: Value = late.json().await.unwrap();
    let message = said["error"]["message"].as_str().unwrap();
    assert!(message.contains("has ended"), "{message}");
    assert!(!message.contains(token.reveal()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refusals_are_in_the_words_of_the_api() {
    let server = scripted(SCRIPT).await;
    let world = World::on(&server).await;
    let openai: Value = world.post("/v1/files", &json!({})).await.json().await.unwrap();
    let message = "there is no such path in this proxy";
    assert_eq!(
        openai,
        json!({"error": {"message": message, "type": "invalid_request_error", "param": null, "code": "not_found"}})
    );
    let anthropic = world.post("/anthropic/v1/files", &json!({})).await;
    assert_eq!(anthropic.status(), 404);
    assert_eq!(
        anthropic.json::<Value>().await.unwrap(),
        json!({"type": "error", "error": {"type": "not_found_error", "message": message}})
    );
    let other = world.client.get(world.url("/v1/chat/completions")).send().await.unwrap();
    assert_eq!(other.status(), 405);
    let root = world.client.get(world.pass.url.clone()).send().await.unwrap();
    assert_eq!(root.status(), 404);
    for probe in ["/anthropic", "/anthropic/"] {
        assert_eq!(world.client.head(world.url(probe)).send().await.unwrap().status(), 200);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_of_a_browser_do_not_get_through() {
    let server = scripted(SCRIPT).await;
    let world = World::on(&server).await;
    let (_, path, body) = &calls("hi")[0];
    let asked = world.client.post(world.url(path)).json(body).bearer_auth(world.token());
    let answer = asked.header("origin", "http://127.0.0.1").send().await.unwrap();
    assert_eq!(answer.status(), 403);
    assert!(server.requests().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_beyond_the_limit_is_refused_and_one_at_the_limit_is_not() {
    let server = scripted(SCRIPT).await;
    let world = World::on(&server).await;
    let limit = 32 * 1024 * 1024;
    let (_, path, body) = &calls("")[0];
    let body = body.to_string();
    for (size, expected) in [(limit, "HTTP/1.1 200"), (limit + 1, "HTTP/1.1 413")] {
        let padded =
            body.replace("\"content\":\"\"", &format!("\"content\":\"{}\"", "x".repeat(size - body.len())));
        assert_eq!(padded.len(), size);
        let mut stream = connected(world.address).await;
        let request = crate::raw::request(&format!("/proxy{path}"), &world.token(), &padded);
        stream.write_all(request.as_bytes()).await.unwrap();
        let said = read_until(&mut stream, "}").await;
        assert!(said.starts_with(expected), "{said}");
    }
}
