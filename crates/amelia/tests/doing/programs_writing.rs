//! Files that a program writes by itself, without a tool of ours, are told in the log as they are of our own tools.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use crate::world::{FIX, World, text};

/// In the place of `claude`: writes files, and says nothing of it.
const PROGRAM: &str = r#"#!/bin/sh
echo '{"type":"system","subtype":"init","session_id":"s1","claude_code_version":"2.1.0"}'
mkdir -p deep && echo new > deep/made.txt
echo '# more' >> calc.sh
rm test.sh
echo '{"type":"result","subtype":"success","is_error":false,"result":"It is done.","session_id":"s1"}'
"#;

/// What became of which file, in the order of names.
fn files(log: &str) -> Vec<String> {
    let mut found: Vec<String> = log
        .lines()
        .filter_map(|line| {
            let event: Value = serde_json::from_str(line).unwrap();
            let (change, file) = event["kind"]["artifact"].as_object()?.iter().next()?;
            Some(format!("{} {change}", file["uri"].as_str().unwrap()))
        })
        .collect();
    found.sort();
    found
}

/// A world whose profile has this program in the place of `claude`.
pub(crate) fn world_of(script: &str) -> World {
    world_with(script, "permissions: never")
}

/// The same, with another option of the agent.
pub(crate) fn world_with(script: &str, option: &str) -> World {
    let world = World::new(FIX);
    let program = world.repository().join("../claude");
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let profile = format!(
        "active_profile: work\nprofiles:\n  work:\n    repo_root: {}\n    agents:\n      developer: {{ driver: claude, model: default, options: {{ program: {}, {option} }} }}\n",
        world.repository().display(),
        program.display()
    );
    let file = world.repository().join("../profile.yaml");
    std::fs::write(&file, profile).unwrap();
    let applied = world.amelia(&["config", "profile", "apply", "-f", file.to_str().unwrap()]);
    assert!(applied.status.success(), "{}", text(&applied.stderr));
    world
}

#[test]
fn what_a_program_made_changed_and_removed_is_told_once() {
    let world = world_of(PROGRAM);
    let done = world.amelia(&["do", "write some files"]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let log = text(&world.amelia(&["logs", &world.run_id(), "--json"]).stdout);
    assert_eq!(files(&log), ["calc.sh modified", "deep/made.txt created", "test.sh deleted"], "{log}");
}
