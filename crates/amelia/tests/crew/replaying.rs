//! Runs that met a limit, a failure or a person in the middle of parallel work play again without a difference.

use serde_json::json;

use crate::crew::{CONTENT, logs, start, world};
use crate::parallel::ARCHITECT;
use crate::serving::Server;
use crate::world::{KEY, World, text, until};

fn assert_plays(world: &World) {
    let played = world.amelia(&["replay", &world.run_id()]);
    let said = text(&played.stdout) + &text(&played.stderr);
    assert!(played.status.success(), "{said}\n{}", logs(world));
}

/// Each task reads three times, and then writes its file.
const BUSY: &str = r#####"
  - when: { model: developer, text: "### Task 1:", turn: 3 }
    reply: { tool_calls: [{ name: shell, args: { command: "sed -i 's/-/+/' calc.sh" } }] }
  - when: { model: developer, text: "### Task 2:", turn: 3 }
    reply: { tool_calls: [{ name: shell, args: { command: "echo 'calc.sh A B' > README.md" } }] }
  - when: { model: developer, turn: 4 }
    reply: { text: Done. }
  - when: { model: developer }
    reply: { tool_calls: [{ name: read_file, args: { path: calc.sh } }], usage: { input: 1000, output: 10 } }
"#####;

#[test]
fn parallel_tasks_that_meet_a_limit_of_their_run_play_again() {
    for (limit, more) in [
        (["--max-calls", "4"], ["--max-calls", "40"]),
        (["--max-tokens", "4500"], ["--max-tokens", "450000"]),
    ] {
        let world = world(&[ARCHITECT, BUSY, CONTENT], "parallel_tasks: 3");
        let stopped = start(&world, &[&["--auto"], &limit[..]].concat());
        assert_eq!(stopped.status.code(), Some(6), "{}\n{}", text(&stopped.stderr), logs(&world));
        assert_plays(&world);
        let run = world.run_id();
        let resumed = world.amelia(&[&["resume", &run, "--wait"], &more[..]].concat());
        assert!(
            resumed.status.code().is_some_and(|code| code == 0 || code == 6),
            "{}",
            text(&resumed.stderr)
        );
        assert_plays(&world);
    }
}

#[test]
fn parallel_tasks_whose_time_is_used_up_play_again() {
    let slow = r#####"
  - when: { model: developer, turn: 0 }
    reply: { tool_calls: [{ name: read_file, args: { path: calc.sh } }] }
  - when: { model: developer, text: "### Task 1:", turn: 1 }
    reply: { text: "a long story ", repeat: 2000, chunk: 40, chunk_delay_ms: 50 }
  - when: { model: developer, turn: 1 }
    reply: { tool_calls: [{ name: shell, args: { command: "sleep 3000" } }] }
"#####;
    let world = world(&[ARCHITECT, slow, CONTENT], "parallel_tasks: 3");
    let stopped = start(&world, &["--auto", "--max-time", "3"]);
    assert_eq!(stopped.status.code(), Some(6), "{}\n{}", text(&stopped.stderr), logs(&world));
    assert_plays(&world);
}

#[test]
fn two_parallel_tasks_that_fail_play_again() {
    for (first, second) in [(0, 0), (0, 300), (300, 0)] {
        let failing = format!(
            r#####"
  - when: {{ model: developer, turn: 0 }}
    reply: {{ tool_calls: [{{ name: read_file, args: {{ path: calc.sh }} }}] }}
  - when: {{ model: developer, text: "### Task 1:" }}
    reply: {{ delay_ms: {first}, error: {{ status: 401, message: no such key }} }}
  - when: {{ model: developer, text: "### Task 2:" }}
    reply: {{ delay_ms: {second}, error: {{ status: 401, message: no such key }} }}
"#####
        );
        let world = world(&[ARCHITECT, &failing, CONTENT], "parallel_tasks: 3");
        let failed = start(&world, &["--auto"]);
        assert!(!failed.status.success(), "{}", logs(&world));
        assert_plays(&world);
    }
}

#[test]
fn a_call_with_a_known_key_in_it_plays_again() {
    let leaking = format!(
        r#####"
  - when: {{ model: developer, text: "### Task 1:", turn: 0 }}
    reply: {{ tool_calls: [{{ name: shell, args: {{ command: "echo {KEY}; sed -i 's/-/+/' calc.sh" }} }}] }}
  - when: {{ model: developer, text: "### Task 2:", turn: 0 }}
    reply: {{ tool_calls: [{{ name: write_file, args: {{ path: README.md, content: "{KEY}" }} }}] }}
  - when: {{ model: developer }}
    reply: {{ text: Done. }}
"#####
    );
    for wire in ["chat", "responses", "messages"] {
        let world = World::new(&format!(
            "rules:\n  - when: {{ turn: 0 }}\n    reply: {{ tool_calls: [{{ name: shell, args: {{ command: \"echo {KEY}\" }} }}] }}\n  - reply: {{ text: done }}\n"
        ));
        let done = world.run_do(wire, &[]);
        assert!(done.status.success(), "{wire}: {}", text(&done.stderr));
        assert_plays(&world);
    }
    let world = world(&[ARCHITECT, &leaking, CONTENT], "parallel_tasks: 2");
    start(&world, &["--auto"]);
    assert_plays(&world);
}

#[test]
fn an_answer_with_other_breakpoints_right_after_it_plays_again() {
    let world = world(&[ARCHITECT, BUSY, CONTENT], "");
    let server = Server::start(&world);
    let run = server.order(&world);
    until("it waits for an approval", || server.status(&run) == "awaiting_approval");
    server.tell(&run, "limits", json!({"budget": {"calls": 1}}));
    server.tell(&run, "approve", json!({}));
    let (status, set) =
        server.ask("PUT", &format!("/workflows/{run}/breakpoints"), Some(json!({"nodes": ["commit"]})));
    assert_eq!((status, set), (200, json!({"nodes": ["commit"], "breakpoints": ["node:commit"]})));
    until("it rests", || server.status(&run) == "paused");
    drop(server);
    assert_plays(&world);
}

/// A developer whose second turn is a long story.
const TALKING: &str = r#####"
  - when: { model: developer, turn: 0 }
    reply: { tool_calls: [{ name: read_file, args: { path: calc.sh } }], usage: { input: 100, output: 10 } }
  - when: { model: developer, turn: 1, times: 1 }
    reply: { text: "a long story ", repeat: 20000, chunk: 400, chunk_delay_ms: 50 }
"#####;

fn calls(world: &World) -> u64 {
    world.run().unwrap()["view"]["spend"]["calls"].as_u64().unwrap()
}

#[test]
fn a_call_that_is_dropped_in_the_middle_is_counted_for_ever() {
    for how in ["pause", "cancel"] {
        let world = world(&[ARCHITECT, TALKING, CONTENT], "");
        let server = Server::start(&world);
        let run = server.order(&world);
        until("it waits for an approval", || server.status(&run) == "awaiting_approval");
        server.tell(&run, "approve", json!({}));
        until("it is asked", || world.server.requests().len() == 3);
        let before = calls(&world);
        let shown = world.home().join("shown");
        let mut follow = world.command(&["logs", "--follow", &run]);
        let mut follow = follow.stdout(std::fs::File::create(&shown).unwrap()).spawn().unwrap();
        until("it talks", || std::fs::read_to_string(&shown).unwrap().contains("a long story"));
        server.tell(&run, how, json!({}));
        let rests = if how == "pause" { "paused" } else { "cancelled" };
        until("it rests", || server.status(&run) == rests);
        assert_eq!(calls(&world), before + 1, "{}", logs(&world));
        follow.kill().unwrap();
        follow.wait().unwrap();
        drop(server);
        assert_plays(&world);
    }
}
