//! Looking into a commit without a checkout: which files it has. Runs no filter and writes nothing.

use crate::error::SandboxError;
use crate::git::pieces_of;
use crate::repository::Repository;

/// Bytes of a list of files that are read: about twenty thousand names.
const LARGEST_LISTING: u64 = 2 * 1024 * 1024;

/// A file of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommittedFile {
    pub path: String,
    /// The name of its content.
    pub object: String,
    /// Neither a link nor a submodule.
    pub is_regular: bool,
}

impl Repository {
    /// The files of a commit in git's order; of a very large one only the first. Names that are no text are left out.
    pub async fn committed_files(&self, commit: &str) -> Result<Vec<CommittedFile>, SandboxError> {
        let listed = self.git.run(&["ls-tree", "-r", "-z", "--full-tree", commit], LARGEST_LISTING).await?;
        let mut pieces = pieces_of(&listed.bytes);
        if listed.is_cut {
            // The last name may be a part of one.
            pieces.pop();
        }
        Ok(pieces.iter().filter_map(|piece| file(piece.to_str()?)).collect())
    }
}

/// One line of the list: mode, type, object, a tab, and the path.
fn file(line: &str) -> Option<CommittedFile> {
    let (about, path) = line.split_once('\t')?;
    let mut words = about.split(' ');
    let (mode, _, object) = (words.next()?, words.next()?, words.next()?);
    let is_regular = mode.starts_with("100");
    Some(CommittedFile { path: path.to_owned(), object: object.to_owned(), is_regular })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use crate::commits::tests::{World, git};

    #[tokio::test]
    async fn files_of_a_commit_are_listed_whatever_the_checkout_has() {
        let world = World::new().await;
        let user = world.dir.path().join("user");
        fs::create_dir(user.join("odd dir")).unwrap();
        fs::write(user.join("odd dir/na\"me"), "1").unwrap();
        symlink("/etc/passwd", user.join("link")).unwrap();
        git(&user, &["add", "-A"]);
        git(&user, &["commit", "-q", "-m", "more"]);
        fs::write(user.join("untracked"), "1").unwrap();
        let repository = &world.repository;
        let files = repository.committed_files("HEAD").await.unwrap();
        let found = |path: &str| files.iter().find(|file| file.path == path).map(|file| file.is_regular);
        assert_eq!(found("odd dir/na\"me"), Some(true));
        assert_eq!(found("link"), Some(false));
        assert_eq!(found("untracked"), None);
    }
}
