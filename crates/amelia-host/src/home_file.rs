//! Files of the home that people write, with line and column of every problem.

use std::path::Path;

use amelia_core::config::problem::ConfigProblem;
use amelia_wire::read::{Incoming, read};
use amelia_yaml::problem::{FileProblem, PathStep, steps};
use amelia_yaml::tree::{self, YamlData, YamlNode};
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
    let text = if text.lines().all(says_nothing) { "{}" } else { &text };
    let (document, tree) = amelia_yaml::read::<Value>(text, schema).map_err(refused)?;
    read::<W>(document.clone()).map(Some).map_err(|problems| refused(placed(&problems.0, &document, &tree)))
}

/// A text of YAML or JSON. One in which nothing is set is `empty`.
pub fn parse(path: &Path, text: &str, empty: Value) -> Result<(Value, YamlNode), RefusedFile> {
    if text.lines().all(says_nothing) {
        return Ok((empty, YamlNode { line: 1, column: 1, data: YamlData::Scalar(Value::Null) }));
    }
    let tree = tree::parse(text).map_err(|problem| RefusedFile::of(path, vec![problem]))?;
    Ok((tree.to_json(), tree))
}

fn says_nothing(line: &str) -> bool {
    line.trim().is_empty() || line.trim_start().starts_with('#')
}

/// The problems of a document at their places in the text that it was read from.
#[must_use]
pub fn placed(problems: &[ConfigProblem], document: &Value, tree: &YamlNode) -> Vec<FileProblem> {
    let at = |problem: &ConfigProblem| {
        FileProblem::at(tree, &as_written(steps(&problem.path), document), &problem.message)
    };
    problems.iter().map(at).collect()
}

/// A path in the words of the file: what is read as a list may be written as a mapping, whose keys stand for the numbers.
fn as_written(path: Vec<PathStep>, document: &Value) -> Vec<PathStep> {
    let mut place = Some(document);
    let step = |step: PathStep| {
        let step = match (step, place) {
            (PathStep::Index(index), Some(Value::Object(fields))) => match fields.keys().nth(index) {
                Some(key) => PathStep::key(key),
                None => PathStep::Index(index),
            },
            (step, _) => step,
        };
        place = place.and_then(|place| match &step {
            PathStep::Key(key) => place.get(key),
            PathStep::Index(index) => place.get(index),
        });
        step
    };
    path.into_iter().map(step).collect()
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

#[cfg(test)]
mod tests {
    use amelia_wire::maf::mcp::{McpConfig, mcp_schema};

    use super::*;

    #[test]
    fn a_problem_of_a_mapping_is_told_at_its_key() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let text = "servers:\n  b:\n    transport: sse\n    config: {url: 'ftp://example.org'}\n  a:\n    transport: stdio\n    config: {command: node}\n";
        std::fs::write(file.path(), text).unwrap();
        let refused = read_path::<McpConfig>(file.path(), mcp_schema()).unwrap_err();
        let [problem] = refused.problems.as_slice() else { panic!("{refused}") };
        assert_eq!((problem.line, problem.path.as_str()), (4, "servers.b.config.url"), "{problem}");
        let listed = "servers:\n  - name: b\n    transport: sse\n    config: {url: 'ftp://example.org'}\n";
        std::fs::write(file.path(), listed).unwrap();
        let refused = read_path::<McpConfig>(file.path(), mcp_schema()).unwrap_err().to_string();
        assert!(refused.contains("servers[0].config.url"), "{refused}");
    }
}
