//! `docs/json.md` names every field that commands print, and no other.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

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
    let first = |value: Value| value.as_array().unwrap()[0].clone();
    let check = |heading: &str, number: usize, printed: &Value| {
        assert_eq!(fields(printed), documented(heading, number), "{heading}, table {number}: {printed}");
    };
    check("Runs", 0, &first(json_of(&world, &["status"])));
    let of_pull_request: BTreeSet<String> = documented("Runs", 1);
    let all: BTreeSet<String> = documented("Runs", 0).union(&of_pull_request).cloned().collect();
    assert_eq!(fields(&json_of(&world, &["status", "r1"])), all);
    check("Inbox", 0, &first(json_of(&world, &["inbox"])));
    let usage = json_of(&world, &["usage"]);
    check("Usage", 0, &usage["total"]);
    let mut row = fields(&usage["rows"][0]);
    assert!(row.remove("day"));
    assert_eq!(row, documented("Usage", 0));
    check("Doctor", 0, &first(json_of(&world, &["doctor"])));
    check("Traces", 0, &json_of(&world, &["trace", "show", "r1"]));
    check("Traces", 1, &json_of(&world, &["trace", "summary", "r1"]));
    check("Checkpoints", 0, &first(json_of(&world, &["checkpoints", "r1"])));
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
