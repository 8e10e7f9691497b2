//! Files of the home that people write, with line and column of every problem.

use amelia_core::config::problem::ConfigProblem;
use amelia_wire::read::{Incoming, read};
use amelia_yaml::problem::{FileProblem, steps};
use serde_json::Value;

use crate::home::Home;
use crate::refused_file::RefusedFile;

/// Reads a file below the home; `None` if there is none.
pub(crate) fn read_file<W: Incoming>(
    home: &Home,
    name: &str,
    schema: &Value,
) -> Result<Option<W::Core>, RefusedFile> {
    let path = home.path().join(name);
    let refused = |problems| RefusedFile { path: path.clone(), problems };
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(RefusedFile::at_start(&path, error.to_string())),
    };
    let (document, tree) = amelia_yaml::read::<Value>(&text, schema).map_err(refused)?;
    let read = read::<W>(document).map_err(|problems| {
        let at = |problem: &ConfigProblem| FileProblem::at(&tree, &steps(&problem.path), &problem.message);
        refused(problems.0.iter().map(at).collect())
    });
    read.map(Some)
}
