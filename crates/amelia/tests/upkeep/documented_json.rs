//! `docs/json.md` names every field that commands print, and no other.

use std::collections::BTreeSet;
use std::path::Path;

use amelia_wire::rest::cleanup::CleanedRun;
use serde_json::{Value, json};

use crate::crew::{ARCHITECT, CONTENT, DEVELOPER, start, world};
use crate::world::{World, text};

/// The fields in the table after a heading; `number` counts the tables of the section.
fn documented(heading: &str, number: usize) -> BTreeSet<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/json.md");
    let page = std::fs::read_to_string(file).unwrap();
    let section = page.split_once(&format!("\n## {heading}\n")).unwrap().1;
    let section = section.split("\n## ").next().unwrap();
    let table = section.split("|---|---|\n").nth(number + 1).unwrap();
    let rows = table.lines().take_while(|line| line.starts_with('|'));
    let first = rows.map(|row| row.split(" | ").next().unwrap());
    first.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

fn fields(value: &Value) -> BTreeSet<String> {
    value.as_object().unwrap_or_else(|| panic!("no object: {value}")).keys().cloned().collect()
}

fn json_of(world: &World, arguments: &[&str]) -> Value {
    let output = world.amelia(&[arguments, &["--json"]].concat());
    let shown = text(&output.stdout);
    serde_json::from_str(&shown)
        .unwrap_or_else(|error| panic!("{arguments:?}: {error}: {shown}{}", text(&output.stderr)))
}

/// A value has the fields of a table, all of them and no other.
fn check(heading: &str, number: usize, printed: &Value) {
    assert_eq!(fields(printed), documented(heading, number), "{heading}, table {number}: {printed}");
}

fn first(value: &Value) -> &Value {
    value.get(0).unwrap_or_else(|| panic!("empty: {value}"))
}

#[test]
fn the_page_names_the_fields_that_commands_print() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    assert_eq!(start(&world, &[]).status.code(), Some(6), "the plan waits");
    let definitions = world.repository().join(".amelia");
    for (kind, name, content) in [
        ("agents", "writer", "name: writer\nrole: writes\nsystem_prompt: Write.\n"),
        ("teams", "broken", "name: broken\n"),
        ("guardrails", "quiet", "name: quiet\ntype: content_filter\nrules: [{ patterns: [loud] }]\n"),
    ] {
        std::fs::create_dir_all(definitions.join(kind)).unwrap();
        std::fs::write(definitions.join(kind).join(format!("{name}.yaml")), content).unwrap();
    }
    check("Runs", 0, first(&json_of(&world, &["status"])));
    let of_pull_request: BTreeSet<String> = documented("Runs", 1);
    let all: BTreeSet<String> = documented("Runs", 0).union(&of_pull_request).cloned().collect();
    assert_eq!(fields(&json_of(&world, &["status", "r1"])), all);
    check("Inbox", 0, first(&json_of(&world, &["inbox"])));
    let usage = json_of(&world, &["usage"]);
    check("Usage", 0, &usage["total"]);
    let mut row = fields(&usage["rows"][0]);
    assert!(row.remove("day"));
    assert_eq!(row, documented("Usage", 0));
    check("Doctor", 0, first(&json_of(&world, &["doctor"])));
    check("Traces", 0, &json_of(&world, &["trace", "show", "r1"]));
    check("Traces", 1, &json_of(&world, &["trace", "summary", "r1"]));
    check("Checkpoints", 0, first(&json_of(&world, &["checkpoints", "r1"])));
    for kind in ["agent", "team"] {
        check("Definitions", 0, &json_of(&world, &[kind, "list"])["items"][0]);
    }
    let tested = json_of(&world, &["guardrail", "test", "quiet", "r1"]);
    check("Guardrails", 0, &tested);
    let mut of_run = fields(&tested["runs"][0]);
    for field in ["run", "id", "title", "violations"] {
        assert!(of_run.remove(field), "{field}: {tested}");
    }
    assert!(of_run.is_empty(), "{of_run:?}");
    let logs = text(&world.amelia(&["logs", "r1", "--json"]).stdout);
    let events = logs.lines().map(|line| fields(&serde_json::from_str(line).unwrap()));
    // Sub-agents and causes are not in every log.
    let mut printed: BTreeSet<String> = events.flatten().collect();
    printed.extend(["session".to_owned(), "cause".to_owned()]);
    assert_eq!(printed, documented("Events", 0));
}

#[test]
fn the_page_names_the_fields_that_commands_about_one_run_print() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    assert_eq!(start(&world, &[]).status.code(), Some(6), "the plan waits");
    check("Reasons", 0, &json_of(&world, &["why", "r1"]));
    check("Plans", 0, &json_of(&world, &["plan", "show", "r1"]));
    let compared = json_of(&world, &["compare", "r1", "r1"]);
    check("Comparisons", 0, &compared);
    check("Comparisons", 1, &compared["a"]);
    let listed = json_of(&world, &["worktree", "list"]);
    check("Worktrees", 0, &listed);
    check("Worktrees", 1, first(&listed["worktrees"]));
    check("Task files", 0, &json_of(&world, &["task", "export", "r1"]));
    check("Forks", 0, &json_of(&world, &["fork", "r1", "--at", "1"]));
}

#[test]
fn the_page_names_the_fields_of_what_is_cleaned_up() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    assert!(start(&world, &["--auto"]).status.success());
    assert!(world.amelia(&["merge", "r1"]).status.success());
    check("Reasons", 0, &json_of(&world, &["why", "r1"]));
    let cleaned = json_of(&world, &["cleanup", "--dry-run"]);
    check("Cleanup", 0, &cleaned);
    check("Cleanup", 1, first(&cleaned["worktrees"]));
    check("Cleanup", 2, first(&cleaned["merged_branches"]));
    // A retention period takes a day at least.
    let run = CleanedRun {
        workflow_id: uuid::Uuid::nil(),
        short_id: "r1".to_owned(),
        repository: None,
        title: "It does not add".to_owned(),
        label: None,
        days: 1,
        removed: false,
        kept_because: None,
    };
    check("Cleanup", 3, &serde_json::to_value(run).unwrap());
}

/// The fields of all values in an object.
fn fields_of_all(values: &Value) -> BTreeSet<String> {
    values.as_object().unwrap().values().flat_map(fields).collect()
}

#[test]
fn the_page_names_the_fields_of_models_profiles_rules_and_settings() {
    let world = world(&[CONTENT], "");
    let models = json_of(&world, &["models", "list"]);
    assert_eq!(fields(&models), ["as_of", "models"].map(str::to_owned).into());
    assert_eq!(fields_of_all(&models["models"]), documented("Models", 0));
    let model = json_of(&world, &["models", "show", "claude-sonnet-5-5"]);
    assert_eq!(fields(&model), ["name", "info"].map(str::to_owned).into());

    let mut listed = fields(&json_of(&world, &["config", "profile", "list"]));
    listed.insert("active_in".to_owned());
    assert_eq!(listed, documented("Profiles and settings", 0));
    let settings = json_of(&world, &["config", "server", "show"]);
    assert_eq!(fields_of_all(&settings), documented("Profiles and settings", 1));

    let agent = json!({"driver": "api", "model": "m",
        "options": {"base_url": "http://127.0.0.1:9/v1", "permissions": "commands", "allow": ["shell"]}});
    let profile = json!({"name": "asking", "repo_root": world.repository(), "agents": {"developer": agent}});
    let file = world.repository().join("../asking.yaml");
    std::fs::write(&file, profile.to_string()).unwrap();
    let applied = json_of(&world, &["config", "profile", "apply", "-f", file.to_str().unwrap()]);
    assert_eq!(applied, json!({"kept": ["asking"]}));
    let mut rule = fields(first(&json_of(&world, &["permission", "list"])));
    assert!(rule.insert("run".to_owned()), "it is of a profile");
    assert_eq!(rule, documented("Permissions", 0));
}

#[test]
fn the_page_names_the_fields_of_mcp_servers_and_their_tools() {
    let world = world(&[CONTENT], "");
    let server = json!({"transport": "stdio", "config": {"command": env!("CARGO_BIN_EXE_amelia"),
        "args": ["mcp", "serve"], "env": {"AMELIA_HOME": world.home(), "AMELIA_PORT": "0"}}});
    let config = world.home().join("config");
    std::fs::create_dir_all(&config).unwrap();
    let servers = json!({"servers": {"itself": server}});
    std::fs::write(config.join("mcp_servers.yaml"), servers.to_string()).unwrap();
    check("MCP servers", 0, first(&json_of(&world, &["mcp", "list"])["items"]));
    let tools = json_of(&world, &["mcp", "tools", "itself"]);
    assert_eq!(fields(&tools), ["server", "protocol", "items"].map(str::to_owned).into());
    check("MCP servers", 1, first(&tools["items"]));
    check("MCP servers", 2, &json_of(&world, &["mcp", "call", "itself:status", "{}"]));
}
