//! A text that a person writes: in their own editor, or in a file.

use std::path::Path;

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

/// The text of a file; `-` is standard input.
pub(super) fn text_of(file: &Path) -> Result<String> {
    match file == Path::new("-") {
        true => std::io::read_to_string(std::io::stdin()).context("standard input is not UTF-8 text"),
        false => std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display())),
    }
}

/// Keeps a text that was typed, and says where.
pub(super) fn kept(text: &str, prefix: &str, suffix: &str) -> Result<std::path::PathBuf> {
    let mut file = tempfile::Builder::new().prefix(prefix).suffix(suffix).tempfile()?;
    std::io::Write::write_all(&mut file, text.as_bytes())?;
    Ok(file.keep()?.1)
}
