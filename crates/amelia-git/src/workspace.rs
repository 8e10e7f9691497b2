//! A repository of Amelia's own, for work that belongs to no repository of the user: an empty first commit, so that what is
//! made in it can be compared, kept and replayed like any other work.

use std::path::Path;

use crate::error::GitError;
use crate::git::{Git, Vars};
use crate::repository::Repository;

/// Neither the user's name nor their keys and hooks have a part in it.
const SETTINGS: [&str; 4] =
    ["user.name=Amelia", "user.email=amelia@localhost", "commit.gpgSign=false", "core.hooksPath=/dev/null"];

impl Repository {
    /// A new repository in an empty directory.
    pub async fn create_workspace(dir: &Path, vars: Vars) -> Result<Self, GitError> {
        let git = Git::new(dir, &vars);
        git.text(&["init", "--quiet", "--template=", "--initial-branch=main"]).await?;
        let settings = SETTINGS.iter().flat_map(|setting| ["-c", setting]);
        let commit = ["commit", "--quiet", "--allow-empty", "--message=An empty workspace"];
        git.text(&settings.chain(commit).collect::<Vec<_>>()).await?;
        Self::open(dir, vars).await
    }
}
