//! Text that comes in pieces, broken between words where the terminal ends, and indented below who says it. Pure.

use anstream::adapter::strip_str;
use unicode_width::UnicodeWidthStr as _;

#[derive(Clone)]
pub(crate) struct Wrap {
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
    pub(crate) fn new(indent: usize, width: Option<usize>) -> Self {
        let (gap, word) = (String::new(), String::new());
        Self { indent, width, column: indent, is_fresh: false, gap, word }
    }

    /// For text that begins elsewhere: at the left edge, or behind a label of another width.
    pub(crate) fn begin_at(self, column: usize) -> Self {
        Self { column, ..self }
    }

    /// What can be shown of a text when this piece has come.
    pub(crate) fn push(&mut self, piece: &str) -> String {
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
    pub(crate) fn finish(&mut self) -> String {
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
pub(crate) fn wrapped(text: &str, indent: usize, width: Option<usize>) -> String {
    let mut wrap = Wrap::new(indent, width);
    wrap.push(text) + &wrap.finish()
}

/// Whole lines, each broken where the terminal ends. What is broken off stands `hang` columns deeper than its line.
pub(crate) fn fitted(text: &str, hang: usize, width: Option<usize>) -> String {
    let Some(width) = width else { return text.to_owned() };
    let line = |line: &str| {
        let plain = strip_str(line).to_string();
        let depth = plain.len() - plain.trim_start_matches(' ').len();
        let mut wrap = Wrap::new(depth + hang, Some(width)).begin_at(0);
        wrap.push(line) + &wrap.finish()
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// A command for a shell behind a label as wide as the indentation. Lines end so that all of them can be pasted.
pub(crate) fn command(command: &str, indent: usize, width: Option<usize>) -> String {
    /// Stands for a blank between quotes, where no line may end.
    const BLANK: char = '\u{E000}';
    let is_short = width.is_none_or(|width| indent + command.width() <= width);
    if is_short {
        return command.to_owned();
    }
    let mut quote = None;
    let whole = command.chars().map(|c| {
        quote = match quote {
            None => ['\'', '"'].into_iter().find(|mark| *mark == c),
            Some(open) => Some(open).filter(|open| *open != c),
        };
        if quote.is_some() && c == ' ' { BLANK } else { c }
    });
    let room = width.map(|width| width.saturating_sub(" \\".len()));
    wrapped(&whole.collect::<String>(), indent, room).replace('\n', " \\\n").replace(BLANK, " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_broken_continues_deeper_than_it_began() {
        let text = "one two three\n  - four five six\nshort";
        assert_eq!(fitted(text, 2, Some(11)), "one two\n  three\n  - four\n    five\n    six\nshort");
        assert_eq!(fitted(text, 2, None), text);
        let painted = "\x1b[32m✓\x1b[0m \x1b[1mname  \x1b[0m one two three";
        assert_eq!(strip_str(&fitted(painted, 8, Some(16))).to_string(), "✓ name   one two\n        three");
    }

    #[test]
    fn a_command_of_several_lines_can_be_pasted() {
        let undo = "git -C '/a b/c' reset --keep 0123";
        assert_eq!(command(undo, 6, Some(40)), undo);
        assert_eq!(command(undo, 6, Some(24)), "git -C '/a b/c' \\\n      reset --keep \\\n      0123");
        assert_eq!(command(undo, 6, None), undo);
        let double = "git -C \"/it's b/c\" reset";
        assert_eq!(command(double, 6, Some(24)), "git -C \\\n      \"/it's b/c\" \\\n      reset");
    }

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
