//! Changes in files that git ignores on request (`skip-worktree`, `assume-unchanged`). It neither shows nor commits
//! them, and neither do we: they stay in the worktree, which stays with them.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

use amelia_process::StdinSource;

use crate::error::GitError;
use crate::git::{Git, LARGEST};
use crate::repository::index_of;

/// Such files that are there and not as the index has them. The index itself stays as it is.
pub(super) async fn changed(git: &Git) -> Result<Vec<String>, GitError> {
    let listed = git.pieces(&["ls-files", "-v", "-z"]).await?;
    let mut hidden: Vec<OsString> = listed.iter().filter_map(hidden_path).collect();
    // In a sparse checkout they are not there, and nothing can be lost.
    hidden.retain(|path| git.dir().join(path).symlink_metadata().is_ok());
    if hidden.is_empty() {
        return Ok(Vec::new());
    }
    let scratch = tempfile::tempdir().map_err(GitError::io(git.dir()))?;
    let (index, copy) = (index_of(git).await?, scratch.path().join("index"));
    tokio::fs::copy(&index, &copy).await.map_err(GitError::io(&index))?;
    let looking = git.with_index(&copy);
    let names: Vec<u8> = hidden.iter().flat_map(|path| [path.as_bytes(), b"\0"].concat()).collect();
    for flag in ["--no-skip-worktree", "--no-assume-unchanged"] {
        let names = StdinSource::Bytes(names.clone());
        looking.answer(&["update-index", flag, "-z", "--stdin"], names, LARGEST).await?;
    }
    let found = looking.pieces(&["diff", "--name-only", "--no-renames", "--no-ext-diff", "-z"]).await?;
    let is_hidden = |path: &&OsString| hidden.contains(path);
    Ok(found.iter().filter(is_hidden).map(|path| path.to_string_lossy().into_owned()).collect())
}

/// `H path`, and another letter or a small one for a file that is not looked at.
fn hidden_path(line: &OsString) -> Option<OsString> {
    let (flag, path) = line.as_bytes().split_first()?;
    let is_hidden = *flag == b'S' || flag.is_ascii_lowercase();
    is_hidden.then(|| OsString::from_vec(path.get(1..).unwrap_or_default().to_vec()))
}
