//! Markdown for a person at a terminal: headings and emphasis in colour, paragraphs broken at its width. Without a
//! terminal it stays as it is.

use crate::ui;
use crate::wrap::wrapped;

/// A text from outside, as it is shown.
pub(crate) fn markdown(text: &str, width: Option<usize>) -> String {
    let text = ui::clean(text);
    let Some(width) = width else { return text };
    let mut is_code = false;
    text.lines().map(|line| rendered(line, &mut is_code, width)).collect::<Vec<_>>().join("\n")
}

/// Markdown that comes in pieces, for a terminal. Only the end of a line says what it is: until then it may change.
#[derive(Default, Clone)]
pub(super) struct LiveMarkdown {
    line: String,
    /// Rows of the open line that are shown for good.
    settled: usize,
    is_code: bool,
}

impl LiveMarkdown {
    /// What is certain when this piece has come: whole lines.
    pub(super) fn push(&mut self, piece: &str, width: usize) -> String {
        self.line.push_str(piece);
        let Some(end) = self.line.rfind('\n') else { return String::new() };
        let rest = self.line.split_off(end + 1);
        let lines = std::mem::replace(&mut self.line, rest);
        lines.lines().map(|line| self.unsettled(line, width) + "\n").collect()
    }

    /// The first rows of an open line that has more than `limit`: only so many can be taken back.
    pub(super) fn settle(&mut self, width: usize, limit: usize) -> String {
        let (mut open, line) = (self.clone(), self.line.clone());
        let rendered = open.unsettled(&line, width);
        let rows: Vec<&str> = rendered.split('\n').collect();
        if rows.len() <= limit {
            return String::new();
        }
        let certain = rows.len() - limit.div_ceil(2);
        self.settled += certain;
        rows.into_iter().take(certain).flat_map(|row| [row, "\n"]).collect()
    }

    /// The open line. The next piece is of another text.
    pub(super) fn finish(&mut self, width: usize) -> String {
        let mut open = std::mem::take(self);
        let line = std::mem::take(&mut open.line);
        if line.is_empty() { line } else { open.unsettled(&line, width) }
    }

    fn unsettled(&mut self, line: &str, width: usize) -> String {
        let rendered = rendered(line, &mut self.is_code, width);
        let settled = std::mem::take(&mut self.settled);
        rendered.splitn(settled + 1, '\n').nth(settled).unwrap_or_default().to_owned()
    }
}

fn rendered(line: &str, is_code: &mut bool, width: usize) -> String {
    if line.trim_start().starts_with("```") {
        *is_code = !*is_code;
        return ui::dim(line);
    }
    if *is_code { ui::painted(ui::BUSY, line) } else { prose(line, width) }
}

fn prose(line: &str, width: usize) -> String {
    let heading = line.trim_start_matches('#');
    if heading.len() < line.len() && heading.starts_with(' ') {
        return wrapped(&ui::bold(heading.trim()), 0, Some(width));
    }
    let indent = line.len() - line.trim_start().len();
    let marker = marker_of(line.get(indent..).unwrap_or_default());
    let (head, body) = line.split_at(indent + marker);
    format!("{head}{}", wrapped(&emphasised(body), indent + marker, Some(width)))
}

/// How long the mark of a list's item is.
fn marker_of(line: &str) -> usize {
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    match line.get(digits..).unwrap_or_default() {
        rest if digits > 0 && rest.starts_with(". ") => digits + 2,
        rest if digits == 0 && (rest.starts_with("- ") || rest.starts_with("* ")) => 2,
        _ => 0,
    }
}

/// `**bold**` and code between backquotes, where they begin and end on this line.
fn emphasised(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(place) = rest.find(['`', '*']) {
        let (before, from) = rest.split_at(place);
        shown.push_str(before);
        let mark = if from.starts_with('`') { "`" } else { "**" };
        let inner = from.strip_prefix(mark).and_then(|from| from.split_once(mark));
        match inner.filter(|(inner, _)| !inner.is_empty()) {
            Some((inner, after)) => {
                // Colours end with each word, so that a line can be broken between them.
                let words = inner.split(' ').map(|word| match mark {
                    "`" => ui::painted(ui::BUSY, word),
                    _ => ui::bold(word),
                });
                shown.push_str(&words.collect::<Vec<_>>().join(" "));
                rest = after;
            }
            None => {
                let (sign, after) = from.split_at(1);
                shown.push_str(sign);
                rest = after;
            }
        }
    }
    shown + rest
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;

    use super::*;

    #[test]
    fn a_plan_is_broken_at_words_and_keeps_its_lists_and_code() {
        let plan = "# The goal\n\nIt adds **two whole** numbers with `calc.sh`, a * b.\n- [ ] one two three four five six\n```sh\nthis line of code is longer than that\n```\n1. first";
        let shown = markdown(plan, Some(30));
        assert_eq!(
            strip_str(&shown).to_string(),
            "The goal\n\nIt adds two whole numbers with\ncalc.sh, a * b.\n- [ ] one two three four five\n  six\n```sh\nthis line of code is longer than that\n```\n1. first"
        );
        assert!(shown.contains("\x1b[1m"), "{shown:?}");
        assert_eq!(markdown(plan, None), plan);
    }

    #[test]
    fn pieces_come_to_the_same_as_the_whole() {
        let text = "# Done\n\nIt **adds** now:\n```sh\n./calc.sh 2 **3**\n```\n- `calc.sh` only";
        let mut live = LiveMarkdown::default();
        let pieces: Vec<char> = text.chars().collect();
        let mut shown: String =
            pieces.chunks(3).map(|piece| live.push(&String::from_iter(piece), 30)).collect();
        assert!(strip_str(&shown).to_string().ends_with("```\n"), "the last line may continue: {shown}");
        shown += &live.finish(30);
        assert_eq!(shown, markdown(text, Some(30)));
        assert_eq!(live.finish(30), "");
    }

    #[test]
    fn a_long_line_settles_from_its_beginning_and_comes_to_the_same() {
        let text = "one **two** three `four` five six seven eight nine ten";
        let mut live = LiveMarkdown::default();
        let mut shown = String::new();
        for word in text.split_inclusive(' ') {
            shown += &live.push(word, 12);
            shown += &live.settle(12, 2);
            let open = live.clone().finish(12);
            assert!(open.lines().count() <= 2, "{open}");
            let known: String = (shown.clone() + &open).split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(strip_str(&known).to_string().ends_with(word.trim().trim_matches(['*', '`'])), "{known}");
        }
        assert_eq!(shown + &live.push("\n", 12), markdown(text, Some(12)) + "\n");
    }

    #[test]
    fn what_is_not_closed_stays_as_it_is() {
        for text in ["a ` b", "**", "2 ** 3", "``", "#hash", "- "] {
            assert_eq!(strip_str(&markdown(text, Some(80))).to_string(), text);
        }
    }
}
