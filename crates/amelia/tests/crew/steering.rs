//! Step by step through the main job, and breakpoints; over the death of the server, and played again.

use serde_json::{Value, json};

use crate::crew::{ARCHITECT, CONTENT, DEVELOPER, commits, start, world};
use crate::serving::Server;
use crate::world::{World, text, until};

/// Exit code and standard output, which is one JSON document at its end.
fn told(world: &World, arguments: &[&str]) -> (Option<i32>, Value) {
    let output = world.amelia(arguments);
    let shown = text(&output.stdout);
    let last = shown.lines().last().unwrap_or_default();
    (
        output.status.code(),
        serde_json::from_str(last).unwrap_or_else(|_| panic!("{shown}{}", text(&output.stderr))),
    )
}

#[test]
fn a_run_is_stepped_through_from_the_command_line_and_played_again() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    start(&world, &[]);
    let run = world.run_id();
    let shown = text(&world.amelia(&["breakpoint", &run]).stdout);
    assert!(
        shown.contains("no breakpoints") && shown.contains("review") && shown.contains("commit"),
        "{shown}"
    );
    let refused = world.amelia(&["breakpoint", &run, "nonsense"]);
    let message = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{message}");
    assert!(message.contains("`nonsense`") && message.contains("review"), "{message}");
    let (code, set) = told(&world, &["breakpoint", &run, "check", "--json"]);
    assert_eq!((code, set), (Some(0), json!({"nodes": ["check"]})));
    let (code, row) = told(&world, &["approve", &run, "--wait", "--json"]);
    assert_eq!((code, &row["waiting_for"]), (Some(6), &json!("breakpoint")));
    assert!(text(&world.amelia(&["why", &run]).stdout).contains(" step "), "it says how to go on");
    for after in ["check", "review"] {
        let (code, row) = told(&world, &["step", &run, "--wait", "--json"]);
        assert_eq!((code, &row["waiting_for"]), (Some(6), &json!("step")));
        assert_eq!(world.run().unwrap()["view"]["nodes"][after]["visits"], 1, "{row}");
    }
    assert_eq!(commits(&world).len(), 0);
    let (code, row) = told(&world, &["continue", &run, "--wait", "--json"]);
    assert_eq!((code, &row["waiting_for"]), (Some(6), &json!("breakpoint")));
    assert_eq!(commits(&world).len(), 1, "up to the breakpoint in the second task");
    let (code, set) = told(&world, &["breakpoint", &run, "--clear", "--json"]);
    assert_eq!((code, set), (Some(0), json!({"nodes": []})));
    let (code, row) = told(&world, &["continue", &run, "--wait", "--json"]);
    assert_eq!((code, &row["status"]), (Some(0), &json!("completed")));
    assert_eq!(world.amelia(&["step", &run]).status.code(), Some(5));
    let played = world.amelia(&["replay", &run]);
    assert!(played.status.success(), "{}{}", text(&played.stdout), text(&played.stderr));
}

#[test]
fn what_a_run_at_work_was_told_survives_the_death_of_the_server_and_is_played_again() {
    let slow = r#####"
  - when: { model: developer, text: "### Task 1:", turn: 0 }
    reply: { tool_calls: [{ name: shell, args: { command: "while [ ! -e ../go-on ]; do sleep 0.02; done" } }] }
"#####;
    let world = world(&[ARCHITECT, slow, DEVELOPER, CONTENT], "");
    let server = Server::start(&world);
    let run = server.order(&world);
    until("it waits for an approval", || server.status(&run) == "awaiting_approval");
    server.tell(&run, "approve", json!({}));
    until("it develops", || server.shown(&run, "/graph")["active"] == json!(["develop"]));
    server.tell(&run, "step", json!({}));
    let (status, set) =
        server.ask("PUT", &format!("/workflows/{run}/breakpoints"), Some(json!({"nodes": ["commit"]})));
    assert_eq!((status, set), (200, json!({"nodes": ["commit"]})));
    drop(server);
    let server = Server::start(&world);
    std::fs::write(world.home().join("worktrees").join("go-on"), "").unwrap();
    until("it has stopped", || server.status(&run) == "paused");
    let detail = server.shown(&run, "");
    assert_eq!((&detail["why"]["waiting_for"], &detail["breakpoints"]), (&json!("step"), &json!(["commit"])));
    assert_eq!(detail["stages"].get("check"), None, "{detail}");
    server.tell(&run, "continue", json!({}));
    until("it has stopped at the breakpoint", || server.status(&run) == "paused");
    assert_eq!(server.shown(&run, "")["why"]["waiting_for"], "breakpoint");
    server.ask("PUT", &format!("/workflows/{run}/breakpoints"), Some(json!({"nodes": []})));
    server.tell(&run, "continue", json!({}));
    until("it is done", || server.status(&run) == "completed");
    drop(server);
    let played = world.amelia(&["replay", &run]);
    assert!(played.status.success(), "{}{}", text(&played.stdout), text(&played.stderr));
}
