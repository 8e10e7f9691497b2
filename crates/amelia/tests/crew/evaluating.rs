//! `bench/prompts`: the issues are sound, and the judge judges. The crew is scripted: what is tried is the bench, not a model.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::crew::{CONTENT, ROLES};
use crate::world::{World, text};

/// Solves one issue, and only says so of the other.
const CREW: &str = r#####"rules:
  - when: { model: architect }
    reply: { tool_calls: [{ name: write_plan, args: { goal: "The issue is solved as it asks, and nothing else is changed in this repository.", architecture: "One file changes. Everything else stays as it is, because the issue asks for nothing more.", tasks: [{ number: "1", title: Solve the issue, steps: [{ description: Do what the issue asks for }] }] } }] }
  - when: { model: developer, text: "returns None when the stack is empty", turn: 0 }
    reply: { tool_calls: [{ name: write_file, args: { path: stack.py, content: "class Stack:\n    def __init__(self):\n        self._items = []\n\n    def push(self, item):\n        self._items.append(item)\n\n    def pop(self):\n        return self._items.pop()\n\n    def peek(self):\n        return self._items[-1]\n" } }] }
  - when: { model: developer, turn: 0 }
    reply: { tool_calls: [{ name: write_file, args: { path: NOTES.md, content: "It works.\n" } }] }
  - when: { model: developer }
    reply: { text: It works. }
"#####;

fn evaluate(arguments: &[&str]) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/prompts/run.py");
    let amelia = env!("CARGO_BIN_EXE_amelia");
    let mut command = Command::new("python3");
    command.arg("-B").arg(script).args(["--amelia", amelia]).args(arguments);
    command.output().unwrap()
}

#[test]
fn every_issue_is_unsolved_until_its_solution_is_there() {
    let checked = evaluate(&["--check"]);
    let shown = text(&checked.stdout);
    assert!(checked.status.success(), "{shown}\n{}", text(&checked.stderr));
    assert_eq!(shown.lines().filter(|line| line.starts_with("ok")).count(), 20, "{shown}");
}

#[test]
fn hidden_tests_tell_a_solved_issue_from_one_that_is_only_said_to_be() {
    let world = World::new(&format!("{CREW}{CONTENT}"));
    let url = world.server.url();
    let agent = |role: &&str| {
        format!("  {role}: {{ driver: api, model: {role}, options: {{ base_url: '{url}/v1' }} }}\n")
    };
    let agents: String = ROLES.iter().map(agent).collect();
    let profile = world.repository().join("../eval.yaml");
    std::fs::write(&profile, format!("name: scripted\nrepo_root: .\nagents:\n{agents}")).unwrap();
    let done =
        evaluate(&["--profile", profile.to_str().unwrap(), "--only", "py-stack-pop,sh-retry", "--json"]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let lines: Vec<Value> =
        text(&done.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let came = |place: usize| json!([lines[place]["issue"], lines[place]["solved"], lines[place]["ended"]]);
    assert_eq!(came(0), json!(["py-stack-pop", true, "completed"]), "{lines:?}");
    assert_eq!(came(1), json!(["sh-retry", false, "completed"]), "{lines:?}");
    let total = &lines[2]["total"];
    assert_eq!((&total["solved"], &total["issues"], &total["rounds"]), (&json!(1), &json!(2), &json!(2)));
    assert!(total["tokens"].as_u64().unwrap() > 0 && total["cost_usd"].is_null(), "{total}");
    assert_eq!((&total["profile"], total["prompts"].as_str().unwrap().len()), (&json!("scripted"), 8));
    let asked = format!("{:?}", world.server.requests());
    assert!(asked.contains("stack.py") && !asked.contains("hidden"), "no agent sees the hidden tests");
}
