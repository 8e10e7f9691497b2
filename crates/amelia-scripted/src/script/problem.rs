//! What can be wrong with a script, and where.

use std::fmt;
use std::path::PathBuf;

use serde_path_to_error::Segment;

/// One thing to mend in a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptProblem {
    pub line: u64,
    pub column: u64,
    /// Such as `rules[0].when.turn`; empty for the file as a whole.
    pub path: String,
    pub message: String,
}

impl fmt::Display for ScriptProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: ", self.line, self.column)?;
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

/// Why there is no script to play.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    #[error("script {}: {source}", file.display())]
    Unreadable { file: PathBuf, source: std::io::Error },
    /// One line per problem, `FILE:LINE:COLUMN: PATH: MESSAGE`.
    #[error("{}", listed(file.as_ref(), problems))]
    Refused { file: Option<PathBuf>, problems: Vec<ScriptProblem> },
}

fn listed(file: Option<&PathBuf>, problems: &[ScriptProblem]) -> String {
    let prefix = file.map(|file| format!("{}:", file.display())).unwrap_or_default();
    let lines: Vec<String> = problems.iter().map(|problem| format!("{prefix}{problem}")).collect();
    lines.join("\n")
}

/// One step down into a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    Key(String),
    Index(usize),
}

impl Step {
    pub(super) fn key(name: &str) -> Self {
        Self::Key(name.to_owned())
    }

    pub(super) fn from_serde(segment: &Segment) -> Option<Self> {
        match segment {
            Segment::Seq { index } => Some(Self::Index(*index)),
            Segment::Map { key } => Some(Self::Key(key.clone())),
            Segment::Enum { variant } => Some(Self::Key(variant.clone())),
            Segment::Unknown => None,
        }
    }
}

pub(super) fn written(path: &[Step]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Key(name) if text.is_empty() => text.push_str(name),
            Step::Key(name) => text.push_str(&format!(".{name}")),
            Step::Index(index) => text.push_str(&format!("[{index}]")),
        }
    }
    text
}
