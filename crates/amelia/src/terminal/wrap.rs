//! Text that comes in pieces, broken between words where the terminal ends, and indented below who says it. Pure.

use anstream::adapter::strip_str;
use unicode_width::UnicodeWidthStr as _;

pub(super) struct Wrap {
    indent: usize,
    /// Columns of the terminal; nothing breaks a line without one.
    width: Option<usize>,
    column: usize,
    /// The indentation of this line is still to come.
    is_fresh: bool,
    /// A word of which more may come, and the blanks before it.
    gap: String,
    word: String,
}

impl Wrap {
    /// For text that begins behind a label as wide as the indentation.
    pub(super) fn new(indent: usize, width: Option<usize>) -> Self {
        let (gap, word) = (String::new(), String::new());
        Self { indent, width, column: indent, is_fresh: false, gap, word }
    }

    /// What can be shown of a text when this piece has come.
    pub(super) fn push(&mut self, piece: &str) -> String {
        let mut shown = String::new();
        for c in piece.chars() {
            match c {
                '\n' => {
                    self.flush(&mut shown);
                    self.gap.clear();
                    self.break_line(&mut shown);
                }
                ' ' | '\t' => {
                    self.flush(&mut shown);
                    self.gap.push(c);
                }
                c => self.word.push(c),
            }
        }
        shown
    }

    /// What was held back.
    pub(super) fn finish(&mut self) -> String {
        let mut shown = String::new();
        self.flush(&mut shown);
        shown
    }

    fn flush(&mut self, shown: &mut String) {
        if self.word.is_empty() {
            return;
        }
        // Colours take no room.
        let wide = strip_str(&self.word).to_string().width();
        let is_full = self.width.is_some_and(|width| self.column + self.gap.width() + wide > width);
        // A word that is too long for every line is left to the terminal.
        if is_full && self.column > self.indent {
            self.gap.clear();
            self.break_line(shown);
        }
        if std::mem::take(&mut self.is_fresh) {
            shown.push_str(&" ".repeat(self.indent));
        }
        shown.push_str(&self.gap);
        shown.push_str(&self.word);
        self.column += self.gap.width() + wide;
        self.gap.clear();
        self.word.clear();
    }

    fn break_line(&mut self, shown: &mut String) {
        shown.push('\n');
        self.column = self.indent;
        self.is_fresh = true;
    }
}

/// A whole text.
pub(super) fn wrapped(text: &str, indent: usize, width: Option<usize>) -> String {
    let mut wrap = Wrap::new(indent, width);
    wrap.push(text) + &wrap.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_break_where_the_line_ends_however_they_come() {
        let text = "one two  three\n\n    code four fives";
        let expected = "one two\n  three\n\n      code\n  four\n  fives";
        assert_eq!(wrapped(text, 2, Some(10)), expected);
        for size in 1..text.len() {
            let mut wrap = Wrap::new(2, Some(10));
            let pieces: Vec<char> = text.chars().collect();
            let shown: String =
                pieces.chunks(size).map(|piece| wrap.push(&piece.iter().collect::<String>())).collect();
            assert_eq!(shown + &wrap.finish(), expected, "in pieces of {size}");
        }
    }

    #[test]
    fn wide_characters_count_twice_and_long_words_stay_whole() {
        assert_eq!(wrapped("ab 日本 c", 0, Some(6)), "ab\n日本 c");
        assert_eq!(wrapped("a verylongword b", 1, Some(6)), "a\n verylongword\n b");
        let green = "\x1b[32mone\x1b[0m two";
        assert_eq!(wrapped(green, 0, Some(7)), green);
    }

    #[test]
    fn without_a_terminal_lines_stay_as_they_are() {
        assert_eq!(wrapped("one two three four five\nsix", 2, None), "one two three four five\n  six");
    }
}
