//! Which files of a worktree differ from its last commit, by name. Reads no content and changes nothing.

use crate::error::GitError;
use crate::repository::Repository;
use crate::worktree::Worktree;

/// A file that differs from the last commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirtyFile {
    pub path: String,
    /// The last commit does not have it.
    pub is_new: bool,
}

impl Repository {
    /// Every file that differs from the last commit, ignored ones aside. Looks at the times of files and not into them.
    pub async fn dirty_files(&self, worktree: &Worktree) -> Result<Vec<DirtyFile>, GitError> {
        let args = [
            "--no-optional-locks",
            "status",
            "--porcelain=v1",
            "-z",
            "--no-renames",
            "--untracked-files=all",
            "--ignore-submodules=all",
        ];
        let lines = self.git.at(&worktree.path).pieces(&args).await?;
        Ok(lines.iter().filter_map(|line| dirty(&line.to_string_lossy())).collect())
    }
}

/// `?? path`, ` M path`
fn dirty(line: &str) -> Option<DirtyFile> {
    let (code, path) = (line.get(..2)?, line.get(3..)?);
    // A name with a slash at its end is a repository inside this one.
    let is_file = !path.is_empty() && !path.ends_with('/');
    is_file.then(|| DirtyFile { path: path.to_owned(), is_new: code == "??" || code.contains('A') })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_which_file_and_whether_it_is_new() {
        let file = |path: &str, is_new| Some(DirtyFile { path: path.to_owned(), is_new });
        assert_eq!(dirty("?? a b.txt"), file("a b.txt", true));
        assert_eq!(dirty(" M src/main.rs"), file("src/main.rs", false));
        assert_eq!(dirty("A  new"), file("new", true));
        assert_eq!(dirty(" D gone"), file("gone", false));
        assert_eq!(dirty("?? nested/"), None);
        assert_eq!(dirty(""), None);
    }
}
