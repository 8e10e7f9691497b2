//! Markdown for a person at a terminal: headings and emphasis in colour, paragraphs broken at its width. Without a
//! terminal it stays as it is.

use crate::ui;
use crate::wrap::wrapped;

/// A text from outside, as it is shown.
pub(crate) fn markdown(text: &str, width: Option<usize>) -> String {
    let text = ui::clean(text);
    let Some(width) = width else { return text };
    let mut is_code = false;
    let lines = text.lines().map(|line| {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
            return ui::dim(line);
        }
        if is_code { ui::painted(ui::BUSY, line) } else { prose(line, width) }
    });
    lines.collect::<Vec<_>>().join("\n")
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
    fn what_is_not_closed_stays_as_it_is() {
        for text in ["a ` b", "**", "2 ** 3", "``", "#hash", "- "] {
            assert_eq!(strip_str(&markdown(text, Some(80))).to_string(), text);
        }
    }
}
