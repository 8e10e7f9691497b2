//! The lowest rows of a terminal: words that may still change, and the status line below them. They are taken back before
//! anything else is written. Pure: it returns what to write.

use anstream::adapter::strip_str;
use unicode_width::UnicodeWidthStr as _;

/// A word that is too long is cut at the edge: rows that are taken back must be counted exactly.
const WRAP_OFF: &str = "\x1b[?7l";
const WRAP_ON: &str = "\x1b[?7h";
/// Removes everything from the cursor to the end of the screen.
const ERASE_BELOW: &str = "\x1b[J";

#[derive(Default)]
pub(super) struct LiveArea {
    /// What has been written for good on the row where the next words begin.
    row: String,
    /// How many rows the cursor stands below the first one that is written again.
    below: usize,
    is_drawn: bool,
}

impl LiveArea {
    pub(super) fn is_drawn(&self) -> bool {
        self.is_drawn
    }

    /// Takes back what may change, and writes behind what stays.
    pub(super) fn write(&mut self, text: &str) -> String {
        let out = self.wipe() + text;
        match text.rsplit_once('\n') {
            Some((_, row)) => row.clone_into(&mut self.row),
            None => self.row.push_str(text),
        }
        out
    }

    /// Takes back what may change. The cursor stands behind what stays.
    pub(super) fn wipe(&mut self) -> String {
        if !std::mem::take(&mut self.is_drawn) {
            return String::new();
        }
        let up = match std::mem::take(&mut self.below) {
            0 => String::new(),
            rows => format!("\x1b[{rows}A"),
        };
        format!("\r{up}{ERASE_BELOW}{}", self.row)
    }

    /// Writes words that may change, and the status below them.
    pub(super) fn draw(&mut self, words: &str, status: &str, columns: usize) -> String {
        let mut out = self.wipe();
        if !words.is_empty() {
            out += &format!("{WRAP_OFF}{words}{WRAP_ON}");
        }
        let is_below = !self.row.is_empty() || !words.is_empty();
        if is_below && !status.is_empty() {
            out.push('\n');
        }
        out += status;
        let of_row = strip_str(&self.row).to_string().width().saturating_sub(1) / columns.max(1);
        self.below = of_row + words.matches('\n').count() + usize::from(is_below && !status.is_empty());
        self.is_drawn = !words.is_empty() || !status.is_empty();
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_change_is_taken_back_from_the_row_where_it_began() {
        let mut area = LiveArea::default();
        assert_eq!(area.draw("", "⠋ 1 s", 80), "⠋ 1 s");
        assert_eq!(area.write("Developer   "), "\r\x1b[JDeveloper   ");
        let drawn = area.draw("It\n            adds", "⠙ 1 s", 80);
        assert_eq!(drawn, "\x1b[?7lIt\n            adds\x1b[?7h\n⠙ 1 s");
        assert_eq!(
            area.write("It adds.\n"),
            "\r\x1b[2A\x1b[JDeveloper   It adds.\n",
            "the name is written again"
        );
        assert_eq!(area.draw("", "⠹ 1 s", 80), "⠹ 1 s", "the cursor stands on an empty row");
        assert_eq!(area.wipe(), "\r\x1b[J");
        assert_eq!(area.wipe(), "", "there is nothing to take back");
    }

    #[test]
    fn a_word_that_is_longer_than_the_terminal_has_several_rows() {
        let mut area = LiveArea::default();
        area.write(&"x".repeat(25));
        area.draw("", "⠋", 10);
        assert!(area.wipe().starts_with("\r\x1b[3A\x1b[J"));
    }
}
