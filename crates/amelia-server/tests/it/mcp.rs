//! The Model Context Protocol over HTTP: who may call, and how answers come.

use std::time::{Duration, Instant};

use amelia_server::McpEndpoint;
use async_trait::async_trait;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::world::{World, answer};

/// Answers with what it was asked, and reports progress twice before that.
pub(crate) struct Echo;

#[async_trait]
impl McpEndpoint for Echo {
    async fn answer(&self, message: Value, notifications: &mpsc::Sender<Value>) -> Option<Value> {
        let id = message.get("id")?;
        if message["params"]["hangs"] == true {
            std::future::pending::<()>().await;
        }
        for number in [1, 2] {
            notifications.send(json!({"method": "notifications/progress", "number": number})).await.unwrap();
            tokio::task::yield_now().await;
        }
        Some(json!({"id": id, "result": message}))
    }

    fn is_supported(&self, version: &str) -> bool {
        version == "2025-11-25"
    }
}

fn call() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {}})
}

#[tokio::test]
async fn only_who_has_signed_in_is_answered() {
    let world = World::new().await;
    let (status, _) = answer(world.bare(Method::POST, "/mcp").json(&call())).await;
    assert_eq!(status, StatusCode::UNAUTHORIZED);
    let (status, body) = answer(world.request(Method::POST, "/mcp").json(&call())).await;
    assert_eq!((status, &body["result"]["method"]), (StatusCode::OK, &json!("tools/call")));
    let page = world.request(Method::POST, "/mcp").header("origin", "http://evil.example").json(&call());
    assert_eq!(answer(page).await.0, StatusCode::FORBIDDEN);
    world.stop().await;
}

#[tokio::test]
async fn a_call_is_a_stream_of_its_progress_for_who_takes_one() {
    let world = World::new().await;
    let request = world.request(Method::POST, "/mcp").header("accept", "application/json, text/event-stream");
    let response = request.json(&call()).send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let text = response.text().await.unwrap();
    let said: Vec<Value> = text
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!((&said[0]["number"], &said[1]["number"], &said[2]["id"]), (&json!(1), &json!(2), &json!(1)));
    assert_eq!(said.len(), 3, "{text}");
    world.stop().await;
}

#[tokio::test]
async fn a_call_that_does_not_end_does_not_keep_a_server_from_stopping() {
    let world = World::new().await;
    let hanging = json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"hangs": true}});
    let kinds = ["application/json", "application/json, text/event-stream"];
    let calls = kinds.map(|accept| {
        let request = world.request(Method::POST, "/mcp").header("accept", accept).json(&hanging);
        tokio::spawn(async move { request.send().await.unwrap().text().await.unwrap() })
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    let begun = Instant::now();
    world.stop().await;
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    for call in calls {
        let text = call.await.unwrap();
        assert!(text.contains("\"id\":9") && text.contains("the server stops"), "{text}");
    }
}

#[tokio::test]
async fn what_is_no_request_is_refused_or_taken_without_an_answer() {
    let world = World::new().await;
    let post = || world.request(Method::POST, "/mcp");
    let told = post().json(&json!({"method": "notifications/initialized"})).send().await.unwrap();
    assert_eq!(told.status(), StatusCode::ACCEPTED);
    let (status, body) = answer(post().body("not json")).await;
    assert_eq!((status, &body["error"]["code"]), (StatusCode::BAD_REQUEST, &json!(-32700)));
    let (status, body) = answer(post().header("mcp-protocol-version", "1999-01-01").json(&call())).await;
    assert_eq!((status, &body["error"]["code"]), (StatusCode::BAD_REQUEST, &json!(-32022)));
    let (status, body) = answer(post().header("mcp-method", "tools/list").json(&call())).await;
    assert_eq!((status, &body["error"]["code"]), (StatusCode::BAD_REQUEST, &json!(-32020)));
    let (status, _) = answer(world.request(Method::GET, "/mcp")).await;
    assert_eq!(status, StatusCode::METHOD_NOT_ALLOWED);
    world.stop().await;
}
