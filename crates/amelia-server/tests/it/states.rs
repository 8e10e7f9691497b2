//! Runs in the shapes of the documents.

use amelia_core::id::RunId;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::toys::CALLS;
use crate::world::World;

/// A run with one agent that has made its calls.
async fn caller(world: &World) -> RunId {
    let order = json!({"prompt": "calls", "worktree_path": world.home.path()});
    let (status, body) = world.post("/api/workflows/single", order).await;
    assert_eq!(status, StatusCode::CREATED, "{body}");
    let run = body["id"].as_str().unwrap().parse().unwrap();
    world.finish(run).await;
    run
}

fn called(number: usize) -> Value {
    json!({
        "id": format!("call-{number}"),
        "tool_name": "read_file",
        "tool_input": {"path": format!("{number}.txt")},
        "timestamp": "2023-11-14T22:13:20Z",
    })
}

fn returned(number: usize) -> Value {
    let is_last = number == CALLS - 1;
    json!({
        "call_id": format!("call-{number}"),
        "tool_name": "read_file",
        "output": if is_last { String::new() } else { format!("text {number}") },
        "success": !is_last,
        "error": if is_last { json!("no such file") } else { Value::Null },
        "duration_ms": 7,
    })
}

#[tokio::test]
async fn an_agentic_state_has_the_last_hundred_calls_and_all_when_asked() {
    let world = World::new().await;
    let run = caller(&world).await;
    let expected = |first: usize| {
        json!({
            "workflow_id": run,
            "issue_key": "",
            "goal": "calls",
            "system_prompt": "You are a toy.",
            "tool_calls": (first..CALLS).map(called).collect::<Vec<_>>(),
            "tool_results": (first..CALLS).map(returned).collect::<Vec<_>>(),
            "final_response": null,
            "status": "completed",
            "error": null,
            "session_id": "conversation-7",
        })
    };
    let shown = world.shown(&format!("/api/workflows/{run}")).await;
    assert_eq!(shown["pipeline_state"], expected(CALLS - 100));
    let shown = world.shown(&format!("/api/workflows/{run}?include=state")).await;
    assert_eq!(shown["pipeline_state"], expected(0));
}
