//! A person allows a call once, for the run, or always: the rule holds in later calls, over a kill, in forks and replays.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Output;

use serde_json::Value;

use crate::world::{World, text, until};

/// The same command twice, then another one.
const TWICE: &str = r#"
rules:
  - when: { turn: 0 }
    reply: { tool_calls: [{ name: shell, args: { command: "echo made >> n.txt" } }] }
  - when: { turn: 1 }
    reply: { tool_calls: [{ name: shell, args: { command: "echo made >> n.txt" } }] }
  - when: { turn: 2 }
    reply: { text: It is made. }
"#;

/// A command, another one, and the first again.
const THRICE: &str = r#"
rules:
  - when: { turn: 0 }
    reply: { tool_calls: [{ name: shell, args: { command: "echo made >> n.txt" } }] }
  - when: { turn: 1 }
    reply: { tool_calls: [{ name: shell, args: { command: "ls" } }] }
  - when: { turn: 2 }
    reply: { tool_calls: [{ name: shell, args: { command: "echo made >> n.txt" } }] }
  - when: { turn: 3 }
    reply: { text: It is made. }
"#;

/// The model is silent after the first command, until the process is killed.
const SILENT: &str = r#"
rules:
  - when: { turn: 0 }
    reply: { tool_calls: [{ name: shell, args: { command: "echo made >> n.txt" } }] }
  - when: { turn: 1, times: 1 }
    reply: { text: half of, stall_after: { chunks: 2 } }
  - when: { turn: 1 }
    reply: { tool_calls: [{ name: shell, args: { command: "echo made >> n.txt" } }] }
  - when: { turn: 2 }
    reply: { text: It is made. }
"#;

/// In the place of `claude`: asks for the same command twice, and runs it as often as it may.
const PROGRAM: &str = r#"#!/bin/sh
echo '{"type":"system","subtype":"init","session_id":"s1","claude_code_version":"2.1.0"}'
ask() {
  echo '{"type":"control_request","request_id":"q'$1'","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"echo made >> n.txt"},"tool_use_id":"t'$1'"}}'
  while read -r line; do case "$line" in *'"q'$1'"'*) break;; esac; done
  case "$line" in *'"allow"'*) echo made >> n.txt;; esac
}
ask 1
ask 2
echo '{"type":"result","subtype":"success","is_error":false,"result":"It is made.","session_id":"s1"}'
"#;

fn apply(world: &World, agent: &str) {
    let profile = format!(
        "active_profile: work\nprofiles:\n  work:\n    repo_root: {}\n    agents:\n      developer: {agent}\n",
        world.repository().display()
    );
    let file = world.repository().join("../profile.yaml");
    std::fs::write(&file, profile).unwrap();
    let applied = world.amelia(&["config", "profile", "apply", "-f", file.to_str().unwrap()]);
    assert!(applied.status.success(), "{}", text(&applied.stderr));
}

/// A world whose developer is a model that we call ourselves.
fn with_model(script: &str) -> World {
    let world = World::new(script);
    let options = format!(
        "provider: openai-compatible, base_url: \"{}/v1\", api_key_env: SAMPLE_KEY, wire: chat, permissions: commands",
        world.server.url()
    );
    apply(&world, &format!("{{ driver: api, model: scripted, options: {{ {options} }} }}"));
    world
}

fn with_program() -> World {
    let world = World::new(TWICE);
    let program = world.repository().join("../claude");
    std::fs::write(&program, PROGRAM).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let options = format!("program: {}, permissions: commands", program.display());
    apply(&world, &format!("{{ driver: claude, model: default, options: {{ {options} }} }}"));
    world
}

/// The run waits for a permission.
fn waits(output: &Output, tool: &str) {
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(6), "{message}");
    assert!(message.contains(&format!("Developer wants to use {tool}: echo made >> n.txt")), "{message}");
}

fn succeeds(output: &Output) -> String {
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

fn made(world: &World) -> String {
    std::fs::read_to_string(world.worktree().join("n.txt")).unwrap_or_default()
}

fn events(world: &World, run: &str) -> Vec<Value> {
    let log = succeeds(&world.amelia(&["logs", run, "--json"]));
    log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_model_asks_before_each_command_and_a_yes_runs_that_very_call_once() {
    let world = with_model(TWICE);
    waits(&world.amelia(&["do", "make it"]), "shell");
    assert_eq!(made(&world), "", "nothing has run yet");
    let run = world.run_id();
    waits(&world.amelia(&["approve", &run, "--follow"]), "shell");
    assert_eq!(made(&world), "made\n");
    let refused = world.amelia(&["reject", &run, "--feedback", "once is enough", "--follow"]);
    succeeds(&refused);
    assert_eq!(made(&world), "made\n");
    let told = world.told(2).join("\n");
    assert!(told.contains("a person did not allow it and said: once is enough"), "{told}");
    let calls = |kind: &str| {
        events(&world, &run).iter().filter(|event| !event["kind"]["agent"][kind].is_null()).count()
    };
    assert_eq!((calls("called"), calls("returned")), (2, 2), "each has one result");
    succeeds(&world.amelia(&["replay", &run]));
}

#[test]
fn a_rule_for_the_run_holds_in_its_later_calls_in_its_fork_and_in_its_replay() {
    let world = with_model(TWICE);
    waits(&world.amelia(&["do", "make it"]), "shell");
    let run = world.run_id();
    let shown = succeeds(&world.amelia(&["inbox"]));
    assert!(shown.contains("rule: shell(echo made >> n.txt)"), "{shown}");

    let misfit = world.amelia(&["approve", &run, "--for-run", "shell(echo *)"]);
    assert_eq!(misfit.status.code(), Some(2));
    let message = text(&misfit.stderr);
    assert!(message.contains("`shell(echo *)` does not match the call"), "{message}");

    let done = succeeds(&world.amelia(&["approve", &run, "--for-run", "--follow"]));
    assert!(done.contains("developer may use shell(echo made >> n.txt) in this run"), "{done}");
    assert_eq!(made(&world), "made\nmade\n", "each call ran once");
    let granted: Vec<Value> = events(&world, &run)
        .into_iter()
        .filter_map(|event| event["kind"]["run"].get("permission_granted").cloned())
        .collect();
    assert_eq!(granted.len(), 1);
    assert_eq!((&granted[0]["agent"], &granted[0]["lasts"]), (&"developer".into(), &"run".into()));
    succeeds(&world.amelia(&["replay", &run]));

    succeeds(&world.amelia(&["fork", &run, "--at", "1"]));
    let listed: Value =
        serde_json::from_str(&succeeds(&world.amelia(&["permission", "list", "--json"]))).unwrap();
    assert_eq!(listed[0]["rule"], "shell(echo made >> n.txt)", "{listed}");
    assert_eq!((&listed[0]["run"], &listed[0]["lasts"]), (&"r2".into(), &"run".into()), "of the fork only");
    let forked = world.amelia(&["resume", "r2", "--approve"]);
    succeeds(&forked);
    succeeds(&world.amelia(&["replay", "r2"]));
    // Another run was granted nothing.
    waits(&world.amelia(&["do", "make it again"]), "shell");
}

#[test]
fn a_rule_for_the_run_is_removed_and_the_agent_asks_again() {
    let world = with_model(THRICE);
    waits(&world.amelia(&["do", "make it"]), "shell");
    let run = world.run_id();
    let rule = "shell(echo made >> n.txt)";
    let none = world.amelia(&["permission", "remove", &run, "developer", rule]);
    assert_eq!(none.status.code(), Some(4), "{}", text(&none.stderr));
    assert!(text(&none.stderr).contains("was granted no rule `shell(echo made >> n.txt)`"));

    let other = world.amelia(&["approve", &run, "--for-run", "--follow"]);
    assert_eq!(other.status.code(), Some(6), "{}", text(&other.stderr));
    assert!(text(&other.stderr).contains("wants to use shell: ls"), "{}", text(&other.stderr));
    assert_eq!(made(&world), "made\n");
    let listed = succeeds(&world.amelia(&["permission", "list"]));
    assert!(listed.contains(&format!("run r1  developer  1       {rule}")), "{listed}");

    let removed = succeeds(&world.amelia(&["permission", "remove", &run, "developer", rule]));
    assert!(removed.contains("developer of r1 asks again before such calls"), "{removed}");
    let listed: Value =
        serde_json::from_str(&succeeds(&world.amelia(&["permission", "list", "--json"]))).unwrap();
    assert_eq!(listed, serde_json::json!([]));
    waits(&world.amelia(&["approve", &run, "--follow"]), "shell");
    assert_eq!(made(&world), "made\n", "it was not made again");
    succeeds(&world.amelia(&["approve", &run, "--follow"]));
    assert_eq!(made(&world), "made\nmade\n");
    succeeds(&world.amelia(&["replay", &run]));
    let ended = world.amelia(&["permission", "remove", &run, "developer", rule]);
    assert_eq!(ended.status.code(), Some(4), "{}", text(&ended.stderr));
    let unknown = world.amelia(&["permission", "remove", "r77", "developer", rule]);
    assert_eq!(unknown.status.code(), Some(4), "{}", text(&unknown.stderr));
}

#[test]
fn a_rule_for_the_run_survives_a_kill() {
    let world = with_model(SILENT);
    waits(&world.amelia(&["do", "make it"]), "shell");
    let run = world.run_id();
    let mut child = world.start(&["approve", &run, "--for-run", "--follow"]);
    until("the command has run and the model is asked again", || world.server.requests().len() >= 2);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(made(&world), "made\n");
    let done = succeeds(&world.amelia(&["resume", &run, "--approve"]));
    assert!(done.contains("It is made."), "{done}");
    assert_eq!(made(&world), "made\nmade\n", "the second call fits the rule, and the first is not repeated");
    succeeds(&world.amelia(&["replay", &run]));
}

#[test]
fn a_rule_for_always_is_in_the_profile_and_holds_at_once() {
    let world = with_program();
    waits(&world.amelia(&["do", "make it"]), "Bash");
    let run = world.run_id();
    let done = succeeds(&world.amelia(&["approve", &run, "--always", "--follow"]));
    assert!(done.contains("developer may always use Bash(echo made >> n.txt)"), "{done}");
    assert_eq!(made(&world), "made\nmade\n");
    succeeds(&world.amelia(&["replay", &run]));

    let table = succeeds(&world.amelia(&["permission", "list"]));
    assert!(table.contains("profile work  developer  1       Bash(echo made >> n.txt)"), "{table}");
    succeeds(&world.amelia(&["do", "make it again"]));

    let removed = succeeds(&world.amelia(&["permission", "remove", "work", "developer", "1"]));
    assert!(removed.contains("removed Bash(echo made >> n.txt)"), "{removed}");
    assert!(removed.contains("has 0 rules"), "{removed}");
    waits(&world.amelia(&["do", "make it a third time"]), "Bash");
    let added = world.amelia(&["permission", "add", "work", "developer", "Bash"]);
    assert!(succeeds(&added).contains("has 1 rule"), "{}", text(&added.stdout));
    succeeds(&world.amelia(&["do", "make it a fourth time"]));
}

#[test]
fn what_cannot_be_granted_is_refused_and_the_question_stays() {
    let world = with_program();
    for (arguments, code, expected) in [
        (["permission", "add", "work", "developer", "Bash(ls"], 2, "the closing parenthesis is missing"),
        (["permission", "add", "work", "developer", "Bash()"], 2, "no command in its parentheses"),
        (["permission", "add", "work", "developer", "Shell(ls)"], 2, "the tools are Bash, Edit, Write"),
        (["permission", "add", "work", "developer", "Edit(*.rs)"], 2, "`Edit` has no command"),
        (["permission", "add", "play", "developer", "Bash"], 4, "no profile `play`"),
        (["permission", "add", "work", "painter", "Bash"], 4, "no agent `painter`"),
        (["permission", "remove", "work", "developer", "Bash"], 4, "has no rule `Bash`"),
    ] {
        let refused = world.amelia(&arguments);
        assert_eq!(refused.status.code(), Some(code), "{arguments:?}: {}", text(&refused.stderr));
        assert!(text(&refused.stderr).contains(expected), "{}", text(&refused.stderr));
    }
    waits(&world.amelia(&["do", "make it"]), "Bash");
    let run = world.run_id();
    succeeds(&world.amelia(&["config", "profile", "delete", "work"]));
    let refused = world.amelia(&["approve", &run, "--always"]);
    let message = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(5), "{message}");
    assert!(message.contains("the profile `work` of run r1 was deleted"), "{message}");
    assert!(message.contains("allow it for this run instead"), "{message}");
    succeeds(&world.amelia(&["approve", &run, "--for-run", "Bash", "--follow"]));
    let ended = world.amelia(&["approve", &run, "--for-run"]);
    assert_eq!(ended.status.code(), Some(5), "{}", text(&ended.stderr));
}
