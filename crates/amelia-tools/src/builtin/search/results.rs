//! Matches as they are found, in ripgrep's own form, up to a limit.

use std::fs::File;
use std::io;

use amelia_core::text::capped;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};

/// Bytes shown of one line.
const LINE: usize = 500;
/// Bytes shown in all.
const OUTPUT: usize = 28_000;

/// What has been found so far.
pub(super) struct SearchResults {
    text: String,
    matches: usize,
    limit: usize,
    has_context: bool,
    is_cut: bool,
}

impl SearchResults {
    pub(super) fn new(limit: usize, has_context: bool) -> Self {
        Self { text: String::new(), matches: 0, limit, has_context, is_cut: false }
    }

    pub(super) fn is_full(&self) -> bool {
        self.is_cut
    }

    pub(super) fn in_file(
        &mut self,
        file: Option<File>,
        path: &str,
        pattern: &RegexMatcher,
        searcher: &mut Searcher,
    ) {
        let Some(file) = file else { return };
        let mut lines = Lines { found: self, path, begins: true };
        if let Err(error) = searcher.search_file(pattern, &file, &mut lines) {
            // What was found in it before stays; a line too long to search is said, not hidden.
            self.text.push_str(&format!("{path}: not searched to its end: {error}\n"));
        }
    }

    pub(super) fn text(mut self) -> String {
        if self.is_cut {
            self.text.push_str("… there is more: narrow the pattern, the path or the glob …\n");
        }
        if self.text.is_empty() { "no matches".to_owned() } else { self.text }
    }

    fn add(&mut self, path: &str, mark: char, number: Option<u64>, line: &[u8]) {
        let line = String::from_utf8_lossy(line);
        let line = capped(line.trim_end_matches(['\n', '\r']), LINE);
        self.text.push_str(&format!("{path}{mark}{}{mark}{line}\n", number.unwrap_or(0)));
    }
}

struct Lines<'a> {
    found: &'a mut SearchResults,
    path: &'a str,
    begins: bool,
}

impl Lines<'_> {
    fn separate(&mut self) {
        if std::mem::take(&mut self.begins) && self.found.has_context && !self.found.text.is_empty() {
            self.found.text.push_str("--\n");
        }
    }
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, hit: &SinkMatch<'_>) -> io::Result<bool> {
        if self.found.matches == self.found.limit || self.found.text.len() > OUTPUT {
            self.found.is_cut = true;
            return Ok(false);
        }
        self.separate();
        self.found.add(self.path, ':', hit.line_number(), hit.bytes());
        self.found.matches += 1;
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, line: &SinkContext<'_>) -> io::Result<bool> {
        self.separate();
        self.found.add(self.path, '-', line.line_number(), line.bytes());
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> io::Result<bool> {
        self.found.text.push_str("--\n");
        Ok(true)
    }
}
