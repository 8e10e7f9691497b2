//! The words of the three outer dialects live in `amelia-wire`; the crates of the model and the engine use ours.
//!
//! Code and strings are checked. Comments are not: saying which outer word a type answers to is what they are for.

use super::finding::Finding;
use super::source::{SourceFile, words};

const CRATES: [&str; 5] =
    ["amelia-agents", "amelia-core", "amelia-graph", "amelia-orchestrator", "amelia-store"];

const WORDS: [&str; 9] = [
    "workflow_id",
    "task_id",
    "tool_input",
    "tool_call_id",
    "correlation_id",
    "workflow_status",
    "plan_markdown",
    "awaiting_approval",
    "breakpoint_hit",
];

/// `event_task_start`, `WORKFLOW_CREATED` and their families.
const STEMS: [&str; 10] = [
    "event_task_",
    "event_agent_",
    "event_tool_",
    "event_hitl_",
    "WORKFLOW_",
    "BRAINSTORM_",
    "ORACLE_CONSULTATION_",
    "ORACLE_TOOL_",
    "DOCUMENT_INGESTION_",
    "CLAUDE_",
];

pub(crate) fn check(source: &SourceFile) -> Vec<Finding> {
    let is_bound = CRATES.iter().any(|name| source.path.starts_with(&format!("crates/{name}/src/")));
    if !is_bound || source.is_test_file() {
        return Vec::new();
    }
    let code = source.numbered_code();
    let strings = source.strings.iter().map(|piece| (piece.line, piece.text.as_str()));
    let mut found = Vec::new();
    for (line, text) in code.chain(strings).filter(|(line, _)| !source.is_test_line(*line)) {
        for word in words(text).filter(|word| is_outer(word)) {
            found.push(Finding::error(&source.path, line, format!("`{word}` is a word of amelia-wire")));
        }
    }
    found
}

fn is_outer(word: &str) -> bool {
    WORDS.contains(&word) || STEMS.iter().any(|stem| word.starts_with(stem))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        let mut lines: Vec<usize> =
            check(&SourceFile::parse(path, text)).into_iter().map(|finding| finding.line).collect();
        lines.sort_unstable();
        lines
    }

    const OUTER: &str = "let workflow_id = 1;\nf(\"event_task_start\");\nconst WORKFLOW_CREATED: u8 = 1;";

    #[test]
    fn outer_words_in_the_model_are_found() {
        assert_eq!(lines("crates/amelia-core/src/run.rs", OUTER), [1, 2, 3]);
    }

    #[test]
    fn wire_comments_tests_and_longer_words_may() {
        let none: [usize; 0] = [];
        assert_eq!(lines("crates/amelia-wire/src/amelia.rs", OUTER), none);
        assert_eq!(lines("crates/amelia-core/src/run_tests.rs", OUTER), none);
        assert_eq!(
            lines("crates/amelia-core/src/run.rs", "/// Amelia: workflow_id\nlet plan_task_id = 1;"),
            none
        );
    }
}
