//! A file of a person that cannot be used.

use std::fmt;
use std::path::PathBuf;

use amelia_yaml::problem::FileProblem;

/// A file that cannot be used, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedFile {
    pub path: PathBuf,
    pub problems: Vec<FileProblem>,
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
