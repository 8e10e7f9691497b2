//! Files of the home that people write, with line and column of every problem.

use std::path::Path;

use amelia_core::config::problem::ConfigProblem;
use amelia_wire::read::{Incoming, read};
use amelia_yaml::problem::{FileProblem, steps};
use anyhow::Context as _;
use serde_json::Value;

use crate::home::Home;
use crate::refused_file::RefusedFile;

/// Reads a file below the home; `None` if there is none.
pub(crate) fn read_file<W: Incoming>(
    home: &Home,
    name: &str,
    schema: &Value,
) -> Result<Option<W::Core>, RefusedFile> {
    read_path::<W>(&home.path().join(name), schema)
}

/// Reads a file; `None` if there is none. One in which nothing is set has the defaults.
pub(crate) fn read_path<W: Incoming>(path: &Path, schema: &Value) -> Result<Option<W::Core>, RefusedFile> {
    let refused = |problems| RefusedFile { path: path.to_owned(), problems };
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(RefusedFile::at_start(path, error.to_string())),
    };
    let says_nothing = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    let text = if text.lines().all(says_nothing) { "{}" } else { &text };
    let (document, tree) = amelia_yaml::read::<Value>(text, schema).map_err(refused)?;
    let read = read::<W>(document).map_err(|problems| {
        let at = |problem: &ConfigProblem| FileProblem::at(&tree, &steps(&problem.path), &problem.message);
        refused(problems.0.iter().map(at).collect())
    });
    read.map(Some)
}

/// Writes a file, all or nothing: a reader, and a crash, see the old one or the new one.
pub(crate) fn write_whole(path: &Path, text: &str) -> anyhow::Result<()> {
    let file = new_file(path, text)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// Writes a file that can be made again at any time. A reader sees the old one or the new one; it does not wait for the
/// disk.
pub(crate) fn write_copy(path: &Path, text: &str) -> anyhow::Result<()> {
    new_file(path, text)?.persist(path)?;
    Ok(())
}

/// The content of `path`, not yet under its name.
fn new_file(path: &Path, text: &str) -> anyhow::Result<tempfile::NamedTempFile> {
    let directory = path.parent().context("the path has no directory")?;
    std::fs::create_dir_all(directory)?;
    let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(directory)?;
    std::io::Write::write_all(&mut file, text.as_bytes())?;
    Ok(file)
}
