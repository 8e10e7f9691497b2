//! Looking into a commit without a checkout: which files it has, and what is in them. Runs no filter and writes nothing.

use amelia_process::StdinSource;

use crate::error::GitError;
use crate::git::pieces_of;
use crate::repository::Repository;

/// Bytes of a list of files that are read: about twenty thousand names.
const LARGEST_LISTING: u64 = 2 * 1024 * 1024;

/// Bytes of files that are read at once.
const LARGEST_CONTENTS: u64 = 4 * 1024 * 1024;

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
    pub async fn committed_files(&self, commit: &str) -> Result<Vec<CommittedFile>, GitError> {
        let listed = self.git.run(&["ls-tree", "-r", "-z", "--full-tree", commit], LARGEST_LISTING).await?;
        let mut pieces = pieces_of(&listed.bytes);
        if listed.is_cut {
            // The last name may be a part of one.
            pieces.pop();
        }
        Ok(pieces.iter().filter_map(|piece| file(piece.to_str()?)).collect())
    }

    /// What is in these objects, in the same order; nothing for those after the first few megabytes.
    pub async fn committed_texts(&self, objects: &[&str]) -> Result<Vec<String>, GitError> {
        if objects.is_empty() {
            return Ok(Vec::new());
        }
        let names =
            StdinSource::Bytes(objects.iter().flat_map(|name| [name, "\n"]).collect::<String>().into());
        let answer = self.git.answer(&["cat-file", "--batch"], names, LARGEST_CONTENTS).await?;
        let mut rest = answer.bytes.as_slice();
        Ok(objects.iter().map(|_| content(&mut rest).unwrap_or_default()).collect())
    }
}

/// The next answer: a line with name, type and size, then so many bytes, then a line end.
fn content(rest: &mut &[u8]) -> Option<String> {
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    let (line, after) = rest.split_at_checked(end)?;
    let size: usize = std::str::from_utf8(line).ok()?.rsplit(' ').next()?.parse().ok()?;
    let after = after.get(1..)?;
    let (bytes, after) = after.split_at_checked(size).unwrap_or((after, &[]));
    *rest = after.get(1..).unwrap_or_default();
    Some(String::from_utf8_lossy(bytes).into_owned())
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

        let object = |path: &str| files.iter().find(|file| file.path == path).unwrap().object.as_str();
        let objects = [object("odd dir/na\"me"), object("a"), object("link")];
        assert_eq!(repository.committed_texts(&objects).await.unwrap(), ["1", "1\n", "/etc/passwd"]);
        let missing = ["0000000000000000000000000000000000000000", object("a")];
        assert_eq!(repository.committed_texts(&missing).await.unwrap()[0], "");
    }
}
