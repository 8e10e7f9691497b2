//! Models, embeddings, token counts, and the paths around them.

use serde_json::{Value, json};

use crate::client::{play, post};

#[tokio::test]
async fn models_are_listed_as_scripted() {
    let server = play(
        "rules: [{when: {model: gpt-5}, reply: {}}, {when: {model: 'c*'}, reply: {}}, {when: {model: a/b}, reply: {}}]",
    )
    .await;
    let client = crate::client::plain();
    let get = async |path: &str| client.get(format!("{}{path}", server.url())).send().await.unwrap();
    let list: Value = get("/v1/models").await.json().await.unwrap();
    insta::assert_json_snapshot!(list);
    let one: Value = get("/v1/models/a/b").await.json().await.unwrap();
    assert_eq!(one, list["data"][1]);
    assert_eq!(get("/v1/models/other").await.status(), 404);
}

#[tokio::test]
async fn the_paths_that_clients_knock_at_first_answer() {
    let server = play("rules: [{reply: {text: hi}}]").await;
    let client = crate::client::plain();
    let head = client.head(server.url()).send().await.unwrap();
    assert_eq!((head.status().as_u16(), head.headers()["x-amelia-scripted"].as_bytes()), (200, &b"true"[..]));
    let body = json!({"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "hi"}]});
    assert_eq!(post(&server, "/v1/messages?beta=true", &body).await.status(), 200);
    let count = post(&server, "/v1/messages/count_tokens?beta=true", &body).await;
    assert!(count.json::<Value>().await.unwrap()["input_tokens"].as_u64().unwrap() > 0);
    assert_eq!(post(&server, "/chat/completions", &body).await.status(), 200);
    let lost = post(&server, "/v1/audio", &body).await;
    assert_eq!((lost.status().as_u16(), lost.headers()["x-amelia-scripted"].as_bytes()), (404, &b"true"[..]));
}

#[tokio::test]
async fn embeddings_are_the_same_in_each_encoding_and_for_each_way_to_ask() {
    let server = play("rules: [{reply: {}}]").await;
    let ask = async |body: Value| post(&server, "/v1/embeddings", &body).await;
    let floats: Value =
        ask(json!({"model": "e", "input": ["a cat", "a dog"], "dimensions": 8})).await.json().await.unwrap();
    insta::assert_json_snapshot!(floats);
    let encoded = json!({"model": "e", "input": "a cat", "dimensions": 8, "encoding_format": "base64"});
    let encoded: Value = ask(encoded).await.json().await.unwrap();
    insta::assert_json_snapshot!(encoded["data"][0]["embedding"]);
    let default: Value = ask(json!({"model": "e", "input": [[1, 2], [3]]})).await.json().await.unwrap();
    assert_eq!(default["data"][1]["embedding"].as_array().unwrap().len(), 256);
    for wrong in [
        json!({"input": "x"}),
        json!({"model": "e"}),
        json!({"model": "e", "input": []}),
        json!({"model": "e", "input": [true]}),
        json!({"model": "e", "input": "x", "dimensions": 1e9}),
    ] {
        assert_eq!(ask(wrong.clone()).await.status(), 400, "{wrong}");
    }
}
