//! Small help with text that std does not have.

/// What stands where a secret stood.
pub const REDACTED: &str = "[redacted]";

/// At most `limit` bytes of `text`, cut at a character, from its middle: beginning and end matter most. Says how
/// much is missing.
#[must_use]
pub fn capped(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let head = floor(text, limit * 2 / 3);
    let tail = ceil(text, text.len() - limit / 3);
    let (start, end) = (text.get(..head).unwrap_or_default(), text.get(tail..).unwrap_or_default());
    format!("{start}\n… {} bytes left out …\n{end}", tail - head)
}

/// A commit as git shows it, the same everywhere.
#[must_use]
pub fn short_commit(commit: &str) -> &str {
    commit.get(..7).unwrap_or(commit)
}

/// The words of `text`, with one space between them.
#[must_use]
pub fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The innermost cause of an error: the one that helps. What is around it often repeats an address, which may carry a key.
#[must_use]
pub fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

fn floor(text: &str, mut index: usize) -> usize {
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}

fn ceil(text: &str, mut index: usize) -> usize {
    while !text.is_char_boundary(index) {
        index += 1;
    }
    index
}

/// Characters of the title of a run.
pub const LONGEST_TITLE: usize = 120;

/// Cuts text for a one-line summary.
pub(crate) fn one_line(text: &str) -> String {
    first_line(text, 120)
}

/// The first line that says something, cut to this many characters.
#[must_use]
pub fn first_line(text: &str, longest: usize) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let mut short: String = line.chars().take(longest).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_loses_its_middle_at_character_boundaries() {
        assert_eq!(capped("short", 10), "short");
        let cut = capped(&"é".repeat(100), 30);
        assert!(cut.starts_with("éééééééééé\n… 170 bytes left out …\né"), "{cut}");
        assert!(cut.ends_with("éé"));
    }
}
