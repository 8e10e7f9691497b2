//! A run with one agent, over HTTP, in the shape of AgenticState.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::crew::world;
use crate::serving::Server;
use crate::world::{World, until};

const ONE: &str = r#####"
  - when: { model: developer, turn: 0 }
    reply: { thinking: I look., tool_calls: [{ name: read_file, args: { path: calc.sh } }, { name: read_file, args: { path: nowhere } }] }
  - when: { model: developer, text: Fail, turn: 1 }
    reply: { error: { status: 400, message: no } }
  - when: { model: developer }
    reply: { text: It subtracts. }
"#####;

/// The state of a run with this goal when it has ended.
fn ended(world: &World, server: &Server, goal: &str, end: &str) -> Value {
    let order = json!({"prompt": goal, "profile": "crew", "worktree_path": world.repository()});
    let (status, made) = server.ask("POST", "/workflows/single", Some(order));
    assert_eq!(status, 201, "{made}");
    let run = made["id"].as_str().unwrap();
    until(end, || server.status(run) == end);
    let mut state = server.shown(run, "")["pipeline_state"].take();
    assert_eq!(state["workflow_id"].take(), json!(run));
    state
}

#[test]
fn a_key_in_the_conventions_of_a_repository_is_neither_told_nor_shown() {
    let world = world(&[ONE], "");
    let config = world.home().join("config");
    std::fs::create_dir_all(&config).unwrap();
    let keys = config.join("keys.env");
    std::fs::write(&keys, "SAMPLE_API_KEY=sk-in-the-conventions-1\n").unwrap();
    std::fs::set_permissions(&keys, std::fs::Permissions::from_mode(0o600)).unwrap();
    std::fs::write(world.repository().join("AGENTS.md"), "Use sk-in-the-conventions-1 for tests.\n").unwrap();
    world.git(&["add", "-A"]);
    world.git(&["commit", "-q", "-m", "a key"]);
    let server = Server::start(&world);
    let state = ended(&world, &server, "Say what it does", "completed");
    let told = world.server.requests()[0].body["messages"][0]["content"].clone();
    assert!(told.as_str().unwrap().contains("Use [redacted] for tests."), "{told}");
    assert_eq!(state["system_prompt"], told);
}

#[test]
fn every_field_of_an_agentic_state_is_filled_from_the_run() {
    let world = world(&[ONE], "");
    let server = Server::start(&world);
    let mut state = ended(&world, &server, "Say what it does", "completed");
    let [calls, results] = ["tool_calls", "tool_results"].map(|name| state[name].take());
    let told = world.server.requests()[0].body["messages"][0].clone();
    assert_eq!(told["role"], "system");
    let system = told["content"].as_str().unwrap();
    let layout = system.split("source=\"file names\">").nth(1).unwrap_or_default();
    assert!(layout.contains("calc.sh"), "the layout of the repository: {system}");
    let expected = json!({
        "workflow_id": null,
        "issue_key": "",
        "goal": "Say what it does",
        "system_prompt": told["content"],
        "tool_calls": null,
        "tool_results": null,
        "final_response": "It subtracts.",
        "status": "completed",
        "error": null,
        "session_id": null,
    });
    assert_eq!(state, expected);
    // Calls that only read run at the same time: their results come in any order.
    let of_call =
        |call: &Value| results.as_array().unwrap().iter().find(|result| result["call_id"] == call["id"]);
    let results: Vec<&Value> =
        calls.as_array().unwrap().iter().map(|call| of_call(call).unwrap_or(&Value::Null)).collect();
    for (number, path) in ["calc.sh", "nowhere"].into_iter().enumerate() {
        let (call, result) = (&calls[number], results[number]);
        assert_eq!((&call["tool_name"], &call["tool_input"]), (&json!("read_file"), &json!({"path": path})));
        assert!(call["timestamp"].is_string(), "{call}");
        assert_eq!((&result["call_id"], &result["tool_name"]), (&call["id"], &call["tool_name"]));
        assert!(result["duration_ms"].is_u64(), "{result}");
    }
    assert!(results[0]["output"].as_str().unwrap().contains("echo $(($1 - $2))"), "{results:?}");
    assert_eq!((&results[0]["success"], &results[0]["error"]), (&json!(true), &Value::Null));
    assert_eq!(results[1]["success"], false);
    assert!(results[1]["error"].as_str().unwrap().contains("nowhere"), "{results:?}");

    let failed = ended(&world, &server, "Fail", "failed");
    assert!(failed["error"].is_string() && failed["final_response"].is_null(), "{failed}");
    assert_eq!((&failed["status"], &failed["goal"]), (&json!("failed"), &json!("Fail")));
}
