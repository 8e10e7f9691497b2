//! Step by step through the main job, and breakpoints; over the death of the server, and played again.

use std::process::Command;

use serde_json::{Value, json};

use crate::crew::{ARCHITECT, CONTENT, DEVELOPER, cast_profile, commits, start, world};
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
    assert_eq!((code, set), (Some(0), json!({"breakpoints": ["node:check"]})));
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
    assert_eq!((code, set), (Some(0), json!({"breakpoints": []})));
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
    assert_eq!((status, set), (200, json!({"nodes": ["commit"], "breakpoints": ["node:commit"]})));
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

/// A developer of task 1 who looks for a file that is not there first.
const LOOKING: &str = r#####"
  - when: { model: gpt-6-astra, text: "### Task 1:", turn: 0 }
    reply:
      tool_calls: [{ name: read_file, args: { path: missing.txt } }]
      usage: { input: 100000, output: 1000 }
  - when: { model: gpt-6-astra, text: "### Task 1:", turn: 1 }
    reply: { tool_calls: [{ name: edit_file, args: { path: calc.sh, edits: [{ old: '$1 - $2', new: '$1 + $2' }] } }, { name: shell, args: { command: "echo ran >> runs.log" } }] }
  - when: { model: gpt-6-astra, text: "### Task 1:" }
    reply: { text: It adds now. }
  - when: { model: gpt-6-astra }
    reply: { text: It says so. }
"#####;

/// A run whose plan waits for its approval. The model of its developer has a price.
fn planned() -> World {
    let world = World::new(&format!("rules:\n{ARCHITECT}{LOOKING}{CONTENT}"));
    let url = world.server.url();
    let developer =
        format!("    developer: {{ driver: api, model: gpt-6-astra, options: {{ base_url: '{url}/v1' }} }}");
    cast_profile(&world, &["architect", "reviewer", "evaluator"], "repo_root", &developer);
    start(&world, &[]);
    world
}

/// The question of a run, and what it has written so far.
fn held(world: &World) -> (String, String) {
    let why = text(&world.amelia(&["why", "r1"]).stdout);
    let worktree = world.worktree();
    let written = std::fs::read_to_string(worktree.join("calc.sh")).unwrap();
    (why, written)
}

#[test]
fn a_run_stops_inside_the_work_of_an_agent_and_continues_as_if_it_had_not() {
    let world = planned();
    let breakpoints = ["breakpoint", "r1", "agent:gardener", "path:calc.*", "error", "cost:0.5", "--json"];
    let (code, set) = told(&world, &breakpoints);
    let expected = json!({"breakpoints": ["agent:gardener", "path:calc.*", "error", "cost:0.5"]});
    assert_eq!((code, set), (Some(0), expected));
    let (code, row) = told(&world, &["approve", "r1", "--wait", "--json"]);
    assert_eq!((code, &row["waiting_for"]), (Some(6), &json!("breakpoint")), "{row}");
    let (why, _) = held(&world);
    assert!(why.contains("breakpoint error, before the next turn of developer"), "{why}");
    let (code, _) = told(&world, &["continue", "r1", "--wait", "--json"]);
    assert_eq!(code, Some(6));
    let (why, written) = held(&world);
    assert!(why.contains("breakpoint path:calc.*, before developer uses edit_file calc.sh"), "{why}");
    assert!(written.contains("$1 - $2"), "the call was not made: {written}");
    let (code, _) = told(&world, &["continue", "r1", "--wait", "--json"]);
    assert_eq!(code, Some(6));
    let (why, written) = held(&world);
    assert!(why.contains("breakpoint cost:0.5") && written.contains("$1 + $2"), "{why}{written}");
    let left = text(&world.amelia(&["breakpoint", "r1"]).stdout);
    assert!(left.contains("path:calc.*") && !left.contains("cost:"), "a cost is reached once: {left}");
    let (code, row) = told(&world, &["continue", "r1", "--wait", "--json"]);
    assert_eq!((code, &row["status"]), (Some(0), &json!("completed")), "{row}");
    let logged = text(&world.amelia(&["logs", "r1", "--json"]).stdout);
    assert!(!logged.contains("interrupted"), "no call was begun before its time: {logged}");
    let asked: Vec<String> = world.server.requests().iter().map(|request| request.body.to_string()).collect();
    assert!(
        !asked.iter().any(|body| body.contains("try another approach")),
        "the model is told nothing of it"
    );
    let played = world.amelia(&["replay", "r1"]);
    assert!(played.status.success(), "{}{}", text(&played.stdout), text(&played.stderr));
}

#[test]
fn a_run_that_stops_before_every_turn_survives_a_kill_there() {
    let world = planned();
    assert_eq!(told(&world, &["breakpoint", "r1", "turn", "--json"]).0, Some(0));
    let before = world.server.requests().len();
    assert_eq!(told(&world, &["approve", "r1", "--wait", "--json"]).0, Some(6));
    assert_eq!(world.server.requests().len(), before, "before the first call to the model");
    let (code, row) = told(&world, &["continue", "r1", "--wait", "--json"]);
    assert_eq!((code, &row["waiting_for"]), (Some(6), &json!("breakpoint")));
    assert_eq!(world.server.requests().len(), before + 1);
    let server: Value =
        serde_json::from_slice(&std::fs::read(world.home().join("server.json")).unwrap()).unwrap();
    assert!(Command::new("kill").args(["-9", &server["pid"].to_string()]).status().unwrap().success());
    // Dead with all its threads: while one is there, its sockets are, too.
    let process = format!("/proc/{}", server["pid"]);
    until("the server is dead", || {
        let stat = std::fs::read_to_string(format!("{process}/stat")).unwrap_or_default();
        let threads = std::fs::read_dir(format!("{process}/task")).map_or(0, Iterator::count);
        stat.is_empty() || stat.contains(") X ") || (stat.contains(") Z ") && threads <= 1)
    });
    let (code, _) = told(&world, &["continue", "r1", "--wait", "--json"]);
    assert_eq!((code, world.server.requests().len()), (Some(6), before + 2));
    // A fork stops at the same places.
    assert!(world.amelia(&["fork", "r1", "--quiet"]).status.success());
    assert!(text(&world.amelia(&["breakpoint", "r2"]).stdout).contains("turn"));
    for bad in ["fly:high", "cost:free", "tool:"] {
        let refused = world.amelia(&["breakpoint", "r1", bad]);
        assert_eq!(refused.status.code(), Some(2), "{bad}");
        assert!(
            text(&refused.stderr).contains("hint: write the name of a node, "),
            "{}",
            text(&refused.stderr)
        );
    }
    assert!(world.amelia(&["cancel", "r1"]).status.success());
}
