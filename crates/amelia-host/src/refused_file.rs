//! A file of a person that cannot be used.

use std::fmt;
use std::path::{Path, PathBuf};

use amelia_yaml::problem::FileProblem;

/// A file that cannot be used, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedFile {
    pub path: PathBuf,
    pub problems: Vec<FileProblem>,
}

impl RefusedFile {
    #[must_use]
    pub fn of(path: &Path, problems: Vec<FileProblem>) -> Self {
        Self { path: path.to_owned(), problems }
    }

    /// A file of which nothing else is known.
    pub(crate) fn at_start(path: &Path, message: String) -> Self {
        let problem = FileProblem { line: 1, column: 1, path: String::new(), message };
        Self { path: path.to_owned(), problems: vec![problem] }
    }
}

impl fmt::Display for RefusedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            let end = if index == 0 { "" } else { "\n" };
            write!(f, "{end}{}:{problem}", self.path.display())?;
        }
        Ok(())
    }
}
