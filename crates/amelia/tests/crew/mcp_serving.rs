//! Amelia as an MCP server: runs from start to merge by calls of a client, as a process and over HTTP.

use std::process::Command;

use serde_json::{Value, json};

use crate::crew::{ARCHITECT, CONTENT, DEVELOPER, world};
use crate::programs::{find, set_up_here};
use crate::serving::Server;
use crate::stdio_peer::StdioPeer;
use crate::world::{World, text, until};

/// A developer who does not begin before a file is there.
const SLOW: &str = r#####"
  - when: { model: developer, text: "### Task 1:", turn: 0 }
    reply: { tool_calls: [{ name: shell, args: { command: "while [ ! -e ../go-on ]; do sleep 0.02; done" } }] }
"#####;

fn connected(world: &World) -> StdioPeer {
    let mut peer = StdioPeer::start(world, &["mcp", "serve"]);
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}});
    let answer = peer.request("initialize", &hello);
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
    peer.tell("notifications/initialized", &json!({}));
    peer
}

fn call_params(tool: &str, args: &Value) -> Value {
    json!({"name": tool, "arguments": args, "_meta": {"progressToken": format!("of-{tool}")}})
}

/// Text and content of a call that succeeds.
fn call(peer: &mut StdioPeer, tool: &str, args: &Value) -> (String, Value) {
    let answer = peer.request("tools/call", &call_params(tool, args));
    let result = &answer["result"];
    let text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
    assert_eq!(result["isError"], false, "{tool}: {answer}");
    (text, result["structuredContent"].clone())
}

/// What a call is refused with.
fn refused(peer: &mut StdioPeer, tool: &str, args: &Value) -> String {
    let answer = peer.request("tools/call", &call_params(tool, args));
    assert_eq!(answer["result"]["isError"], true, "{tool}: {answer}");
    answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
}

#[test]
fn a_client_takes_a_task_from_its_plan_to_a_merge() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    let mut peer = connected(&world);
    let tools = peer.request("tools/list", &json!({}));
    let names: Vec<&str> = tools["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "start",
            "status",
            "plan",
            "approve",
            "reject",
            "answer",
            "resume",
            "cancel",
            "diff",
            "events",
            "artifacts",
            "merge"
        ]
    );

    let task = json!({"task": "It does not add\n\n2 and 3 give -1", "wait": true});
    let (shown, content) = call(&mut peer, "start", &task);
    assert_eq!(content["run"]["status"], "awaiting_approval", "{shown}");
    assert!(shown.contains("Add instead of subtract") && shown.contains("`approve` r1"), "{shown}");
    let (plan, _) = call(&mut peer, "plan", &json!({"run": "r1"}));
    assert!(plan.contains("Task 2"), "{plan}");

    let (shown, content) = call(&mut peer, "approve", &json!({"run": "r1", "wait": true}));
    assert_eq!(content["run"]["status"], "completed", "{shown}");
    assert!(shown.contains("approved the plan") && shown.contains("done Add instead of subtract"), "{shown}");
    let progress: Vec<&Value> =
        peer.seen.iter().filter(|said| said["params"]["progressToken"] == "of-approve").collect();
    let numbers: Vec<u64> =
        progress.iter().map(|said| said["params"]["progress"].as_u64().unwrap()).collect();
    assert!(numbers.len() > 3 && numbers.is_sorted(), "{numbers:?}");
    let said = progress.iter().map(|said| said["params"]["message"].as_str().unwrap()).collect::<Vec<_>>();
    assert!(said.contains(&"Developer: edit calc.sh +1 -1"), "{said:#?}");

    let (diff, content) = call(&mut peer, "diff", &json!({"run": "r1"}));
    assert!(diff.contains("+echo $(($1 + $2))"), "{diff}");
    assert_eq!(content["files"].as_array().unwrap().len(), 2, "{content}");
    let (events, content) = call(&mut peer, "events", &json!({"run": "r1", "limit": 5}));
    assert_eq!((events.lines().count() >= 5, content["events"].as_array().unwrap().len()), (true, 5));

    let listed = peer.request("resources/list", &json!({}));
    assert_eq!(listed["result"]["resources"][0]["uri"], "amelia://runs/r1", "{listed}");
    let read = peer.request("resources/read", &json!({"uri": "amelia://runs/r1"}));
    let run: Value = serde_json::from_str(read["result"]["contents"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(run["run"]["status"], "completed");
    let read = peer.request("resources/read", &json!({"uri": "amelia://runs/r1/plan"}));
    assert!(read["result"]["contents"][0]["text"].as_str().unwrap().contains("Task 1"), "{read}");
    let missing = peer.request("resources/read", &json!({"uri": "amelia://runs/r9"}));
    assert_eq!(missing["error"]["code"], -32002, "{missing}");

    let (merged, _) = call(&mut peer, "merge", &json!({"run": "r1"}));
    assert!(merged.contains("into main") && merged.contains("undo: "), "{merged}");
    assert!(world.git(&["show", "main:calc.sh"]).contains("$1 + $2"));
    let twice = refused(&mut peer, "merge", &json!({"run": "r1"}));
    assert!(twice.contains("already has the changes"), "{twice}");
    peer.end();
}

#[test]
fn what_a_client_does_wrong_is_said_with_what_to_do_and_nothing_breaks() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    let mut peer = StdioPeer::start(&world, &["mcp", "serve"]);
    let early = peer.request("tools/list", &json!({}));
    assert!(early["error"]["message"].as_str().unwrap().contains("initialize"), "{early}");
    drop(peer);
    let mut peer = connected(&world);
    for line in [&b"not json"[..], b"{", b"\xff\xfe", b"[]", b"null", b"{\"id\": 1}"] {
        peer.write(line);
        let answer = peer.until("a refusal", |message| message.get("error").is_some());
        assert!(answer["error"]["code"].as_i64().unwrap() <= -32600, "{answer}");
    }
    peer.write(&vec![b'x'; 17 * 1024 * 1024]);
    let answer = peer.until("a refusal", |message| message.get("error").is_some());
    assert!(answer["error"]["message"].as_str().unwrap().contains("16 MB"), "{answer}");
    assert_eq!(peer.request("fly", &json!({}))["error"]["code"], -32601);
    assert_eq!(peer.request("tools/call", &json!({"name": "fly"}))["error"]["code"], -32602);
    for (tool, args, expected) in [
        ("start", json!({}), "the task is missing"),
        ("start", json!({"taks": "x"}), "unknown field `taks`"),
        ("start", json!({"task": "x", "profile": "absent"}), "absent"),
        ("start", json!({"task": "x", "read_only": true}), "read-only"),
        ("start", json!({"task": "x", "directory": "/"}), "git"),
        ("status", json!({"run": "r7"}), "no run is called `r7`"),
        ("status", json!({"wait": true}), "`wait` needs a run"),
        ("approve", json!({}), "missing field `run`"),
    ] {
        let message = refused(&mut peer, tool, &args);
        assert!(message.contains(expected), "{tool}: {message}");
    }
    let (none, _) = call(&mut peer, "status", &json!({}));
    assert!(none.contains("no runs yet"), "{none}");
    call(&mut peer, "start", &json!({"task": "It does not add", "wait": true}));
    let message = refused(&mut peer, "answer", &json!({"run": "r1", "message": "yes"}));
    assert!(message.contains("call `approve` or `reject`"), "{message}");
    let message = refused(&mut peer, "approve", &json!({"run": "r1", "plan": "no plan at all"}));
    assert!(message.contains("the plan cannot be used"), "{message}");
    let message = refused(&mut peer, "reject", &json!({"run": "r1"}));
    assert!(message.contains("`feedback` is missing"), "{message}");
    let message = refused(&mut peer, "merge", &json!({"run": "r1"}));
    assert!(!message.is_empty());
    call(&mut peer, "cancel", &json!({"run": "r1"}));
    let message = refused(&mut peer, "approve", &json!({"run": "r1"}));
    assert!(message.contains("not waiting for an approval: it is cancelled"), "{message}");
    peer.end();
}

#[test]
fn calls_run_at_the_same_time_can_be_taken_back_and_a_client_that_is_gone_stops_nothing() {
    let world = world(&[ARCHITECT, SLOW, DEVELOPER, CONTENT], "");
    let mut peer = connected(&world);
    call(&mut peer, "start", &json!({"task": "It does not add", "wait": true}));
    call(&mut peer, "approve", &json!({"run": "r1"}));
    let args = json!({"run": "r1", "wait": true});
    let waiting = peer.ask("tools/call", &call_params("status", &args));
    let (shown, _) = call(&mut peer, "status", &json!({"run": "r1"}));
    assert!(shown.contains("running"), "answered while the other waits: {shown}");
    peer.tell("notifications/cancelled", &json!({"requestId": waiting}));
    assert_eq!(peer.request("ping", &json!({}))["result"], json!({}));
    let again = peer.ask("tools/call", &call_params("status", &args));
    peer.until("progress", |said| said["params"]["progressToken"] == "of-status");
    assert!(peer.seen.iter().all(|said| said["id"] != waiting), "nothing is said to what was taken back");
    assert_ne!(waiting, again);
    peer.vanish();
    std::fs::write(world.home().join("worktrees").join("go-on"), "").unwrap();
    until("the run is completed", || world.run().unwrap()["view"]["status"] == "completed");
}

/// What `claude` is to do: start a run, read what came of it, approve.
const CALLER: &str = r#####"
  - when: { model: claude-sonnet-4-5, turn: 0 }
    reply: { tool_calls: [{ name: mcp__amelia__start, args: { task: It does not add, wait: true } }] }
  - when: { model: claude-sonnet-4-5, turn: 1 }
    reply: { tool_calls: [{ name: mcp__amelia__approve, args: { run: r1, wait: true } }] }
  - when: { model: claude-sonnet-4-5, turn: 2 }
    reply: { text: Amelia has done it. }
"#####;

#[test]
fn claude_starts_a_run_is_shown_its_plan_and_approves_it() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let Some(claude) = runtime.block_on(find("claude")) else { return };
    let world = world(&[CALLER, ARCHITECT, DEVELOPER, CONTENT], "");
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let served = json!({"command": env!("CARGO_BIN_EXE_amelia"), "args": ["mcp", "serve"],
        "env": {"AMELIA_HOME": world.home(), "AMELIA_PORT": "0"}});
    let config = home.path().join("mcp.json");
    std::fs::write(&config, json!({"mcpServers": {"amelia": served}}).to_string()).unwrap();
    let mut command = Command::new(claude);
    world.outfit(&mut command);
    command.args(["-p", "fix it", "--model", "claude-sonnet-4-5", "--strict-mcp-config", "--mcp-config"]);
    command.arg(config).args(["--allowedTools", "mcp__amelia__*"]);
    command.env("HOME", home.path()).env("ANTHROPIC_BASE_URL", world.server.url());
    let output = command.env("ANTHROPIC_API_KEY", "x").output().unwrap();
    assert!(text(&output.stdout).contains("Amelia has done it."), "{}", text(&output.stderr));
    assert_eq!(world.run().unwrap()["view"]["status"], "completed");
    // It shows its model either what is for models or what is for programs: both have the plan.
    let told: Vec<String> = world.server.requests().iter().map(|request| request.body.to_string()).collect();
    let is_of_caller = |body: &&String| body.contains("claude-sonnet-4-5") && body.contains("approve` r1");
    assert!(told.iter().find(is_of_caller).unwrap().contains("Replace the minus"), "{told:#?}");
}

/// The official client, as a program of its own; it prints what it has seen.
fn python(world: &World, venv: &str, arguments: &[&str]) -> Option<Value> {
    let installed = set_up_here("setup-clients.sh", "the MCP clients")?;
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/crew/mcp_client.py");
    let mut command = Command::new(installed.join(venv).join("bin/python"));
    command.arg(script).args(arguments);
    world.outfit(&mut command);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output.stdout))))
}

fn assert_served(world: &World, seen: &Value, protocol: &str) {
    assert_eq!(seen["protocol"], protocol, "{seen:#}");
    assert_eq!(seen["waited_for"], "approval", "{seen:#}");
    assert_eq!(seen["status"], "completed", "{seen:#}");
    assert!(seen["diff"].as_str().unwrap().contains("+echo $(($1 + $2))"), "{seen:#}");
    assert!(seen["resources"].as_array().unwrap().contains(&json!("amelia://runs/r1")), "{seen:#}");
    assert!(seen["refused"].as_str().unwrap().contains("no run is called"), "{seen:#}");
    assert!(world.git(&["show", "main:calc.sh"]).contains("$1 + $2"));
}

#[test]
fn the_newest_official_client_works_over_stdio() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    let arguments = ["stdio", env!("CARGO_BIN_EXE_amelia")];
    let Some(seen) = python(&world, "mcp-new", &arguments) else { return };
    assert_served(&world, &seen, "2026-07-28");
    assert!(seen["progress"].as_u64().unwrap() > 3, "{seen:#}");
}

#[test]
fn the_newest_official_client_works_with_a_handshake() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    let arguments = ["stdio", env!("CARGO_BIN_EXE_amelia"), "legacy"];
    let Some(seen) = python(&world, "mcp-new", &arguments) else { return };
    assert_served(&world, &seen, "2025-11-25");
}

#[test]
fn the_oldest_official_client_works_over_stdio() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    let arguments = ["stdio", env!("CARGO_BIN_EXE_amelia")];
    let Some(seen) = python(&world, "mcp-old", &arguments) else { return };
    assert_served(&world, &seen, "2024-11-05");
}

#[test]
fn the_newest_official_client_signs_in_and_works_over_http() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    let server = Server::start(&world);
    let url = format!("http://{}/mcp", server.address());
    let Some(seen) = python(&world, "mcp-new", &["http", &url, server.token()]) else { return };
    assert_served(&world, &seen, "2026-07-28");
    assert!(seen["progress"].as_u64().unwrap() > 3, "{seen:#}");
    assert_eq!(seen["without_token"], "refused", "{seen:#}");
    let message = seen["without_directory"].as_str().unwrap();
    assert!(message.contains("`directory` must be an absolute path"), "{message}");
}
