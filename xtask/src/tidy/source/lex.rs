//! The cutter behind `Source`: one pass over the characters, no lookback beyond the current token.

use super::SourceText;

#[derive(Default)]
pub(super) struct Cut {
    pub(super) code: String,
    pub(super) strings: Vec<SourceText>,
    pub(super) comments: Vec<SourceText>,
}

pub(super) fn cut(text: &str) -> Cut {
    let mut lexer = Lexer { rest: text, line: 1, after_word: false, cut: Cut::default() };
    while !lexer.rest.is_empty() {
        lexer.token();
    }
    lexer.cut
}

struct Lexer<'a> {
    rest: &'a str,
    line: usize,
    /// The character before was part of a word: an `r` here is not the start of a raw string.
    after_word: bool,
    cut: Cut,
}

impl Lexer<'_> {
    fn token(&mut self) {
        if self.rest.starts_with("//") {
            let end = self.rest.find('\n').unwrap_or(self.rest.len());
            self.comment(end);
        } else if self.rest.starts_with("/*") {
            self.comment(block_comment_len(self.rest));
        } else if let Some((prefix, length, suffix)) = string_parts(self.rest, self.after_word) {
            self.keep(prefix);
            let piece =
                SourceText { line: self.line, text: self.rest.get(..length).unwrap_or_default().to_owned() };
            self.cut.strings.push(piece);
            self.blank(length);
            self.keep(suffix);
            self.after_word = false;
        } else if let Some(length) = char_literal_len(self.rest) {
            self.blank(length);
            self.after_word = false;
        } else {
            let next = self.rest.chars().next().unwrap_or_default();
            self.after_word = next.is_alphanumeric() || next == '_';
            self.keep(next.len_utf8());
        }
    }

    fn comment(&mut self, length: usize) {
        let text = self.rest.get(..length).unwrap_or_default();
        for (index, line) in text.lines().enumerate() {
            self.cut.comments.push(SourceText { line: self.line + index, text: line.to_owned() });
        }
        self.blank(length);
        self.after_word = false;
    }

    fn keep(&mut self, length: usize) {
        self.take(length, |c| c);
    }

    fn blank(&mut self, length: usize) {
        self.take(length, |c| if c == '\n' { '\n' } else { ' ' });
    }

    /// Moves `length` bytes to the code, at least one character, so that every call makes progress or there is no rest.
    fn take(&mut self, length: usize, shown: impl Fn(char) -> char) {
        let (taken, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.line += taken.matches('\n').count();
        self.cut.code.extend(taken.chars().map(shown));
        self.rest = rest;
    }
}

/// Rust's block comments nest.
fn block_comment_len(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0_usize);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// Byte lengths of opening (`r#"`), content and closing (`"#`) when `text` starts with a string literal.
fn string_parts(text: &str, after_word: bool) -> Option<(usize, usize, usize)> {
    let letters =
        if after_word { 0 } else { text.chars().take_while(|c| matches!(c, 'b' | 'c' | 'r')).count() };
    let (prefix, tail) = text.split_at_checked(letters)?;
    if !prefix.contains('r') {
        let content = tail.strip_prefix('"')?;
        let length = plain_string_len(content);
        return Some((letters + 1, length, usize::from(length < content.len())));
    }
    let hashes = tail.chars().take_while(|c| *c == '#').count();
    let content = tail.get(hashes..)?.strip_prefix('"')?;
    let closing = format!("\"{}", "#".repeat(hashes));
    match content.find(&closing) {
        Some(length) => Some((letters + hashes + 1, length, closing.len())),
        None => Some((letters + hashes + 1, content.len(), 0)),
    }
}

/// Up to the closing quote, not counting it.
fn plain_string_len(content: &str) -> usize {
    let mut escaped = false;
    for (at, character) in content.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at,
            _ => {}
        }
    }
    content.len()
}

/// `'{'` and `'\n'` are literals, `'a` in `&'a str` is not: a lifetime has no quote right after its first character.
fn char_literal_len(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('\'')?;
    if let Some(escape) = inside.strip_prefix('\\') {
        let first = escape.chars().next()?.len_utf8();
        let close = escape.get(first..)?.find('\'')?;
        return Some(2 + first + close + 1);
    }
    let first = inside.chars().next()?.len_utf8();
    inside.get(first..)?.starts_with('\'').then_some(1 + first + 1)
}
