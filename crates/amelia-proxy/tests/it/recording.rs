//! Every exchange is kept, without secrets, and a conversation costs what is new in it.

use amelia_core::recording::FrameSource;
use amelia_proxy::frame::ExchangeEnding;
use serde_json::json;

use crate::world::{KEY, World, calls, scripted};

const SCRIPT: &str = "rules: [{reply: {text: 'the key is sk-the-real-key-0123456789', chunk: 100}}]";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn exchanges_are_kept_as_they_were() {
    let server = scripted(SCRIPT.replace(KEY, "nothing").as_str()).await;
    let world = World::on(&server).await;
    let mut expected = Vec::new();
    for (_, path, body) in calls("hi") {
        for is_stream in [false, true] {
            let mut body = body.clone();
            body["stream"] = json!(is_stream);
            let response = world.post(path, &body).await;
            expected.push((path.replace("/anthropic", ""), response.bytes().await.unwrap()));
        }
    }
    let kept = world.exchanges();
    assert_eq!(kept.len(), expected.len());
    for (exchange, (path, response)) in kept.iter().zip(&expected) {
        assert_eq!(format!("/v1{}", exchange.target), *path);
        assert_eq!((exchange.status, exchange.ending), (Some(200), ExchangeEnding::Whole));
        assert_eq!(exchange.response, response.to_vec());
    }
    for (exchange, asked) in kept.iter().zip(server.requests()) {
        assert_eq!(serde_json::from_slice::<serde_json::Value>(&exchange.request).unwrap(), asked.body);
    }
    let frames = world.kept.0.lock().unwrap();
    assert!(frames.iter().all(|frame| frame.source == FrameSource::Proxy && &*frame.channel == "developer"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn secrets_are_in_no_frame() {
    let server = scripted(SCRIPT).await;
    let world = World::on(&server).await;
    let token = world.token();
    for (_, path, mut body) in calls(&format!("my token is {token} and the key is {KEY}")) {
        for is_stream in [false, true] {
            body["stream"] = json!(is_stream);
            let said = world.post(&format!("{path}?key={KEY}"), &body).await.text().await.unwrap();
            assert!(said.contains(KEY), "what passes is not touched: {said}");
        }
    }
    assert_eq!(world.exchanges().len(), 6);
    for frame in world.kept.0.lock().unwrap().iter() {
        let text = String::from_utf8_lossy(&frame.body);
        assert!(!text.contains(KEY) && !text.contains(&token), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_conversation_is_kept_by_what_is_new() {
    let server = scripted(SCRIPT).await;
    let world = World::on(&server).await;
    let mut messages = vec![json!({"role": "user", "content": "x".repeat(100_000)})];
    for turn in 0..10 {
        let body = json!({"model": "scripted", "messages": messages, "stream": true});
        world.post("/v1/chat/completions", &body).await.text().await.unwrap();
        messages.push(json!({"role": "assistant", "content": format!("answer {turn}")}));
        messages.push(json!({"role": "user", "content": format!("question {turn}")}));
    }
    let size: usize = world.kept.0.lock().unwrap().iter().map(|frame| frame.body.len()).sum();
    assert!(size < 130_000, "{size}");
    assert_eq!(world.exchanges().len(), 10);
}
