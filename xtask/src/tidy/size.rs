//! Files and functions stay small enough to be read at once. Tests do not count.

use super::finding::Finding;
use super::source::{SourceFile, item_end, words};

const FILE_NOTE: usize = 400;
const FILE_LIMIT: usize = 500;
const FUNCTION_NOTE: usize = 60;
const FUNCTION_LIMIT: usize = 100;

pub(crate) fn check(source: &SourceFile) -> Vec<Finding> {
    if source.is_test_file() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let lines = (1..=source.code.len()).filter(|line| !source.is_test_line(*line)).count();
    found.extend(judge(source, 1, "file", lines, FILE_NOTE, FILE_LIMIT));
    for (line, code) in source.numbered_code().filter(|(line, _)| !source.is_test_line(*line)) {
        let Some(name) = function_head(code) else { continue };
        let Some(last) = item_end(&source.code, line) else { continue };
        let what = format!("function `{name}`");
        found.extend(judge(source, line, &what, last + 1 - line, FUNCTION_NOTE, FUNCTION_LIMIT));
    }
    found
}

fn judge(
    source: &SourceFile,
    at: usize,
    what: &str,
    lines: usize,
    note: usize,
    limit: usize,
) -> Option<Finding> {
    if lines > limit {
        Some(Finding::error(
            &source.path,
            at,
            format!("{what} has {lines} lines, more than {limit}: split it"),
        ))
    } else if lines > note {
        Some(Finding::note(&source.path, at, format!("{what} has {lines} lines")))
    } else {
        None
    }
}

/// The name in `pub(crate) async fn name`; a function type (`fn(u8)`) has none.
fn function_head(code: &str) -> Option<&str> {
    let mut rest = words(code).skip_while(|word| *word != "fn");
    rest.next()?;
    let name = rest.next()?;
    code.contains(&format!("fn {name}")).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::super::finding::FindingLevel;
    use super::*;

    fn levels(text: &str) -> Vec<(usize, FindingLevel)> {
        check(&SourceFile::parse("a/src/b.rs", text))
            .into_iter()
            .map(|finding| (finding.line, finding.level))
            .collect()
    }

    fn function(lines: usize) -> String {
        format!("fn f(a: [u8; 4]) -> u8 {{\n{}}}\n", "    x();\n".repeat(lines - 2))
    }

    #[test]
    fn long_functions_are_noted_then_refused() {
        assert_eq!(levels(&function(60)), []);
        assert_eq!(levels(&function(61)), [(1, FindingLevel::Note)]);
        assert_eq!(levels(&format!("//! x\n{}", function(101))), [(2, FindingLevel::Error)]);
    }

    #[test]
    fn long_files_are_noted_then_refused() {
        assert_eq!(levels(&"const A: u8 = 1;\n".repeat(400)), []);
        assert_eq!(levels(&"const A: u8 = 1;\n".repeat(401)), [(1, FindingLevel::Note)]);
        assert_eq!(levels(&"const A: u8 = 1;\n".repeat(501)), [(1, FindingLevel::Error)]);
    }

    #[test]
    fn tests_do_not_count() {
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", function(600));
        assert_eq!(levels(&tests), []);
    }

    #[test]
    fn a_function_type_and_a_declaration_are_not_long_functions() {
        let text = format!(
            "trait T {{\n    fn f(&self);\n{}}}\ntype F = fn(u8);\n{}",
            "    // x\n".repeat(70),
            "\n".repeat(70)
        );
        assert_eq!(levels(&text), []);
    }
}
