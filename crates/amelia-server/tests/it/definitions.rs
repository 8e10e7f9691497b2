//! Definitions and MCP servers over HTTP.

use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::world::{World, code};

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

#[tokio::test]
async fn teams_are_sent_changed_and_deleted() {
    let world = World::new().await;
    let listed = world.shown("/api/teams?worktree_path=/repo").await;
    assert_eq!((&listed["items"][0]["name"], &listed["items"][0]["path"]), (&json!("toy"), &json!("/repo")));
    assert_eq!(world.shown("/api/teams/toy").await["source"], "home");
    assert_eq!(world.get("/api/teams/gone").await.0, StatusCode::NOT_FOUND);
    let (status, checked) = world.post("/api/teams/validate", json!({"text": "x: 1"})).await;
    assert_eq!((status, &checked["problems"][0]["line"]), (StatusCode::OK, &json!(2)));

    let team = |name: &str| json!({"name": name, "agents": [{"name": "a", "role": "r", "prompt_template": "Do it."}]});
    let (status, refused) = world
        .send(Method::PUT, "/api/teams/news", Some(json!({"agents": [{"name": "a", "rle": 1}], "x": 2})))
        .await;
    assert_eq!((status, code(&refused)), (StatusCode::UNPROCESSABLE_ENTITY, "INVALID"), "{refused}");
    for (name, path) in [("a/b", "name"), ("validate", "name"), ("broken", "nodes.write")] {
        let (status, refused) = world.post("/api/teams", team(name)).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{name}: {refused}");
        assert_eq!(refused["error"]["details"]["problems"][0]["path"], path, "{refused}");
    }
    let (status, sent) = world.send(Method::PUT, "/api/teams/news", Some(team("news"))).await;
    assert_eq!((status, &sent["source"]), (StatusCode::OK, &json!("api")), "{sent}");
    let (status, refused) = world.send(Method::PUT, "/api/teams/news", Some(team("other"))).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{refused}");
    for (status, answer) in [
        world.send(Method::PUT, "/api/teams/toy", Some(team("toy"))).await,
        world.post("/api/teams", team("toy")).await,
        world.send(Method::DELETE, "/api/teams/toy", None).await,
    ] {
        assert_eq!((status, code(&answer)), (StatusCode::CONFLICT, "CONFLICT"), "{answer}");
    }
    assert_eq!(world.send(Method::DELETE, "/api/teams/news", None).await.0, StatusCode::NO_CONTENT);
    assert_eq!(world.send(Method::DELETE, "/api/teams/gone", None).await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn guardrail_policies_are_sent_changed_and_deleted() {
    let world = World::new().await;
    let listed = world.shown("/api/guardrails?worktree_path=/repo").await;
    assert_eq!((&listed["items"][0]["name"], &listed["items"][0]["path"]), (&json!("toy"), &json!("/repo")));
    assert_eq!(world.get("/api/guardrails/gone").await.0, StatusCode::NOT_FOUND);
    let policy = |name: &str| json!({"name": name, "type": "content_filter", "rules": [{"secrets": true}]});
    let put = async |path: &str, body: serde_json::Value| {
        world.send(Method::PUT, &format!("/api/guardrails/{path}"), Some(body)).await
    };
    for (path, body) in [
        ("keys", json!({"type": "content_filtre", "rules": [{}]})),
        ("keys", policy("other")),
        ("broken", policy("broken")),
        (".a", policy(".a")),
    ] {
        let (status, refused) = put(path, body).await;
        assert_eq!((status, code(&refused)), (StatusCode::UNPROCESSABLE_ENTITY, "INVALID"), "{refused}");
    }
    let (status, sent) = put("keys", policy("keys")).await;
    assert_eq!((status, &sent["source"]), (StatusCode::OK, &json!("api")), "{sent}");
    assert_eq!(put("toy", policy("toy")).await.0, StatusCode::CONFLICT);
    assert_eq!(world.send(Method::DELETE, "/api/guardrails/toy", None).await.0, StatusCode::CONFLICT);
    assert_eq!(world.send(Method::DELETE, "/api/guardrails/keys", None).await.0, StatusCode::NO_CONTENT);
    assert_eq!(world.send(Method::DELETE, "/api/guardrails/gone", None).await.0, StatusCode::NOT_FOUND);
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
