//! What commands print for programs, and for people who want only the result.

use serde_json::{Value, json};

use crate::crew::{ARCHITECT, CONTENT, world};
use crate::world::{World, text};

fn json_of(world: &World, arguments: &[&str]) -> Value {
    let output = world.amelia(&[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{arguments:?}: {}", text(&output.stdout)))
}

#[test]
fn changes_of_profiles_are_told_to_programs() {
    let world = world(&[CONTENT], "");
    let file = world.repository().join("../crew.yaml");
    let apply = ["config", "profile", "apply", "-f", file.to_str().unwrap()];
    assert_eq!(json_of(&world, &apply), json!({"kept": ["crew"]}));
    let active = json_of(&world, &["config", "profile", "activate", "crew"]);
    assert_eq!(active, json!({"active_profile": "crew"}));
    assert_eq!(text(&world.amelia(&[&apply[..], &["-q"]].concat()).stdout), "");
}

#[test]
fn a_quiet_start_prints_the_run_and_nothing_else() {
    let world = world(&[ARCHITECT, CONTENT], "");
    let output = world.amelia(&["start", "-q", "--queue", "--title", "It does not add"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "r1\n");
    assert_eq!(text(&output.stderr), "");
    let waits = world.amelia(&["start", "-q", "--wait", "--title", "It does not add"]);
    assert_eq!(waits.status.code(), Some(6), "{}", text(&waits.stderr));
    assert_eq!(text(&waits.stdout), "r2\n", "a script needs it");
}

#[test]
fn help_is_by_group_and_examples_are_in_the_long_one() {
    let world = World::new(&format!("rules:\n{CONTENT}"));
    let (short, long) = (world.amelia(&["-h"]), world.amelia(&["--help"]));
    assert!(short.status.success() && long.status.success());
    let short = text(&short.stdout);
    assert!(short.contains("\nRun agents:\n  start ") && !short.contains("Examples:"), "{short}");
    assert!(text(&long.stdout).contains("Examples:\n  amelia demo "), "{}", text(&long.stdout));
    assert!(
        text(&world.amelia(&["start", "-h"]).stdout).contains("Usage: amelia start "),
        "of a command, too"
    );
}

#[test]
fn help_is_a_command_too_and_lists_all_commands() {
    let world = World::new(&format!("rules:\n{CONTENT}"));
    let all = world.amelia(&["help", "--all"]);
    assert!(all.status.success(), "{}", text(&all.stderr));
    assert!(text(&all.stdout).contains("\n  breakpoint "), "{}", text(&all.stdout));
    let profile = ["config", "profile"];
    let [as_command, as_flag] = [[&["help"], &profile[..]].concat(), [&profile[..], &["--help"]].concat()];
    let (as_command, as_flag) = (world.amelia(&as_command), world.amelia(&as_flag));
    assert!(as_command.status.success(), "{}", text(&as_command.stderr));
    assert_eq!(text(&as_command.stdout), text(&as_flag.stdout));
    assert_eq!(world.amelia(&["help", "nonsense"]).status.code(), Some(2));
}

#[test]
fn models_are_shown_and_a_table_of_the_users_own_counts_first() {
    let world = world(&[CONTENT], "");
    let shown = text(&world.amelia(&["models", "show", "anthropic/claude-sonnet-4-5-20250929"]).stdout);
    assert!(shown.contains("claude-sonnet-4-5\n") && shown.contains("200000 tokens"), "{shown}");
    let unknown = world.amelia(&["models", "show", "mine"]);
    assert_eq!(unknown.status.code(), Some(4), "{}", text(&unknown.stderr));
    let file = world.repository().join("../own.json");
    std::fs::write(&file, "{\"as_of\": \"today\", \"models\": {\"mine\": {}}}").unwrap();
    let update = ["models", "update", "--file", file.to_str().unwrap()];
    let refused = world.amelia(&update);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
    assert!(text(&refused.stderr).contains("missing field `context`"), "{}", text(&refused.stderr));
    let mine = json!({"context": 32_000, "output": 8000, "wires": ["chat"]});
    std::fs::write(&file, json!({"as_of": "today", "models": {"mine": mine}}).to_string()).unwrap();
    assert!(world.amelia(&update).status.success());
    let shown = json_of(&world, &["models", "show", "mine"]);
    assert_eq!(shown["info"]["context"], 32_000);
    assert!(json_of(&world, &["models", "list"])["models"].as_object().unwrap().len() > 40);
}

#[test]
fn an_error_is_one_object_on_standard_error_and_nothing_else() {
    let world = World::new("rules: [{ reply: { text: It is fine. } }]");
    for (arguments, code, exit) in [
        (&["status", "r9", "--json"][..], "not_found", 4),
        (&["resume", "r9", "--json"], "not_found", 4),
        (&["status", "--jsn", "--json"], "usage", 2),
        (&["approve", "--json"], "not_found", 4),
        (&["start", "--json", "--title", "It adds", "--profile", "none"], "not_found", 4),
    ] {
        let output = world.amelia(arguments);
        assert_eq!(output.status.code(), Some(exit), "{arguments:?}: {}", text(&output.stderr));
        assert_eq!(text(&output.stdout), "", "{arguments:?}");
        let error: Value = serde_json::from_slice(&output.stderr).unwrap();
        assert_eq!(error["code"], code, "{arguments:?}: {error}");
        assert!(error["message"].as_str().is_some_and(|text| !text.is_empty() && !text.contains("error:")));
        assert!(error.get("hint").is_some(), "{error}");
    }
}

#[test]
fn a_run_is_one_flat_object_in_every_command() {
    let world = World::new("rules: [{ reply: { text: It is fine. } }]");
    assert!(world.run_do("chat", &["--quiet"]).status.success());
    let (list, mut one) = (json_of(&world, &["status"]), json_of(&world, &["status", "r1"]));
    // A list asks neither the tracker nor git.
    let own = ["pull_request_detail", "pull_request_error", "merge_undo"];
    let own = own.map(|key| one.as_object_mut().unwrap().remove(key));
    assert_eq!(own, [Some(Value::Null), Some(Value::Null), Some(Value::Null)]);
    assert_eq!(list[0], one);
    assert_eq!((&one["status"], &one["waiting_for"]), (&json!("completed"), &Value::Null), "{one}");
    assert_eq!(one["cost_usd"], Value::Null, "no price is known: {one}");
    assert!(one.as_object().unwrap().values().all(|value| !value.is_object() && !value.is_array()), "{one}");
}
