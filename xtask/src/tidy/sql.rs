//! Only `amelia-store` speaks SQL. A heuristic on string literals: a statement written in capitals.
//!
//! Capitals only, because prompts and messages are full of sentences that begin with "Select" or "update".

use super::finding::Finding;
use super::source::SourceFile;

const STATEMENTS: [&str; 10] = [
    "SELECT ",
    "INSERT ",
    "UPDATE ",
    "DELETE ",
    "CREATE TABLE ",
    "CREATE INDEX ",
    "CREATE UNIQUE INDEX ",
    "ALTER TABLE ",
    "DROP TABLE ",
    "PRAGMA ",
];

pub(crate) fn check(source: &SourceFile) -> Vec<Finding> {
    let owner = source.path.starts_with("crates/amelia-store/");
    let product = source.path.starts_with("crates/") && source.path.contains("/src/");
    if owner || !product || source.is_test_file() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for piece in &source.strings {
        let text = piece.text.trim_start();
        let is_sql = STATEMENTS.iter().any(|statement| text.starts_with(statement));
        if is_sql && !source.is_test_line(piece.line) {
            found.push(Finding::error(&source.path, piece.line, "SQL outside amelia-store"));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&SourceFile::parse(path, text)).into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn a_statement_outside_the_store_is_found() {
        let text =
            "let a = \"SELECT 1\";\nlet b = \"\n  CREATE TABLE runs (id)\";\nlet c = r\"PRAGMA x = 1\";";
        assert_eq!(lines("crates/amelia-graph/src/engine.rs", text), [1, 2, 4]);
    }

    #[test]
    fn the_store_sentences_comments_and_tests_may() {
        let none: [usize; 0] = [];
        assert_eq!(lines("crates/amelia-store/src/runs.rs", "let a = \"SELECT 1\";"), none);
        assert_eq!(lines("crates/amelia-agents/src/a.rs", "// SELECT 1\nlet a = \"Select one\";"), none);
        assert_eq!(lines("crates/amelia-graph/src/a_tests.rs", "let a = \"SELECT 1\";"), none);
        assert_eq!(
            lines("crates/amelia-graph/src/a.rs", "#[cfg(test)]\nmod t {\n f(\"SELECT 1\");\n}"),
            none
        );
        assert_eq!(lines("bench/src/a.rs", "let a = \"SELECT 1\";"), none);
    }
}
