//! Definitions and MCP servers over HTTP.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::world::{World, answer, code};

#[tokio::test]
async fn definitions_are_listed_shown_and_checked_as_they_are_written() {
    let world = World::new().await;
    for kind in ["agents", "graphs"] {
        let listed = world.shown(&format!("/api/{kind}?worktree_path=/repo")).await;
        assert_eq!(
            (&listed["items"][0]["name"], &listed["items"][0]["path"]),
            (&json!("toy"), &json!("/repo"))
        );
        let shown = world.shown(&format!("/api/{kind}/toy")).await;
        assert_eq!((&shown["text"], &shown["source"]), (&json!("name: toy"), &json!("home")));
        let (status, _) = world.get(&format!("/api/{kind}/gone")).await;
        assert_eq!(status, StatusCode::NOT_FOUND);
        // Also the name of a path below.
        let path = format!("/api/{kind}/validate/validate");
        let (status, checked) = world.post(&path, json!({"text": "x: 1"})).await;
        assert_eq!(status, StatusCode::OK);
        assert_eq!(
            (&checked["problems"][0]["line"], &checked["problems"][0]["file"]),
            (&json!(2), &json!(null))
        );
        let (status, refused) = world.post(&path, json!({"txt": ""})).await;
        assert_eq!((status, code(&refused)), (StatusCode::UNPROCESSABLE_ENTITY, "INVALID"));
    }
}

/// A valid document of each kind, under the path of the kind.
fn documents(name: &str) -> [(&'static str, Value); 4] {
    let member = json!({"name": "a", "role": "r", "prompt_template": "Do it."});
    [
        ("agents", json!({"name": name, "role": "r", "system_prompt": "Do it."})),
        (
            "graphs",
            json!({"name": name, "entry_point": "w", "nodes": {"w": {"type": "agent", "agent": "toy"}}}),
        ),
        ("teams", json!({"name": name, "agents": [member]})),
        ("guardrails", json!({"name": name, "type": "content_filter", "rules": [{"secrets": true}]})),
    ]
}

#[tokio::test]
async fn definitions_of_every_kind_are_sent_changed_and_deleted() {
    let world = World::new().await;
    for (kind, document) in documents("news") {
        let all = format!("/api/{kind}");
        let one = format!("/api/{kind}/news");
        let listed = world.shown(&format!("{all}?worktree_path=/repo")).await;
        assert_eq!(
            (&listed["items"][0]["name"], &listed["items"][0]["path"]),
            (&json!("toy"), &json!("/repo"))
        );
        let (status, sent) = world.post(&all, document.clone()).await;
        assert_eq!((status, &sent["source"]), (StatusCode::CREATED, &json!("api")), "{kind}: {sent}");
        let (status, sent) = world.send(Method::PUT, &one, Some(document.clone())).await;
        assert_eq!((status, &sent["name"]), (StatusCode::OK, &json!("news")), "{kind}: {sent}");
        let other = format!("/api/{kind}/other");
        let (status, refused) = world.send(Method::PUT, &other, Some(document)).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{kind}: {refused}");
        assert_eq!(world.send(Method::DELETE, &one, None).await.0, StatusCode::NO_CONTENT);
        assert_eq!(world.send(Method::DELETE, &one, None).await.0, StatusCode::NOT_FOUND);
        assert_eq!(world.get(&format!("/api/{kind}/gone")).await.0, StatusCode::NOT_FOUND);
    }
}

#[tokio::test]
async fn a_definition_that_cannot_be_kept_is_refused_with_its_place() {
    let world = World::new().await;
    for (name, path) in [("a/b", "name"), ("validate", "name"), (".a", "name"), ("broken", "nodes.write")] {
        for (kind, document) in documents(name) {
            let (status, refused) = world.post(&format!("/api/{kind}"), document).await;
            assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{kind} {name}: {refused}");
            assert_eq!(refused["error"]["details"]["problems"][0]["path"], path, "{kind}: {refused}");
        }
    }
    for kind in ["agents", "graphs", "teams", "guardrails"] {
        let (status, refused) =
            world.send(Method::PUT, &format!("/api/{kind}/news"), Some(json!({"rle": 1}))).await;
        assert_eq!((status, code(&refused)), (StatusCode::UNPROCESSABLE_ENTITY, "INVALID"), "{refused}");
    }
}

#[tokio::test]
async fn a_definition_in_a_file_is_changed_there() {
    let world = World::new().await;
    for (kind, document) in documents("toy") {
        let one = format!("/api/{kind}/toy");
        for (status, answer) in [
            world.send(Method::PUT, &one, Some(document.clone())).await,
            world.post(&format!("/api/{kind}"), document).await,
            world.send(Method::DELETE, &one, None).await,
        ] {
            assert_eq!((status, code(&answer)), (StatusCode::CONFLICT, "CONFLICT"), "{kind}: {answer}");
        }
    }
}

#[tokio::test]
async fn a_definition_that_was_changed_meanwhile_is_not_overwritten() {
    let world = World::new().await;
    for (kind, document) in documents("news") {
        let path = format!("/api/{kind}/news");
        let put = async |version: &str| {
            let request = world.request(Method::PUT, &path).header("If-Match", version).json(&document);
            answer(request).await.0
        };
        assert_eq!(put("\"0\"").await, StatusCode::OK, "{kind}");
        assert_eq!(put("\"0\"").await, StatusCode::CONFLICT, "{kind}");
        assert_eq!(put("\"1\"").await, StatusCode::OK, "{kind}");
    }
}

#[tokio::test]
async fn a_text_is_checked_as_the_team_that_it_names() {
    let world = World::new().await;
    let (status, checked) = world.post("/api/teams/validate", json!({"text": "x: 1"})).await;
    assert_eq!((status, &checked["problems"][0]["line"]), (StatusCode::OK, &json!(2)));
}

#[tokio::test]
async fn the_tools_of_a_server_are_listed_and_called() {
    let world = World::new().await;
    let servers = world.shown("/api/mcp/servers").await;
    assert_eq!(servers["items"][0]["status"], "not_connected", "{servers}");
    let tools = world.shown("/api/mcp/tools?server=toys").await;
    assert_eq!(tools["items"][0]["name"], "toys:play", "{tools}");
    assert_eq!(world.get("/api/mcp/tools").await.0, StatusCode::UNPROCESSABLE_ENTITY);
    let call = json!({"tool": "toys:play", "arguments": {"a": 1}});
    let (status, called) = world.post("/api/mcp/tools/call", call).await;
    assert_eq!((status, &called["output"]), (StatusCode::OK, &json!("{\"a\":1}")), "{called}");
    let (status, refused) = world.post("/api/mcp/tools/call", json!({"tool": "x"})).await;
    assert_eq!(
        (status, &refused["error"]["details"]["problems"][0]["path"]),
        (StatusCode::UNPROCESSABLE_ENTITY, &json!("tool"))
    );
}
