//! Plans that come with the request that starts a run.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::world::{World, code};

#[tokio::test]
async fn a_plan_file_is_read_below_the_worktree_only() {
    let world = World::new().await;
    let tree = world.home.path().join("tree");
    std::fs::write(tree.join("plan.md"), "# The plan").unwrap();
    std::os::unix::fs::symlink(world.home.path().join("secret.txt"), tree.join("link.md")).unwrap();
    let order = |file: &str| json!({"title": "works", "worktree_path": tree, "plan_file": file});
    let (status, body) = world.post("/api/workflows", order("plan.md")).await;
    assert_eq!(status, StatusCode::CREATED, "{body}");
    world.until_it_works(body["id"].as_str().unwrap().parse().unwrap()).await;
    let plan = world.shown(&format!("/api/workflows/{}/plan", body["id"].as_str().unwrap())).await;
    assert_eq!(plan, json!({"plan": "# The plan"}));
    for file in ["link.md", "../secret.txt", "/etc/hostname", "missing.md", "."] {
        let (status, body) = world.post("/api/workflows", order(file)).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{file}: {body}");
        assert_eq!(body["error"]["details"]["problems"][0]["path"], "plan_file", "{body}");
    }
}

#[tokio::test]
async fn a_plan_is_shown_as_a_document_or_as_markdown_whichever_is_accepted() {
    let world = World::new().await;
    for (title, document) in
        [("works", json!({"plan": "# The plan"})), ("plans", json!({"goal": "g", "tasks": []}))]
    {
        let order = json!({"title": title, "worktree_path": world.home.path(), "plan_content": "# The plan"});
        let (status, body) = world.post("/api/workflows", order).await;
        assert_eq!(status, StatusCode::CREATED, "{body}");
        let path = format!("/api/tasks/{}/plan", body["id"].as_str().unwrap());
        assert_eq!(world.shown(&path).await, document);
        let request = world.request(Method::GET, &path).header("accept", "text/markdown, text/plain;q=0.5");
        let answer = request.send().await.unwrap();
        assert_eq!(answer.headers()["content-type"], "text/markdown; charset=utf-8");
        assert_eq!(answer.text().await.unwrap(), "# The plan");
    }
}

#[tokio::test]
async fn a_plan_is_given_as_a_task_graph_in_every_place_of_a_plan() {
    let world = World::new().await;
    let tree = world.home.path().join("tree");
    let graph = |dependency: &str| {
        json!({"original_issue": "It panics.", "tasks": [
            {"id": "look", "description": "Look", "dependencies": [dependency]},
            {"id": "check", "description": "Check"},
        ]})
    };
    std::fs::write(tree.join("plan.json"), graph("check").to_string()).unwrap();
    std::fs::write(tree.join("bad.json"), graph("nothing").to_string()).unwrap();
    let order = |field: &str, value: Value| json!({"title": "works", "worktree_path": tree, "queue": true, field: value});
    for (field, value) in [
        ("plan", graph("check")),
        ("plan_content", json!(graph("check").to_string())),
        ("plan_file", json!("plan.json")),
    ] {
        let (status, body) = world.post("/api/workflows", order(field, value)).await;
        assert_eq!(status, StatusCode::CREATED, "{field}: {body}");
        let row = world.shown(&format!("/api/workflows/{}?format=row", body["id"].as_str().unwrap())).await;
        let plan = &row["run"]["spec"]["input"]["plan"];
        assert_eq!(
            (&plan["issue"], &plan["tasks"][0]["dependencies"]),
            (&json!("It panics."), &json!(["check"]))
        );
    }
    for (field, value) in [
        ("plan", graph("nothing")),
        ("plan_content", json!(graph("nothing").to_string())),
        ("plan_file", json!("bad.json")),
    ] {
        let (status, body) = world.post("/api/workflows", order(field, value)).await;
        assert_eq!((status, code(&body)), (StatusCode::UNPROCESSABLE_ENTITY, "INVALID"), "{field}");
        let path = &body["error"]["details"]["problems"][0]["path"];
        assert_eq!(*path, json!(format!("{field}.tasks[0].dependencies[0]")), "{body}");
    }
    for (field, value, said) in [
        ("plan_content", json!("{ no json"), "plan_content: it looks like JSON, but is not"),
        ("design", json!("{\"title\": 1}"), "design.title: invalid type"),
        ("plan", json!({"tasks": []}), "plan: missing field `original_issue`"),
    ] {
        let (status, body) = world.post("/api/workflows", order(field, value)).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
        assert!(body["error"]["message"].as_str().unwrap().contains(said), "{body}");
    }
    let both =
        json!({"title": "works", "worktree_path": tree, "plan": graph("check"), "plan_file": "plan.json"});
    assert_eq!(world.post("/api/workflows", both).await.0, StatusCode::UNPROCESSABLE_ENTITY);
}
