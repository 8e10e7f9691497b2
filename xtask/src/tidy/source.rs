//! A Rust file cut into code, string literals and comments, line by line.
//!
//! A lexer, not a parser: enough to say "this word is code" or "this brace is in a string", so that rules
//! do not trip over their own text. It knows nothing of macros and never fails; odd input gives odd cuts.

mod lex;
#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;

/// Text with the line (from 1) it starts on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SourceText {
    pub(crate) line: usize,
    pub(crate) text: String,
}

pub(crate) struct SourceFile {
    pub(crate) path: String,
    /// First line as it is, for the header rule.
    pub(crate) opening: String,
    /// One string per line; what is not code is blanked with spaces, quotes stay.
    pub(crate) code: Vec<String>,
    pub(crate) strings: Vec<SourceText>,
    pub(crate) comments: Vec<SourceText>,
    tests: Vec<RangeInclusive<usize>>,
}

impl SourceFile {
    pub(crate) fn parse(path: &str, text: &str) -> Self {
        let cut = lex::cut(text);
        let code: Vec<String> = cut.code.lines().map(str::to_owned).collect();
        let tests = test_items(&code);
        let opening = text.lines().next().unwrap_or_default().to_owned();
        Self { path: path.to_owned(), opening, code, strings: cut.strings, comments: cut.comments, tests }
    }

    /// A file that holds only tests: exempt from most rules.
    pub(crate) fn is_test_file(&self) -> bool {
        let in_folder = self.path.split('/').rev().skip(1).any(|part| part == "tests");
        in_folder || self.path.ends_with("_tests.rs") || self.path.ends_with("/tests.rs")
    }

    /// Whether the line belongs to an item under `#[cfg(test)]`.
    pub(crate) fn is_test_line(&self, line: usize) -> bool {
        self.tests.iter().any(|range| range.contains(&line))
    }

    pub(crate) fn numbered_code(&self) -> impl Iterator<Item = (usize, &str)> {
        self.code.iter().enumerate().map(|(index, code)| (index + 1, code.as_str()))
    }
}

/// The last line of the item whose head is on `first`: its closing brace, or the `;` of an item without a body.
pub(crate) fn item_end(code: &[String], first: usize) -> Option<usize> {
    let (mut braces, mut brackets) = (0_usize, 0_usize);
    for (index, text) in code.iter().enumerate().skip(first.saturating_sub(1)) {
        for character in text.chars() {
            match character {
                '(' | '[' => brackets += 1,
                ')' | ']' => brackets = brackets.saturating_sub(1),
                '{' => braces += 1,
                '}' => {
                    braces = braces.saturating_sub(1);
                    if braces == 0 {
                        return Some(index + 1);
                    }
                }
                // `[u8; 4]` in a signature ends nothing.
                ';' if braces == 0 && brackets == 0 => return Some(index + 1),
                _ => {}
            }
        }
    }
    None
}

fn test_items(code: &[String]) -> Vec<RangeInclusive<usize>> {
    let mut found = Vec::new();
    for (index, text) in code.iter().enumerate() {
        if text.trim_start().starts_with("#[cfg(test)]") {
            let first = index + 1;
            found.push(first..=item_end(code, first).unwrap_or(code.len()));
        }
    }
    found
}

/// Words as Rust and JSON spell them: letters, digits and underscores.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}
