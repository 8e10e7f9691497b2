//! Why a script cannot be played.

use std::path::PathBuf;

use amelia_yaml::problem::FileProblem;

/// Why there is no script to play.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    #[error("script {}: {source}", file.display())]
    Unreadable { file: PathBuf, source: std::io::Error },
    /// One line per problem, `FILE:LINE:COLUMN: PATH: MESSAGE`.
    #[error("{}", listed(file.as_ref(), problems))]
    Refused { file: Option<PathBuf>, problems: Vec<FileProblem> },
}

fn listed(file: Option<&PathBuf>, problems: &[FileProblem]) -> String {
    let prefix = file.map(|file| format!("{}:", file.display())).unwrap_or_default();
    let lines: Vec<String> = problems.iter().map(|problem| format!("{prefix}{problem}")).collect();
    lines.join("\n")
}
