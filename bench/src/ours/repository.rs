//! A git repository of any size, made quickly: `git fast-import`, then one checkout.

use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

/// A directory of the repository holds so many files.
const FILES_OF_DIRECTORY: usize = 100;

/// A checkout of `files` small files, all different, in one commit.
pub(super) fn make(checkout: &Path, files: usize) -> Result<()> {
    std::fs::create_dir_all(checkout)?;
    git(checkout, &["init", "--quiet", "--initial-branch", "main"])?;
    let mut import = Command::new("git")
        .args(["fast-import", "--quiet"])
        .current_dir(checkout)
        .stdin(Stdio::piped())
        .spawn()
        .context("while starting git")?;
    let mut input = BufWriter::new(import.stdin.take().context("git takes no input")?);
    write!(
        input,
        "commit refs/heads/main\ncommitter bench <bench@localhost> 1700000000 +0000\ndata 5\nfiles\n"
    )?;
    for file in 0..files {
        let text = format!("line {file}\n").repeat(40);
        let directory = file / FILES_OF_DIRECTORY;
        write!(input, "M 100644 inline d{directory}/f{file}.txt\ndata {}\n{text}\n", text.len())?;
    }
    input.flush()?;
    drop(input);
    ensure!(import.wait()?.success(), "git fast-import failed");
    git(checkout, &["reset", "--quiet", "--hard"])
}

/// Runs git to its end.
pub(super) fn git(dir: &Path, args: &[&str]) -> Result<()> {
    let status = Command::new("git").args(args).current_dir(dir).status().context("while starting git")?;
    ensure!(status.success(), "git {} failed", args.join(" "));
    Ok(())
}
