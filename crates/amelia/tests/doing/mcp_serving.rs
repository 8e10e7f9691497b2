//! Amelia as an MCP server, for runs of workflows and teams: questions are answered, stops are resumed, artifacts are read.

use serde_json::{Value, json};

use crate::stdio_peer::StdioPeer;
use crate::team_artifacts::{DESK, outside};
use crate::workflow_limits::{WORKING, loops, world};
use crate::workflows::{exit, said, state, texts};
use crate::world::World;

fn connected(world: &World) -> StdioPeer {
    let mut peer = StdioPeer::start(world, &["mcp", "serve"]);
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}});
    peer.request("initialize", &hello);
    peer.tell("notifications/initialized", &json!({}));
    peer
}

/// Whether a call is refused, its text, and what it has for programs.
fn call(peer: &mut StdioPeer, tool: &str, args: &Value) -> (bool, String, Value) {
    let answer = peer.request("tools/call", &json!({"name": tool, "arguments": args}));
    let result = &answer["result"];
    let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{tool}: {answer}")).to_owned();
    (result["isError"] == true, text, result["structuredContent"].clone())
}

#[test]
fn a_question_of_an_agent_is_answered_in_words_and_one_about_rounds_with_yes() {
    let script = "\
rules:
  - when: { model: worker, last: Blue }
    reply: { text: It is blue. }
  - when: { model: worker, turn: 0 }
    reply: { text: I begin. }
  - when: { model: worker }
    reply: { tool_calls: [{ name: ask_human, args: { question: Which colour? } }] }
";
    let world = world(script, "tools: [ask_human]", &loops(2, ", max_iterations: 1", ""));
    assert_eq!(exit(&world.amelia(&["workflow", "run", "loops", "Work"])), 6);
    let mut peer = connected(&world);
    let (_, shown, content) = call(&mut peer, "status", &json!({"run": "r1"}));
    assert!(shown.contains("`answer` r1 with `yes`"), "{shown}");
    let limit = content["questions"][0]["request_id"].as_str().unwrap().to_owned();
    let yes = json!({"run": "r1", "question": limit, "message": "yes", "wait": true});
    let (is_error, shown, content) = call(&mut peer, "answer", &yes);
    assert!(!is_error && shown.contains("Which colour?"), "{shown}");
    assert_eq!(content["questions"].as_array().unwrap().len(), 1, "{content}");
    let (is_error, shown, _) = call(&mut peer, "answer", &yes);
    assert!(
        is_error && shown.contains("not waiting for an answer"),
        "the question before is answered: {shown}"
    );
    let (is_error, shown, _) = call(&mut peer, "resume", &json!({"run": "r1"}));
    assert!(is_error && shown.contains("call `approve`, `reject` or `answer`"), "{shown}");
    let (is_error, shown, content) =
        call(&mut peer, "answer", &json!({"run": "r1", "message": "Blue", "wait": true}));
    assert_eq!((is_error, &content["run"]["status"]), (false, &json!("completed")), "{shown}");
    assert_eq!(texts(&state(&world)), ["Work", "I begin.", "It is blue."]);
    peer.end();
}

#[test]
fn a_run_at_a_stop_of_the_engine_is_resumed() {
    let world = world(WORKING, "", &loops(3, "", "max_iterations: 3\n"));
    assert_eq!(exit(&world.amelia(&["workflow", "run", "loops", "Work"])), 6);
    let mut peer = connected(&world);
    let (is_error, shown, _) = call(&mut peer, "answer", &json!({"run": "r1", "message": "perhaps"}));
    assert!(is_error && shown.contains("write y"), "{shown}");
    let (is_error, shown, content) = call(&mut peer, "resume", &json!({"run": "r1", "wait": true}));
    assert_eq!((is_error, &content["run"]["status"]), (false, &json!("completed")), "{shown}");
    assert!(shown.starts_with("resumed"), "{shown}");
    assert_eq!(world.server.requests().len(), 3);
    let (is_error, shown, _) = call(&mut peer, "resume", &json!({"run": "r1"}));
    assert!(is_error, "it has ended: {shown}");
    peer.end();
}

#[test]
fn the_artifacts_of_a_run_are_listed_and_their_versions_are_read() {
    let script = "\
rules:
  - when: { turn: 0 }
    reply: { tool_calls: [{ name: write_file, args: { path: notes.md, content: one } }] }
  - when: { turn: 1 }
    reply: { tool_calls: [{ name: write_file, args: { path: notes.md, content: two } }] }
  - when: { turn: 2 }
    reply: { tool_calls: [{ name: shell, args: { command: \"printf '\\\\377' > raw.bin\" } }] }
  - when: { turn: 3 }
    reply: { text: Done. }
";
    let (world, elsewhere) = outside(DESK, script);
    let run =
        world.command(&["team", "run", "desk", "Write"]).current_dir(elsewhere.path()).output().unwrap();
    assert_eq!(exit(&run), 0, "{}", said(&run));
    let mut peer = connected(&world);
    let (_, shown, content) = call(&mut peer, "artifacts", &json!({"run": "r1"}));
    let notes = "documents/notes.md";
    assert!(shown.contains("documents/notes.md (v2, 3 bytes, text/markdown, by clerk)"), "{shown}");
    let paths: Vec<&str> =
        content["artifacts"].as_array().unwrap().iter().map(|item| item["path"].as_str().unwrap()).collect();
    let raw = paths.iter().find(|path| path.ends_with("raw.bin")).unwrap();
    assert_eq!((paths.len(), paths.contains(&notes)), (2, true), "{paths:?}");
    for (args, expected) in [
        (json!({"run": "r1", "path": notes}), "two"),
        (json!({"run": "r1", "path": notes, "version": "v1"}), "one"),
    ] {
        let (is_error, shown, content) = call(&mut peer, "artifacts", &args);
        assert_eq!((is_error, shown.as_str(), &content["text"]), (false, expected, &json!(expected)));
    }
    let (is_error, shown, content) = call(&mut peer, "artifacts", &json!({"run": "r1", "path": raw}));
    assert!(!is_error && shown.contains("is not text (1 bytes)"), "{shown}");
    assert_eq!(content["text"], Value::Null);
    for (args, expected) in [
        (json!({"run": "r1", "path": "none.md"}), "no artifact `none.md`"),
        (json!({"run": "r1", "path": notes, "version": "v9"}), "v1 to v2"),
        (json!({"run": "r1", "version": "v1"}), "`version` needs a `path`"),
    ] {
        let (is_error, shown, _) = call(&mut peer, "artifacts", &args);
        assert!(is_error && shown.contains(expected), "{args}: {shown}");
    }
    peer.end();
}
