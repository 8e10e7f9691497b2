//! Files in which a repository says how people work in it: which there are, and which count for some files.

use serde::{Deserialize, Serialize};

/// Names of such files, the first one first when a directory has both.
const NAMES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];
/// Bytes of one file that prompts include.
const MAX_FILE_BYTES: usize = 16 * 1024;
/// Bytes of all of them that are kept. What comes later is only named.
const MAX_BYTES: usize = 64 * 1024;

/// Such a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Convention {
    pub path: String,
    /// Nothing when there was no room for it.
    pub text: Option<String>,
    /// Only the beginning is here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
}

impl Convention {
    /// The directory that it is about, with a slash at its end; empty for the root.
    #[must_use]
    pub fn directory(&self) -> &str {
        self.path.rfind('/').and_then(|end| self.path.get(..=end)).unwrap_or_default()
    }

    /// Whether it says something about one of these files.
    #[must_use]
    pub fn covers<S: AsRef<str>>(&self, touched: &[S]) -> bool {
        let directory = self.directory();
        directory.is_empty() || touched.iter().any(|path| path.as_ref().starts_with(directory))
    }
}

/// Whether a path is that of such a file.
#[must_use]
pub fn is_convention(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| NAMES.contains(&name))
}

/// Files with their texts, bounded: those nearest to the root first. One that says the same as its neighbour, or only
/// points to it, is left out.
#[must_use]
pub fn conventions<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<Convention> {
    let mut files: Vec<(&str, &str)> =
        files.into_iter().filter(|(_, text)| !text.trim().is_empty()).collect();
    files.sort_by_key(|(path, _)| (path.matches('/').count(), *path));
    let mut kept: Vec<Convention> = Vec::new();
    let mut left = MAX_BYTES;
    for (path, text) in files {
        let whole = text.trim();
        let text = beginning(whole, MAX_FILE_BYTES);
        let file = Convention { path: path.to_owned(), text: None, is_cut: text.len() < whole.len() };
        let repeats = |other: &&Convention| {
            other.directory() == file.directory()
                && (other.text.as_deref() == Some(text) || whole.strip_prefix('@') == Some(NAMES[0]))
        };
        if kept.iter().any(|other| repeats(&other)) {
            continue;
        }
        let has_room = text.len() <= left;
        left = if has_room { left - text.len() } else { 0 };
        kept.push(Convention {
            text: has_room.then(|| text.to_owned()),
            is_cut: file.is_cut && has_room,
            ..file
        });
    }
    kept
}

/// At most `limit` bytes, cut at a character.
fn beginning(text: &str, limit: usize) -> &str {
    let end = (0..=limit.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text.get(..end.unwrap_or(0)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(files: &[Convention]) -> Vec<(&str, Option<usize>)> {
        files.iter().map(|file| (file.path.as_str(), file.text.as_ref().map(String::len))).collect()
    }

    #[test]
    fn the_root_comes_first_and_what_is_said_twice_counts_once() {
        let files = conventions([
            ("AGENTS.md", "Use tabs.\n"),
            ("CLAUDE.md", "@AGENTS.md\n"),
            ("a/b/AGENTS.md", "deep"),
            ("a/AGENTS.md", "same"),
            ("a/CLAUDE.md", "same"),
            ("b/CLAUDE.md", " "),
        ]);
        assert_eq!(
            paths(&files),
            [("AGENTS.md", Some(9)), ("a/AGENTS.md", Some(4)), ("a/b/AGENTS.md", Some(4))]
        );
    }

    #[test]
    fn no_file_and_no_number_of_files_is_too_much() {
        let large = "é".repeat(MAX_FILE_BYTES);
        let names: Vec<String> = (0..6).map(|number| format!("d{number}/AGENTS.md")).collect();
        let files = conventions(names.iter().map(|name| (name.as_str(), large.as_str())));
        let with_text = files.iter().filter(|file| file.text.is_some()).count();
        assert_eq!((files.len(), with_text), (6, 4));
        assert!(files.iter().filter_map(|file| file.text.as_ref()).all(|text| text.len() <= MAX_FILE_BYTES));
        assert!(files[0].is_cut);
    }

    #[test]
    fn a_file_covers_what_is_below_it() {
        let file = |path: &str| Convention { path: path.to_owned(), text: None, is_cut: false };
        assert!(file("AGENTS.md").covers::<&str>(&[]));
        assert!(file("a/AGENTS.md").covers(&["a/b/c.rs"]));
        assert!(!file("a/AGENTS.md").covers(&["ab/c.rs", "c.rs"]));
    }
}
