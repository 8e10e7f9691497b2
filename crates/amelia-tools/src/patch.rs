//! Patches as models write them: unified diffs and the `*** Begin Patch` format, read into one shape. Pure.
//!
//! Line counts in headers are hints at most: models miscount. What must be true is the text.

mod apply;
mod envelope;
mod unified;

#[cfg(test)]
mod tests;

pub(crate) use apply::apply;

/// What a patch does to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FilePatch {
    Add { path: String, content: String },
    Delete { path: String },
    Update { path: String, to: Option<String>, hunks: Vec<Hunk> },
}

/// One place in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Hunk {
    /// The header as written, to name the hunk by.
    pub(crate) header: String,
    /// The line of the old file where it begins, from 1.
    pub(crate) line: Option<usize>,
    /// A line that comes somewhere before it, and is not part of it.
    pub(crate) after: Option<String>,
    /// It is at the end of the file.
    pub(crate) is_at_end: bool,
    pub(crate) lines: Vec<PatchLine>,
    /// The file as it becomes ends without a line end.
    pub(crate) ends_open: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PatchLine {
    Keep(String),
    Remove(String),
    Insert(String),
}

/// Reads a patch of either format; the error says which line cannot be understood, and why.
pub(crate) fn parse(text: &str) -> Result<Vec<FilePatch>, String> {
    let changes = if text.lines().any(|line| line.trim_end() == envelope::BEGIN) {
        envelope::parse(text)?
    } else {
        unified::parse(text)?
    };
    if changes.is_empty() {
        return Err(
            "there is no change in this patch: expected `--- a/path`, `+++ b/path` and `@@` lines, or \
                    `*** Begin Patch` with `*** Update File: path`"
                .to_owned(),
        );
    }
    Ok(changes)
}

/// A line of a hunk by its first character; an empty line is an empty line that lost its blank.
fn hunk_line(line: &str) -> Option<PatchLine> {
    let mut rest = line.chars();
    match rest.next() {
        None => Some(PatchLine::Keep(String::new())),
        Some(' ') => Some(PatchLine::Keep(rest.as_str().to_owned())),
        Some('-') => Some(PatchLine::Remove(rest.as_str().to_owned())),
        Some('+') => Some(PatchLine::Insert(rest.as_str().to_owned())),
        Some(_) => None,
    }
}
