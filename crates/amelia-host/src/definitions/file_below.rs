//! Files that a team file names: below its directory, and nowhere else.

use std::path::{Path, PathBuf};

use amelia_core::config::problem::escapes;

use super::DefinitionFile;

/// A file below the directory of a team file.
pub(super) fn path_below(file: &DefinitionFile, name: &str) -> Result<PathBuf, String> {
    if file.stored.is_some() {
        return Err(format!(
            "`{name}` is a file, and a team that is sent to the API has none: write the text itself"
        ));
    }
    let outside = || format!("`{name}` is not below the directory of the team file");
    if Path::new(name).is_absolute() || escapes(name) {
        return Err(outside());
    }
    let directory =
        file.path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let missing = || format!("there is no file `{name}` in {}", directory.display());
    let top = directory.canonicalize().map_err(|_| missing())?;
    let path = top.join(name).canonicalize().map_err(|_| missing())?;
    match (path.starts_with(&top), path.is_file()) {
        (false, _) => Err(outside()),
        (true, false) => Err(missing()),
        (true, true) => Ok(path),
    }
}
