//! How every Rust file begins and what none may hold: a header, no `mod.rs`, no leftovers.

use super::finding::Finding;
use super::source::{SourceFile, words};

/// Clippy denies these too, but not in code that a feature or a platform switches off.
const LEFTOVERS: [&str; 3] = ["todo!", "dbg!", "unimplemented!"];

/// In halves, or the comment rule of some other tool would flag this line.
const MARKS: [&str; 3] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];

pub(crate) fn check(source: &SourceFile) -> Vec<Finding> {
    let path = source.path.as_str();
    let mut found = Vec::new();
    if path.ends_with("/mod.rs") {
        found.push(Finding::error(path, 1, "`foo.rs` beside `foo/`, never `mod.rs`"));
    }
    if !source.is_test_file() && !source.opening.starts_with("//!") {
        found.push(Finding::error(
            path,
            1,
            "opens without `//!`: say what the file is for and what it must not do",
        ));
    }
    for (line, code) in source.numbered_code() {
        for leftover in LEFTOVERS.iter().filter(|leftover| calls(code, leftover)) {
            found.push(Finding::error(path, line, format!("`{leftover}` left behind")));
        }
    }
    for comment in &source.comments {
        let marked = words(&comment.text).any(|word| MARKS.contains(&word));
        if marked && !has_issue_number(&comment.text) {
            found.push(Finding::error(path, comment.line, "work left open without an issue number (`#12`)"));
        }
    }
    found
}

/// The macro's whole name: `dbg!` but not `my_dbg!`.
fn calls(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(at, _)| {
        let before = code.get(..at).and_then(|head| head.chars().next_back());
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
    })
}

fn has_issue_number(text: &str) -> bool {
    text.split('#').skip(1).any(|after| after.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&SourceFile::parse(path, text)).into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn a_file_without_header_is_found_unless_it_holds_tests() {
        assert_eq!(lines("a/src/b.rs", "fn main() {}"), [1]);
        assert_eq!(lines("a/src/b.rs", "//! What it is.\nfn main() {}"), [] as [usize; 0]);
        assert_eq!(lines("a/src/b_tests.rs", "use super::*;"), [] as [usize; 0]);
    }

    #[test]
    fn mod_rs_is_found() {
        assert_eq!(lines("a/src/b/mod.rs", "//! x"), [1]);
        assert_eq!(lines("a/src/b/model.rs", "//! x"), [] as [usize; 0]);
    }

    #[test]
    fn leftover_macros_are_found_in_code_only() {
        assert_eq!(lines("a/src/b.rs", "//! x\ntodo!();\nlet a = dbg!(b);\nunimplemented!()"), [2, 3, 4]);
        assert_eq!(lines("a/src/b.rs", "//! no todo! here\nlet a = \"dbg!\";\nmy_dbg!(1)"), [] as [usize; 0]);
    }

    #[test]
    fn open_work_needs_an_issue_number() {
        let mark = MARKS[0];
        assert_eq!(lines("a/src/b.rs", &format!("//! x\n// {mark}: later")), [2]);
        assert_eq!(
            lines("a/src/b.rs", &format!("//! x\n// {mark}(#12): later\n// the {mark}s table")),
            [] as [usize; 0]
        );
    }
}
