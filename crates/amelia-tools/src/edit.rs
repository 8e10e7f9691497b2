//! Exact replacements in a text, and precise words when they do not fit. Pure.

use amelia_core::text::{capped, squeezed};
use serde::Deserialize;

use crate::line_ends;

/// One replacement.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Replacement {
    pub(crate) old: String,
    pub(crate) new: String,
    #[serde(default)]
    pub(crate) all: bool,
}

/// Lines of a text that are looked through for something similar.
const SEARCHED: usize = 20_000;

/// The text with all edits made, in order; or everything that is wrong with them.
pub(crate) fn apply(text: &str, edits: &[Replacement]) -> Result<String, Vec<String>> {
    let (mut text, mut problems) = (text.to_owned(), Vec::new());
    for (index, edit) in edits.iter().enumerate() {
        match apply_one(&text, edit) {
            Ok(changed) => text = changed,
            Err(problem) => problems.push(format!("edit {}: {problem}", index + 1)),
        }
    }
    if problems.is_empty() { Ok(text) } else { Err(problems) }
}

fn apply_one(text: &str, edit: &Replacement) -> Result<String, String> {
    if edit.old.is_empty() {
        return Err("`old` is empty: say which text is to be replaced".to_owned());
    }
    if edit.old == edit.new {
        return Err("`old` and `new` are the same".to_owned());
    }
    // What is replaced has its line ends as they are in the file; what comes in its place gets the file's.
    let is_plain = edit.old.contains('\n') && !edit.old.contains("\r\n");
    let new = &if is_plain { edit.new.clone() } else { line_ends::like(text, &edit.new) };
    let places: Vec<usize> = text.match_indices(&edit.old).map(|(at, _)| line_at(text, at)).collect();
    match places.as_slice() {
        [] => with_other_line_ends(text, edit).unwrap_or_else(|| Err(missing(text, &edit.old))),
        [_] => Ok(text.replacen(&edit.old, new, 1)),
        _ if edit.all => Ok(text.replace(&edit.old, new)),
        many => {
            let lines: Vec<String> = many.iter().take(20).map(ToString::to_string).collect();
            Err(format!(
                "`old` occurs {} times, at lines {}: add lines around it until it is unique, or set `all`",
                many.len(),
                lines.join(", ")
            ))
        }
    }
}

/// Models write `\n`; a file whose lines end in `\r\n` keeps them. `None`: that does not help to find the text.
fn with_other_line_ends(text: &str, edit: &Replacement) -> Option<Result<String, String>> {
    if !text.contains("\r\n") || edit.old.contains('\r') || !edit.old.contains('\n') {
        return None;
    }
    let other = |piece: &str| piece.replace("\r\n", "\n").replace('\n', "\r\n");
    let edit = Replacement { old: other(&edit.old), new: other(&edit.new), all: edit.all };
    text.contains(&edit.old).then(|| apply_one(text, &edit))
}

fn missing(text: &str, old: &str) -> String {
    if let Some(line) = same_but_for_spaces(text, old) {
        return format!(
            "`old` is not in the file, but line {line} differs from it only in white space: copy it exactly"
        );
    }
    let Some(wanted) = old.lines().find(|line| !line.trim().is_empty()) else {
        return "`old` is only white space that is not in the file like this".to_owned();
    };
    let near = nearest(text, wanted);
    if near.is_empty() {
        return "`old` is not in the file, nor anything like it: read the file first".to_owned();
    }
    let lines: Vec<String> =
        near.iter().map(|(line, text)| format!("  {line}\t{}", capped(text, 200))).collect();
    format!("`old` is not in the file. Most like `{}` are:\n{}", capped(wanted, 200), lines.join("\n"))
}

/// The first line of a place that has the same words.
fn same_but_for_spaces(text: &str, old: &str) -> Option<usize> {
    let wanted: Vec<String> = old.lines().map(squeezed).filter(|line| !line.is_empty()).collect();
    let lines: Vec<(usize, String)> =
        (1..).zip(text.lines().map(squeezed)).filter(|(_, l)| !l.is_empty()).collect();
    if wanted.is_empty() {
        return None;
    }
    let found =
        lines.windows(wanted.len()).find(|window| window.iter().map(|(_, line)| line).eq(wanted.iter()))?;
    found.first().map(|(number, _)| *number)
}

/// At most three lines that are most like the wanted one, in the order of the text.
fn nearest<'a>(text: &'a str, wanted: &str) -> Vec<(usize, &'a str)> {
    let wanted = pairs(wanted);
    let mut scored: Vec<(f64, usize, &str)> = (1..)
        .zip(text.lines().take(SEARCHED))
        .map(|(number, line)| (likeness(&wanted, &pairs(line)), number, line))
        .filter(|(score, _, _)| *score >= 0.5)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut best: Vec<(usize, &str)> =
        scored.into_iter().take(3).map(|(_, number, line)| (number, line)).collect();
    best.sort_unstable();
    best
}

/// Pairs of neighbouring characters, sorted: two lines are alike when they share many.
fn pairs(line: &str) -> Vec<(char, char)> {
    let line = line.trim();
    let mut pairs: Vec<_> = line.chars().zip(line.chars().skip(1)).take(300).collect();
    pairs.sort_unstable();
    pairs
}

fn likeness(a: &[(char, char)], b: &[(char, char)]) -> f64 {
    let (mut left, mut right, mut shared) = (a.iter().peekable(), b.iter().peekable(), 0_usize);
    while let (Some(x), Some(y)) = (left.peek(), right.peek()) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => drop(left.next()),
            std::cmp::Ordering::Greater => drop(right.next()),
            std::cmp::Ordering::Equal => {
                shared += 1;
                left.next();
                right.next();
            }
        }
    }
    let all = a.len() + b.len();
    if all == 0 { 0.0 } else { 2.0 * shared as f64 / all as f64 }
}

fn line_at(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or_default().matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(old: &str, new: &str) -> Replacement {
        Replacement { old: old.to_owned(), new: new.to_owned(), all: false }
    }

    #[test]
    fn edits_are_made_in_order() {
        let done = apply("one two\n", &[edit("one", "1"), edit("1 two", "1 2")]);
        assert_eq!(done.unwrap(), "1 2\n");
        assert_eq!(apply("a a", &[Replacement { all: true, ..edit("a", "b") }]).unwrap(), "b b");
        assert_eq!(apply("a\r\nb\r\n", &[edit("a\nb", "c\nd")]).unwrap(), "c\r\nd\r\n");
        assert_eq!(apply("a\r\nb\r\n", &[edit("b", "c\nd")]).unwrap(), "a\r\nc\r\nd\r\n");
        assert_eq!(apply("a\r\nb\r\n", &[edit("a\r\nb", "c\nd")]).unwrap(), "c\r\nd\r\n");
    }

    #[test]
    fn a_text_that_occurs_twice_is_called_so_whatever_the_line_ends() {
        let error = apply("a\r\nb\r\n-\r\na\r\nb\r\n", &[edit("a\nb", "c")]).unwrap_err();
        assert!(error[0].contains("occurs 2 times, at lines 1, 4"), "{error:?}");
    }

    #[test]
    fn everything_that_is_wrong_is_said_precisely() {
        let text = "fn main() {\n    let count = 1;\n    let total = count;\n}\nx\nx\n";
        let edits =
            [edit("let cuont = 1;", "y"), edit("x", "y"), edit("let  total  = count;", "y"), edit("", "y")];
        assert_eq!(
            apply(text, &edits).unwrap_err(),
            [
                "edit 1: `old` is not in the file. Most like `let cuont = 1;` are:\n  2\t    let count = 1;",
                "edit 2: `old` occurs 2 times, at lines 5, 6: add lines around it until it is unique, or set `all`",
                "edit 3: `old` is not in the file, but line 3 differs from it only in white space: copy it exactly",
                "edit 4: `old` is empty: say which text is to be replaced",
            ]
        );
    }
}
