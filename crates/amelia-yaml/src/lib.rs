//! Files that people write, with the line and column of everything that is wrong in them. Knows no kind of file.

pub mod check;
mod near;
pub mod problem;
pub mod schema;
pub mod tree;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::problem::{FileProblem, PathStep};
use crate::tree::YamlNode;

/// Reads a text as `T`, which `schema` describes; all problems at once. The tree knows the places of what comes after.
pub fn read<T: DeserializeOwned>(text: &str, schema: &Value) -> Result<(T, YamlNode), Vec<FileProblem>> {
    let tree = tree::parse(text).map_err(|problem| vec![problem])?;
    let problems = check::check(&tree, schema);
    if !problems.is_empty() {
        return Err(problems);
    }
    let typed = serde_path_to_error::deserialize(tree.to_json()).map_err(|error| {
        let path: Vec<PathStep> = error.path().iter().filter_map(PathStep::from_serde).collect();
        vec![FileProblem::at(&tree, &path, error.inner().to_string())]
    })?;
    Ok((typed, tree))
}
