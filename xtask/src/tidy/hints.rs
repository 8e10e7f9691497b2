//! A message and its hint are two fields of a `Problem`. Only `amelia-core/src/problem.rs` joins them to one text, and only
//! it takes them apart again.
//!
//! Tests may have the joined text: they check what a person reads.

use super::finding::Finding;
use super::source::SourceFile;

const PLACE: &str = "crates/amelia-core/src/problem.rs";
const LABEL: &str = "hint:";

pub(crate) fn check(source: &SourceFile) -> Vec<Finding> {
    if !source.path.starts_with("crates/") || source.path == PLACE || source.is_test_file() {
        return Vec::new();
    }
    let strings = source.strings.iter().filter(|piece| !source.is_test_line(piece.line));
    strings
        .filter(|piece| piece.text.contains(LABEL))
        .map(|piece| {
            let message = format!("`{LABEL}` in a text: use `Problem::new(…).with_hint(…)`");
            Finding::error(&source.path, piece.line, message)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&SourceFile::parse(path, text)).into_iter().map(|finding| finding.line).collect()
    }

    const JOINED: &str = "let a = 1;\nf(\"no space\\n  hint: free some\");\ng(r\"x\n  hint: y\");";

    #[test]
    fn a_hint_inside_a_text_is_found() {
        assert_eq!(lines("crates/amelia-host/src/home.rs", JOINED), [2, 3]);
    }

    #[test]
    fn its_one_place_fields_comments_and_tests_may() {
        let none: [usize; 0] = [];
        assert_eq!(lines(PLACE, JOINED), none);
        assert_eq!(lines("crates/amelia/tests/doing/bad.rs", JOINED), none);
        let fields = "/// The hint: what to do.\nlet a = Problem { message, hint: \"free some\".into() };";
        assert_eq!(lines("crates/amelia-host/src/home.rs", fields), none);
        let test = "#[cfg(test)]\nmod tests {\n    const A: &str = \"a\\n  hint: b\";\n}";
        assert_eq!(lines("crates/amelia-host/src/home.rs", test), none);
    }
}
