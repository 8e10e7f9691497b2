//! Amelia as an agent of the Agent Client Protocol: an editor starts a run, shows it, and lets the person decide.

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::approving::REVISED;
use crate::crew::{ARCHITECT, CONTENT, DEVELOPER, cast_profile, world};
use crate::programs::set_up_here;
use crate::stdio_peer::StdioPeer;
use crate::world::{World, text, until};

/// A developer who does not begin before a file is there.
const SLOW: &str = r#####"
  - when: { model: developer, text: "### Task 1:", turn: 0 }
    reply: { tool_calls: [{ name: shell, args: { command: "while [ ! -e ../go-on ]; do sleep 0.02; done" } }] }
"#####;

/// One agent that asks, wants to run a command, and tells.
const ASKING: &str = r#####"
  - when: { model: developer, turn: 0 }
    reply: { tool_calls: [{ name: ask_human, args: { question: "Sum or product?" } }] }
  - when: { model: developer, turn: 1 }
    reply: { tool_calls: [{ name: shell, args: { command: "echo made >> n.txt" } }] }
  - when: { model: developer, turn: 2 }
    reply: { text: It is made. }
"#####;

struct EditorPeer {
    peer: StdioPeer,
    session: String,
}

impl EditorPeer {
    fn open(world: &World) -> Self {
        let mut peer = StdioPeer::start(world, &["acp"]);
        let hello = peer.request("initialize", &json!({"protocolVersion": 1, "clientCapabilities": {}}));
        assert_eq!(hello["result"]["protocolVersion"], 1, "{hello}");
        let opened = peer.request("session/new", &json!({"cwd": world.repository(), "mcpServers": []}));
        let session = opened["result"]["sessionId"].as_str().unwrap().to_owned();
        assert_eq!(opened["result"]["modes"]["currentModeId"], "start", "{opened}");
        Self { peer, session }
    }

    fn prompt(&mut self, words: &str) -> u64 {
        let prompt = json!([{"type": "text", "text": words}]);
        self.peer.ask("session/prompt", &json!({"sessionId": self.session, "prompt": prompt}))
    }

    /// Chooses an answer to the next question, and returns the question.
    fn choose(&mut self, option: &str) -> Value {
        let asked =
            self.peer.until("a question", |message| message["method"] == "session/request_permission");
        let outcome = json!({"outcome": {"outcome": "selected", "optionId": option}});
        self.peer.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": outcome}));
        asked["params"].clone()
    }

    /// Why a turn ended.
    fn end_of(&mut self, turn: u64) -> String {
        let answer = self.peer.answer_to(turn);
        answer["result"]["stopReason"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    fn updates(&self, kind: &str) -> Vec<Value> {
        let updates = self.peer.seen.iter().filter(|message| message["method"] == "session/update");
        let updates = updates.map(|message| message["params"]["update"].clone());
        updates.filter(|update| update["sessionUpdate"] == kind).collect()
    }

    /// Everything that was said so far.
    fn said(&self) -> String {
        let chunks = self.updates("agent_message_chunk");
        chunks.iter().map(|chunk| chunk["content"]["text"].as_str().unwrap().to_owned()).collect()
    }
}

#[test]
fn an_editor_approves_a_plan_sees_it_done_and_merges() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    let mut editor = EditorPeer::open(&world);
    let turn = editor.prompt("It does not add");
    let asked = editor.choose("approve");
    assert!(asked["toolCall"]["title"].as_str().unwrap().contains("approve the plan"), "{asked}");
    let shown = asked["toolCall"]["content"][0]["content"]["text"].as_str().unwrap();
    assert!(shown.contains("Add instead of subtract"), "{asked}");
    assert_eq!(editor.end_of(turn), "end_turn");
    let said = editor.said();
    assert!(said.contains("Run r1 has started.") && said.contains("It adds now."), "{said}");
    assert!(said.contains("Run r1 is completed.") && said.contains("/merge"), "{said}");
    let plans = editor.updates("plan");
    let last = plans.last().unwrap()["entries"].as_array().unwrap();
    assert!(last.len() == 2 && last.iter().all(|entry| entry["status"] == "completed"), "{plans:#?}");
    let edit = editor.updates("tool_call").into_iter().find(|call| call["kind"] == "edit").unwrap();
    assert_eq!(edit["title"], "edit calc.sh +1 -1");
    let ends = editor.updates("tool_call_update");
    assert!(ends.iter().any(|end| end["toolCallId"] == edit["toolCallId"] && end["status"] == "completed"));
    assert_eq!(editor.updates("available_commands_update").len(), 1);

    let turn = editor.prompt("/merge");
    assert_eq!(editor.end_of(turn), "end_turn");
    assert!(editor.said().contains("into main"), "{}", editor.said());
    assert!(world.git(&["show", "main:calc.sh"]).contains("$1 + $2"));
    editor.peer.end();
}

#[test]
fn the_next_message_changes_a_plan_that_was_not_approved() {
    let world = world(&[ARCHITECT, REVISED, DEVELOPER, CONTENT], "");
    let mut editor = EditorPeer::open(&world);
    let turn = editor.prompt("It does not add");
    editor.choose("later");
    assert_eq!(editor.end_of(turn), "end_turn");
    assert!(editor.said().contains("Describe what should change"), "{}", editor.said());
    let turn = editor.prompt("call it sum.sh");
    let asked = editor.choose("cancel");
    assert!(asked.to_string().contains("Add as sum.sh"), "{asked}");
    assert_eq!(editor.end_of(turn), "end_turn");
    assert!(editor.said().contains("Run r1 is cancelled."), "{}", editor.said());
    // The run has ended: other words are another task.
    let turn = editor.prompt("It does not add");
    editor.choose("cancel");
    assert_eq!(editor.end_of(turn), "end_turn");
    assert!(editor.said().contains("Run r2 has started."), "{}", editor.said());
    editor.peer.end();
}

#[test]
fn one_agent_asks_in_words_and_for_permission() {
    let world = World::new(&format!("rules:\n{ASKING}"));
    let url = world.server.url();
    let developer = format!(
        "    developer: {{ driver: api, model: developer, options: {{ base_url: '{url}/v1', permissions: commands }} }}"
    );
    cast_profile(&world, &["architect", "reviewer"], "repo_root", &developer);
    let mut editor = EditorPeer::open(&world);
    let mode = json!({"sessionId": editor.session, "modeId": "do"});
    assert!(editor.peer.request("session/set_mode", &mode)["result"].is_object());
    let turn = editor.prompt("make it");
    assert_eq!(editor.end_of(turn), "end_turn");
    assert!(editor.said().contains("Sum or product?"), "{}", editor.said());
    let turn = editor.prompt("a sum");
    let asked = editor.choose("run");
    assert_eq!(
        (&asked["toolCall"]["kind"], &asked["toolCall"]["rawInput"]["command"]),
        (&json!("execute"), &json!("echo made >> n.txt"))
    );
    let kinds: Vec<&str> =
        asked["options"].as_array().unwrap().iter().map(|option| option["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["allow_once", "allow_always", "allow_always", "reject_once"]);
    assert_eq!(editor.end_of(turn), "end_turn");
    assert!(editor.said().contains("It is made."), "{}", editor.said());
    assert_eq!(std::fs::read_to_string(world.worktree().join("n.txt")).unwrap(), "made\n");
    editor.peer.end();
}

#[test]
fn a_cancelled_turn_cancels_its_run_and_an_editor_that_is_gone_stops_nothing() {
    let world = world(&[ARCHITECT, SLOW, DEVELOPER, CONTENT], "");
    let mut editor = EditorPeer::open(&world);
    let turn = editor.prompt("It does not add");
    editor.choose("approve");
    editor.peer.until("a call", |message| message["params"]["update"]["kind"] == "execute");
    let twice = editor.prompt("It does not add");
    let refused = editor.peer.answer_to(twice);
    assert!(refused["error"]["message"].as_str().unwrap().contains("another prompt"), "{refused}");
    editor.peer.tell("session/cancel", &json!({"sessionId": editor.session}));
    assert_eq!(editor.end_of(turn), "cancelled");
    until("the run is cancelled", || world.run().unwrap()["view"]["status"] == "cancelled");

    editor.prompt("It does not add");
    editor.choose("approve");
    editor.peer.until("a call", |message| message["params"]["update"]["kind"] == "execute");
    editor.peer.vanish();
    std::fs::write(world.home().join("worktrees").join("go-on"), "").unwrap();
    until("the run is completed", || world.run().unwrap()["view"]["status"] == "completed");
    // The same editor, started again, finds its session as it was, and what happened since.
    let session = editor.session.clone();
    let mut editor = EditorPeer::open(&world);
    let load = json!({"sessionId": session, "cwd": world.repository(), "mcpServers": []});
    let loaded = editor.peer.request("session/load", &load);
    assert_eq!(loaded["result"]["modes"]["currentModeId"], "start", "{loaded}");
    let tasks = editor.updates("user_message_chunk");
    let asked = tasks.iter().filter(|task| task["content"]["text"] == "It does not add").count();
    assert_eq!(asked, 2, "{tasks:?}");
    assert!(editor.said().contains("It adds now."), "{}", editor.said());
    editor.session = session;
    let turn = editor.prompt("/merge");
    assert_eq!(editor.end_of(turn), "end_turn");
    assert!(editor.said().contains("into main"), "{}", editor.said());
    editor.peer.end();
    // Another editor can follow it.
    let mut editor = EditorPeer::open(&world);
    let turn = editor.prompt("/follow r2");
    assert_eq!(editor.end_of(turn), "end_turn");
    assert!(editor.said().contains("Run r2 is completed."), "{}", editor.said());
    editor.peer.end();
}

#[test]
fn what_an_editor_does_wrong_is_said_and_nothing_breaks() {
    let world = world(&[ARCHITECT], "");
    let mut peer = StdioPeer::start(&world, &["acp"]);
    let early = peer.request("session/new", &json!({"cwd": "/"}));
    assert!(early["error"]["message"].as_str().unwrap().contains("initialize"), "{early}");
    drop(peer);
    let mut editor = EditorPeer::open(&world);
    for line in [&b"not json"[..], b"[1]", b"{\"id\": 7}", b"{\"id\": 900, \"result\": {}}\nnull"] {
        editor.peer.write(line);
        let answer = editor.peer.until("a refusal", |message| message.get("error").is_some());
        assert!(answer["error"]["code"].as_i64().unwrap() <= -32600, "{answer}");
    }
    for (method, params, expected) in [
        ("fly", json!({}), "no method `fly`"),
        ("session/new", json!({"cwd": "relative"}), "absolute path"),
        ("session/prompt", json!({"sessionId": "x", "prompt": []}), "no session `x`"),
        ("session/prompt", json!({"sessionId": editor.session, "prompt": []}), "the task is missing"),
        ("session/load", json!({"sessionId": "../x", "cwd": "/"}), "no session `../x`"),
        ("session/set_mode", json!({"sessionId": editor.session, "modeId": "fly"}), "no mode `fly`"),
    ] {
        let answer = editor.peer.request(method, &params);
        assert!(answer["error"]["message"].as_str().unwrap().contains(expected), "{method}: {answer}");
    }
    for words in ["/merge", "/resume", "/follow r9"] {
        let turn = editor.prompt(words);
        let answer = editor.peer.answer_to(turn);
        assert!(answer["error"]["message"].as_str().unwrap().contains("run"), "{words}: {answer}");
    }
    let outside = tempfile::tempdir().unwrap();
    let opened = editor.peer.request("session/new", &json!({"cwd": outside.path(), "mcpServers": []}));
    editor.session = opened["result"]["sessionId"].as_str().unwrap().to_owned();
    let turn = editor.prompt("It does not add");
    let answer = editor.peer.answer_to(turn);
    assert!(answer["error"]["message"].as_str().unwrap().contains("git"), "{answer}");
    editor.peer.end();
}

fn clients() -> Option<PathBuf> {
    set_up_here("setup-clients.sh", "the ACP clients")
}

/// A client of the world, in its repository.
fn client(world: &World, command: &mut Command) -> String {
    world.outfit(command);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}\n{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn the_official_client_library_approves_a_plan_and_follows_the_run() {
    let Some(installed) = clients() else { return };
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    // A module is found from where the script is.
    let script = installed.join("amelia_acp_client.mjs");
    std::fs::write(&script, include_str!("acp_client.mjs")).unwrap();
    let mut command = Command::new("node");
    command.arg(script).arg(env!("CARGO_BIN_EXE_amelia")).arg(world.repository());
    let seen: Value = serde_json::from_str(&client(&world, &mut command)).unwrap();
    assert_eq!(seen["stopReason"], "end_turn", "{seen:#}");
    assert!(seen["asked"].as_str().unwrap().contains("approve the plan"), "{seen:#}");
    assert!(seen["text"].as_str().unwrap().contains("Run r1 is completed."), "{seen:#}");
    let kinds = seen["kinds"].as_array().unwrap();
    for kind in ["agent_message_chunk", "tool_call", "tool_call_update", "plan", "available_commands_update"]
    {
        assert!(kinds.contains(&json!(kind)), "{kind}: {seen:#}");
    }
}

#[test]
fn acpx_runs_a_task_without_an_editor() {
    let Some(installed) = clients() else { return };
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let agent = format!("{} acp", env!("CARGO_BIN_EXE_amelia"));
    let mut command = Command::new(installed.join("node_modules/.bin/acpx"));
    command.args(["--approve-all", "--agent", &agent, "exec", "It does not add"]);
    // It keeps sessions in the home of its user.
    let said = client(&world, command.env("HOME", home.path()));
    assert!(said.contains("Run r1 is completed."), "{said}");
    assert!(said.contains("It adds now."), "{said}");
}
