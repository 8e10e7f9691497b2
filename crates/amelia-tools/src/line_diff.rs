//! What an edit has changed, as a unified diff. Only Myers' algorithm over lines: the general entry of the library brings
//! every algorithm for every kind of text, which is half a megabyte of program.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use similar::algorithms::{Capture, Replace, myers};
use similar::{ChangeTag, DiffOp, group_diff_ops};

/// Unchanged lines that are shown around a change.
const CONTEXT: usize = 3;
/// A diff that takes longer becomes coarser: texts that have nothing in common would take minutes.
const LONGEST: Duration = Duration::from_millis(500);

/// The difference between two texts of a file; nothing if there is none.
#[must_use]
pub fn unified(path: &str, before: &str, after: &str) -> String {
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let ops = changes(&old, &new);
    let groups = group_diff_ops(ops, CONTEXT);
    let mut text = String::new();
    for group in groups.iter().filter(|group| !group.is_empty()) {
        if text.is_empty() {
            write!(text, "--- {path}\n+++ {path}\n").ok();
        }
        hunk(&mut text, group, &old, &new);
    }
    text
}

/// How many lines come, and how many go.
#[must_use]
pub fn changed_lines(before: &str, after: &str) -> (usize, usize) {
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let count = |(added, removed): (usize, usize), op: &DiffOp| match op {
        DiffOp::Equal { .. } => (added, removed),
        _ => (added + op.new_range().len(), removed + op.old_range().len()),
    };
    changes(&old, &new).iter().fold((0, 0), count)
}

fn changes(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let mut captured = Replace::new(Capture::new());
    let until = Some(Instant::now() + LONGEST);
    match myers::diff_deadline(&mut captured, old, 0..old.len(), new, 0..new.len(), until) {
        Ok(()) => captured.into_inner().into_ops(),
        Err(never) => match never {},
    }
}

fn hunk(text: &mut String, ops: &[DiffOp], old: &[&str], new: &[&str]) {
    let (Some(first), Some(last)) = (ops.first(), ops.last()) else { return };
    let place = |start: usize, end: usize| match end - start {
        1 => format!("{}", start + 1),
        // A place without lines is named by the line before it.
        0 => format!("{start},0"),
        count => format!("{},{count}", start + 1),
    };
    let was = place(first.old_range().start, last.old_range().end);
    let is = place(first.new_range().start, last.new_range().end);
    writeln!(text, "@@ -{was} +{is} @@").ok();
    for change in ops.iter().flat_map(|op| op.iter_changes(old, new)) {
        let sign = match change.tag() {
            ChangeTag::Equal => ' ',
            ChangeTag::Delete => '-',
            ChangeTag::Insert => '+',
        };
        let line = change.value();
        write!(text, "{sign}{line}").ok();
        if !line.ends_with('\n') {
            text.push_str("\n\\ No newline at end of file\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_shown_with_their_places_and_three_lines_around_them() {
        let before: String = (1..=20).map(|line| format!("line {line}\n")).collect();
        let after = before.replace("line 2\n", "second\n").replace("line 15\n", "");
        let expected = "--- a.txt\n+++ a.txt\n@@ -1,5 +1,5 @@\n line 1\n-line 2\n+second\n line 3\n line 4\n line 5\n\
                        @@ -12,7 +12,6 @@\n line 12\n line 13\n line 14\n-line 15\n line 16\n line 17\n line 18\n";
        assert_eq!(unified("a.txt", &before, &after), expected);
        assert_eq!(unified("a.txt", &before, &before), "");
        assert_eq!(changed_lines(&before, &after), (1, 2));
    }

    #[test]
    fn new_files_empty_files_and_missing_newlines_are_shown_as_git_shows_them() {
        assert_eq!(unified("a", "", "x\n"), "--- a\n+++ a\n@@ -0,0 +1 @@\n+x\n");
        assert_eq!(unified("a", "x\n", ""), "--- a\n+++ a\n@@ -1 +0,0 @@\n-x\n");
        let expected = "--- a\n+++ a\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n";
        assert_eq!(unified("a", "x", "y\n"), expected);
    }

    #[test]
    fn texts_that_have_nothing_in_common_are_compared_in_bounded_time() {
        let text = |word: &str| (0..20_000).map(|line| format!("{word} {line}\n")).collect::<String>();
        let diff = unified("a", &text("old"), &text("new"));
        assert_eq!(diff.lines().filter(|line| line.starts_with('+')).count(), 20_001);
    }
}
