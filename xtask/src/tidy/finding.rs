//! What a rule has to say about one line of one file.

use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    pub(crate) level: FindingLevel,
    pub(crate) path: String,
    /// Counted from 1.
    pub(crate) line: usize,
    pub(crate) message: String,
}

/// Notes sort first and errors last, so that errors stand where the eye is: at the end of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FindingLevel {
    /// Worth a thought, never fails the check.
    Note,
    Error,
}

impl Finding {
    pub(crate) fn error(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { level: FindingLevel::Error, path: path.to_owned(), line, message: message.into() }
    }

    pub(crate) fn note(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { level: FindingLevel::Note, path: path.to_owned(), line, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = match self.level {
            FindingLevel::Note => "note",
            FindingLevel::Error => "error",
        };
        write!(f, "{}:{}: {level}: {}", self.path, self.line, self.message)
    }
}
