//! What can be wrong with a file, and where.

use std::fmt;

use serde_path_to_error::Segment;

/// One thing that is wrong in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileProblem {
    pub line: u64,
    pub column: u64,
    /// Such as `nodes.write.agent`; empty for the file as a whole.
    pub path: String,
    pub message: String,
}

impl fmt::Display for FileProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: ", self.line, self.column)?;
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

/// One step down into a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathStep {
    Key(String),
    Index(usize),
}

impl PathStep {
    /// A key of a mapping.
    #[must_use]
    pub fn key(name: &str) -> Self {
        Self::Key(name.to_owned())
    }

    /// The same step, as serde tells it.
    #[must_use]
    pub fn from_serde(segment: &Segment) -> Option<Self> {
        match segment {
            Segment::Seq { index } => Some(Self::Index(*index)),
            Segment::Map { key } => Some(Self::Key(key.clone())),
            Segment::Enum { variant } => Some(Self::Key(variant.clone())),
            Segment::Unknown => None,
        }
    }
}

/// The steps of a path that was written so.
#[must_use]
pub fn steps(path: &str) -> Vec<PathStep> {
    let mut steps = Vec::new();
    for part in path.split('.').filter(|part| !part.is_empty()) {
        let mut pieces = part.split('[');
        steps.extend(pieces.next().filter(|key| !key.is_empty()).map(PathStep::key));
        steps
            .extend(pieces.filter_map(|index| index.trim_end_matches(']').parse().ok()).map(PathStep::Index));
    }
    steps
}

/// A path as it is written: `edges[2].to`.
#[must_use]
pub fn written(path: &[PathStep]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            PathStep::Key(name) if text.is_empty() => text.push_str(name),
            PathStep::Key(name) => text.push_str(&format!(".{name}")),
            PathStep::Index(index) => text.push_str(&format!("[{index}]")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_read_as_it_is_written() {
        for path in ["", "name", "edges[2].to", "nodes.write.inputs[0]", "[3]"] {
            assert_eq!(written(&steps(path)), path);
        }
    }
}
