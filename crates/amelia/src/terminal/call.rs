//! A tool call in a few words: what is done to what. Pure.

use amelia_core::event::ArtifactEvent;
use amelia_core::message::Artifact;
use amelia_core::tool::ToolCall;
use serde_json::Value;

use crate::ui;

/// What is done, by the tool that does it: ours, and those of `claude` and `codex`.
const VERBS: [(&str, &str); 24] = [
    ("apply_patch", "patch"),
    ("Bash", "run"),
    ("command_execution", "run"),
    ("Edit", "edit"),
    ("edit_file", "edit"),
    ("git_diff", "git diff"),
    ("git_log", "git log"),
    ("Glob", "list"),
    ("Grep", "search"),
    ("list_files", "list"),
    ("LS", "list"),
    ("MultiEdit", "edit"),
    ("Read", "read"),
    ("read_file", "read"),
    ("search", "search"),
    ("shell", "run"),
    ("submit_evaluation", "submit the evaluation"),
    ("submit_review", "submit the review"),
    ("TodoWrite", "update the to-do list"),
    ("WebFetch", "fetch"),
    ("WebSearch", "search"),
    ("Write", "write"),
    ("write_file", "write"),
    ("write_plan", "submit the plan"),
];

/// The call on one line, at most `width` characters.
pub(crate) fn in_words(call: &ToolCall, width: usize) -> String {
    // Two servers may have tools of one name, and that of one of ours.
    let name = call.tool.to_string();
    let verb = VERBS.iter().find(|(tool, _)| *tool == name).map_or(name.as_str(), |(_, verb)| verb);
    let target = call.target().unwrap_or_default();
    let (added, removed) = changed_lines(call);
    let counts = if added + removed > 0 { format!(" +{added} -{removed}") } else { String::new() };
    // A model may call what no tool is called, with any text.
    let shown = ui::one_line(format!("{verb} {target}").trim_end());
    let room = width.saturating_sub(counts.len());
    if shown.chars().count() <= room {
        return shown + &counts;
    }
    shown.chars().take(room.saturating_sub(1)).chain(['…']).collect::<String>() + &counts
}

/// Whether a file changed because of this call, which says so itself.
pub(super) fn is_at(call: &ToolCall, change: &ArtifactEvent) -> bool {
    let (ArtifactEvent::Created(Artifact { uri, .. }) | ArtifactEvent::Modified { uri, .. }) = change else {
        return false;
    };
    let path = ["path", "file_path"].iter().find_map(|name| call.args.get(*name)?.as_str());
    path.and_then(|path| path.strip_suffix(uri.as_str()))
        .is_some_and(|dir| dir.is_empty() || dir.ends_with('/'))
}

/// Lines that an edit puts in and takes out, as far as its arguments say it.
fn changed_lines(call: &ToolCall) -> (usize, usize) {
    let edits = call.args.get("edits").and_then(Value::as_array);
    let edits = edits.into_iter().flatten().filter_map(Value::as_object).chain([&call.args]);
    let of_edits = edits.filter_map(|edit| {
        let text = |names: [&str; 2]| names.iter().find_map(|name| edit.get(*name)?.as_str());
        Some(replaced_lines(text(["old", "old_string"])?, text(["new", "new_string"])?))
    });
    let patch = ["patch", "input", "diff"].iter().find_map(|name| call.args.get(*name)?.as_str());
    let of_patch = patch.filter(|_| call.tool.name.as_str() == "apply_patch").map(patch_lines);
    of_edits.chain(of_patch).fold((0, 0), |(added, removed), (a, r)| (added + a, removed + r))
}

/// Without the lines that both begin and end with.
fn replaced_lines(old: &str, new: &str) -> (usize, usize) {
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    let before = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - before;
    let after = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    (new.len() - before - after, old.len() - before - after)
}

fn patch_lines(patch: &str) -> (usize, usize) {
    let count = |sign: char, header: &str| {
        patch.lines().filter(|line| line.starts_with(sign) && !line.starts_with(header)).count()
    };
    (count('+', "+++ "), count('-', "--- "))
}

#[cfg(test)]
mod tests {
    use amelia_core::id::CallId;
    use amelia_core::tool::{CallOptions, ToolName};
    use serde_json::json;

    use super::*;

    fn words(tool: &str, args: &Value) -> String {
        let call = ToolCall {
            id: CallId::new("1").unwrap(),
            tool: ToolName::parse(tool).unwrap_or_else(|_| ToolName::builtin(tool)),
            args: args.as_object().unwrap().clone(),
            at: None,
            options: CallOptions::default(),
        };
        in_words(&call, 40)
    }

    #[test]
    fn calls_say_what_is_done_to_what() {
        for (tool, args, expected) in [
            ("read_file", json!({ "path": "src/a.rs" }), "read src/a.rs"),
            ("shell", json!({ "command": "cargo test" }), "run cargo test"),
            ("Bash", json!({ "command": "ls\nrm x" }), "run ls ⏎ rm x"),
            ("list_files", json!({}), "list"),
            (
                "edit_file",
                json!({ "path": "a", "edits": [{ "old": "x\ny\nz", "new": "x\nq\nr\nz" }] }),
                "edit a +2 -1",
            ),
            ("Edit", json!({ "file_path": "a", "old_string": "x", "new_string": "x\ny" }), "edit a +1 -0"),
            ("apply_patch", json!({ "patch": "--- a\n+++ a\n@@\n-x\n+y\n+z" }), "patch +2 -1"),
            ("write_file", json!({ "path": "a", "content": "{}" }), "write a"),
            (
                "shell",
                json!({ "command": "printf '%s' a-very-long-command-line | wc" }),
                "run printf '%s' a-very-long-command-lin…",
            ),
            ("jira_search", json!({ "query": "open" }), "jira_search open"),
            ("memory:create_entities", json!({}), "memory:create_entities"),
            ("files:read_file", json!({ "path": "a" }), "files:read_file a"),
        ] {
            assert_eq!(words(tool, &args), expected);
        }
    }

    #[test]
    fn the_name_of_a_tool_that_a_model_made_up_cannot_steer_the_terminal() {
        assert_eq!(words("evil\x1b[2J\nname", &json!({})), "evil\u{FFFD}[2J ⏎ name");
    }
}
