//! The paths that a file names: `use crate::a::{b, c::D};` is `crate::a::b` and `crate::a::c::D`.

use super::super::source::SourceFile;

/// Every path that begins with `crate`, `super` or `self`, and its line; not those of tests.
pub(super) fn of(source: &SourceFile) -> Vec<(usize, Vec<String>)> {
    let lines = source.numbered_code();
    let code: Vec<&str> =
        lines.map(|(line, code)| if source.is_test_line(line) { "" } else { code }).collect();
    let code = code.join("\n");
    let mut found = Vec::new();
    for head in ["crate", "super", "self"] {
        for (place, _) in code.match_indices(head) {
            if !is_head(&code, place, head) {
                continue;
            }
            let line = code.get(..place).unwrap_or_default().matches('\n').count() + 1;
            let mut rest = Tokens(code.get(place..).unwrap_or_default());
            found.extend(tree(&mut rest, &[]).into_iter().map(|path| (line, path)));
        }
    }
    found
}

/// It begins a path, and is not the end of a longer word or path.
fn is_head(code: &str, place: usize, head: &str) -> bool {
    let before = code.get(..place).unwrap_or_default().chars().next_back();
    let after = code.get(place + head.len()..).unwrap_or_default();
    !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | ':')) && after.starts_with("::")
}

struct Tokens<'a>(&'a str);

impl<'a> Tokens<'a> {
    fn skip(&mut self, text: &str) -> bool {
        let rest = self.0.trim_start().strip_prefix(text);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn word(&mut self) -> Option<&'a str> {
        let text = self.0.trim_start();
        let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
        let (word, rest) = text.split_at_checked(end).filter(|(word, _)| !word.is_empty())?;
        self.0 = rest;
        Some(word)
    }
}

/// The paths of a tree as it is written after `use`, each below `base`.
fn tree(tokens: &mut Tokens<'_>, base: &[String]) -> Vec<Vec<String>> {
    let mut path = base.to_vec();
    while let Some(word) = tokens.word() {
        path.push(word.to_owned());
        if !tokens.skip("::") {
            // `as Name`, up to the next comma or brace.
            if tokens.skip("as ") {
                tokens.word();
            }
            return vec![path];
        }
    }
    if !tokens.skip("{") {
        return vec![path];
    }
    let mut found = Vec::new();
    while !tokens.skip("}") && !tokens.0.trim_start().is_empty() {
        let before = tokens.0.len();
        found.extend(tree(tokens, &path));
        tokens.skip("*");
        tokens.skip(",");
        if tokens.0.len() == before {
            break;
        }
    }
    found
}
