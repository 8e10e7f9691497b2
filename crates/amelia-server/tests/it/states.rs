//! Runs in the shapes of the documents.

use std::sync::atomic::Ordering;

use amelia_core::config::server::ServerConfig;
use amelia_core::id::{RunId, Seq};
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::calling::CALLS;
use crate::socket::Socket;
use crate::world::World;

/// A run with one agent that makes its calls.
async fn calling(world: &World) -> RunId {
    let order = json!({"prompt": "calls", "worktree_path": world.home.path()});
    let (status, body) = world.post("/api/workflows/single", order).await;
    assert_eq!(status, StatusCode::CREATED, "{body}");
    body["id"].as_str().unwrap().parse().unwrap()
}

/// The same when it has ended.
async fn caller(world: &World) -> RunId {
    let run = calling(world).await;
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

/// A message of a driver with these fields, and the others empty.
fn message(sequence: u64, fields: &Value) -> Value {
    let mut message = json!({
        "sequence": sequence,
        "type": null,
        "content": null,
        "tool_name": null,
        "tool_input": null,
        "tool_output": null,
        "tool_call_id": null,
        "session_id": "conversation-7",
        "is_error": false,
        "model": "toy-1",
        "usage": null,
    });
    message.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    message
}

#[tokio::test]
async fn messages_of_drivers_are_read_and_followed_with_every_field() {
    let world = World::new().await;
    let run = caller(&world).await;
    let page = world.shown(&format!("/api/workflows/{run}/events?format=agentic&limit=500")).await;
    let messages = page["items"].as_array().unwrap().clone();
    let first = messages[0]["sequence"].as_u64().unwrap();
    let usage = json!({
        "input_tokens": 10,
        "output_tokens": 5,
        "cache_read_tokens": 4,
        "cache_creation_tokens": 3,
        "cost_usd": null,
        "duration_ms": 20,
        "num_turns": 1,
        "model": "toy-1",
    });
    let call = json!({
        "type": "tool_call",
        "tool_name": "read_file",
        "tool_input": {"path": "0.txt"},
        "tool_call_id": "call-0",
    });
    let result = json!({
        "type": "tool_result",
        "tool_name": "read_file",
        "tool_output": "text 0",
        "tool_call_id": "call-0",
    });
    let failed = json!({
        "type": "tool_result",
        "tool_name": "read_file",
        "tool_output": "no such file",
        "tool_call_id": format!("call-{}", CALLS - 1),
        "is_error": true,
    });
    let end = json!({"type": "result", "content": "One file is missing.", "is_error": true});
    let beginning = [
        message(first, &json!({"type": "usage", "usage": usage})),
        message(first + 1, &json!({"type": "thinking", "content": "Which files?"})),
        message(first + 2, &call),
        message(first + 3, &result),
    ];
    let last = first + 2 + 2 * u64::try_from(CALLS).unwrap();
    assert_eq!(messages[..4], beginning);
    assert_eq!(messages[messages.len() - 2..], [message(last - 1, &failed), message(last, &end)]);
    let thoughts = world.shown(&format!("/api/workflows/{run}/events?format=agentic&type=thinking")).await;
    assert_eq!(thoughts["items"], json!([beginning[1]]));

    let mut socket = Socket::open(&world, &format!("/api/workflows/{run}/stream?format=agentic")).await;
    assert_eq!(socket.until(|said| said["type"] == "result").await, messages);
}

#[tokio::test]
async fn looking_again_reads_only_what_is_new_in_the_log() {
    let world = World::new().await;
    let run = calling(&world).await;
    let path = format!("/api/workflows/{run}");
    let mut log = world.all.watch(run, Seq::START);
    while log.next().await.unwrap().draft.kind.name() != "agent.finished" {}
    let look = async || {
        let before = world.events_read.load(Ordering::SeqCst);
        let shown = world.shown(&path).await;
        (world.events_read.load(Ordering::SeqCst) - before, shown)
    };
    let (first, working) = look().await;
    assert!(first > 2 * CALLS, "the whole log: {first}");
    assert_eq!(working["pipeline_state"]["status"], "running");
    assert_eq!(look().await, (0, working.clone()), "nothing has happened");
    world.finish(run).await;
    let (again, ended) = look().await;
    let news = ended["sequence"].as_u64().unwrap() - working["sequence"].as_u64().unwrap();
    assert_eq!(u64::try_from(again).unwrap(), news);
    assert_eq!(ended["pipeline_state"]["status"], "completed");
    for field in ["tool_calls", "tool_results", "session_id"] {
        assert_eq!(ended["pipeline_state"][field], working["pipeline_state"][field], "{field}");
    }
    assert_eq!(ended["token_usage"], working["token_usage"]);
    assert_eq!(ended["token_usage"][0]["cost_usd"], Value::Null);
}

#[tokio::test]
async fn logs_lose_their_debug_events_when_the_server_says_they_are_old_or_long() {
    let usual = ServerConfig::default();
    let old = ServerConfig { log_retention_days: 0, ..usual.clone() };
    let long = ServerConfig { log_retention_max_events: 100, ..usual.clone() };
    for (config, is_cut, calls) in [(usual, false, 100..=100), (old, true, 0..=0), (long, true, 1..=50)] {
        let world = World::with(config).await;
        let run = caller(&world).await;
        let calls_shown = async || {
            let shown = world.shown(&format!("/api/workflows/{run}")).await;
            shown["pipeline_state"]["tool_calls"].as_array().unwrap().len()
        };
        assert_eq!(calls_shown().await, 100);
        // A run is old when its end is in the past, be it a moment.
        let lost = loop {
            let (_, cleaned) = world.post("/api/cleanup", json!({})).await;
            let lost = cleaned["events"].as_u64().unwrap();
            if !is_cut || lost > 0 {
                break lost;
            }
        };
        assert_eq!(lost > 0, is_cut, "{lost}");
        // What is left of a long log are a hundred events: calls, results, and what is never forgotten.
        let left = calls_shown().await;
        assert!(calls.contains(&left), "{left} and not {calls:?}");
    }
}
