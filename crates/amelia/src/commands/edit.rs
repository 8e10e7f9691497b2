//! A text in the person's own editor.

use amelia_core::problem::Problem;
use anyhow::{Context, Result};

use crate::cli_error::{CliError, Exit};

/// The text as the person left it. What was typed is kept in a file when something goes wrong later.
pub(super) fn edited(text: &str, prefix: &str, suffix: &str) -> Result<String> {
    let mut file = tempfile::Builder::new().prefix(prefix).suffix(suffix).tempfile()?;
    std::io::Write::write_all(&mut file, text.as_bytes())?;
    let editor =
        std::env::var("VISUAL").or_else(|_| std::env::var("EDITOR")).unwrap_or_else(|_| "vi".to_owned());
    // An editor may be a command with arguments: `code --wait`.
    let status = std::process::Command::new("sh")
        .args(["-c", &format!("{editor} \"$1\""), "sh"])
        .arg(file.path())
        .status()
        .with_context(|| Problem::new(format!("`{editor}` cannot be started")).with_hint("set EDITOR"))?;
    if !status.success() {
        return Err(CliError::new(Exit::Failed, format!("`{editor}` failed: nothing has changed")).into());
    }
    std::fs::read_to_string(file.path()).context("the edited file is gone")
}

/// Keeps a text that was typed, and says where.
pub(super) fn kept(text: &str, prefix: &str, suffix: &str) -> Result<std::path::PathBuf> {
    let mut file = tempfile::Builder::new().prefix(prefix).suffix(suffix).tempfile()?;
    std::io::Write::write_all(&mut file, text.as_bytes())?;
    Ok(file.keep()?.1)
}
