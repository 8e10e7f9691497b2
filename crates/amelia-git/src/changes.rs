//! What a worktree has and its base has not: committed or not, tracked or not.
//!
//! New files are announced in a copy of the index. The index itself stays as it is, byte for byte.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;

use amelia_core::workplace::FileChange;
use amelia_process::Captured;
use amelia_process::git::DIFF_FLAGS;
use tempfile::TempDir;

use crate::error::GitError;
use crate::git::{Git, LARGEST, pieces_of};
use crate::repository::{Repository, changed, index_of};
use crate::worktree::Worktree;

/// A diff as people read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diff {
    /// Binary files are named, not shown.
    pub text: String,
    /// There was more than the limit.
    pub is_cut: bool,
}

/// How often files that come and go are looked at.
const LOOKS: usize = 5;

/// Files in one call of git: an argument list has its limits.
const HASHED_AT_ONCE: usize = 500;

/// A line per file.
const COUNTED: [&str; 3] = ["--numstat", "--no-renames", "-z"];

impl Repository {
    /// The changes of a worktree since its base, at most `limit` bytes of them.
    pub async fn diff(&self, worktree: &Worktree, limit: u64) -> Result<Diff, GitError> {
        self.diff_without(worktree, &[], limit).await
    }

    /// The same without some files.
    pub async fn diff_without(
        &self,
        worktree: &Worktree,
        without: &[String],
        limit: u64,
    ) -> Result<Diff, GitError> {
        let mut args = self.diff_of(&worktree.base_commit, &[]);
        if !without.is_empty() {
            args.push(".".to_owned());
            args.extend(without.iter().map(|path| format!(":(exclude,top,literal){path}")));
        }
        Ok(Diff::new(self.announced(worktree, &args, limit).await?))
    }

    /// What has changed between two commits, at most `limit` bytes of it. No worktree is needed.
    pub async fn diff_between(&self, from: &str, to: &str, limit: u64) -> Result<Diff, GitError> {
        let range = self.range(from, to).await?;
        Ok(Diff::new(self.git.run(&self.diff_of(&range, &[]), limit).await?))
    }

    /// The same, counted.
    pub async fn diff_stat_between(&self, from: &str, to: &str) -> Result<Vec<FileChange>, GitError> {
        let range = self.range(from, to).await?;
        let lines = self.git.pieces(&self.diff_of(&range, &COUNTED)).await?;
        Ok(lines.iter().filter_map(|line| counted(&line.to_string_lossy())).collect())
    }

    /// Two commits that are there, as git takes them.
    async fn range(&self, from: &str, to: &str) -> Result<String, GitError> {
        Ok(format!("{}..{}", self.commit(from).await?, self.commit(to).await?))
    }

    /// A branch that ends with a commit, of ours if there is one.
    pub async fn branch_at(&self, commit: &str) -> Result<Option<String>, GitError> {
        let commit = self.commit(commit).await?;
        let args = ["for-each-ref", "--format=%(refname:lstrip=2)", "--points-at", &commit, "refs/heads"];
        let found = self.git.text(&args).await?;
        let ours = found.lines().find(|name| name.starts_with("amelia"));
        Ok(ours.or_else(|| found.lines().next()).map(str::to_owned))
    }

    /// What is not committed, by path, with a name of its content; an empty one for what is not a file any more.
    pub async fn contents(&self, worktree: &Worktree) -> Result<BTreeMap<String, String>, GitError> {
        let git = self.git.at(&worktree.path);
        let mut contents: BTreeMap<String, String> =
            changed(&git).await?.into_iter().map(|path| (path, String::new())).collect();
        let is_file =
            |path: &&String| worktree.path.join(path).symlink_metadata().is_ok_and(|at| at.is_file());
        let files: Vec<String> = contents.keys().filter(is_file).cloned().collect();
        for some in files.chunks(HASHED_AT_ONCE) {
            let mut args = ["hash-object", "--no-filters", "--"].map(str::to_owned).to_vec();
            args.extend(some.iter().cloned());
            let hashes = git.text(&args).await?;
            contents.extend(some.iter().cloned().zip(hashes.lines().map(str::to_owned)));
        }
        Ok(contents)
    }

    /// Where a worktree stands.
    pub async fn head(&self, worktree: &Worktree) -> Result<String, GitError> {
        self.git.at(&worktree.path).text(&["rev-parse", "HEAD"]).await
    }

    /// The same, counted.
    pub async fn diff_stat(&self, worktree: &Worktree) -> Result<Vec<FileChange>, GitError> {
        let args = self.diff_of(&worktree.base_commit, &COUNTED);
        let lines = pieces_of(&self.announced(worktree, &args, LARGEST).await?.bytes);
        Ok(lines.iter().filter_map(|line| counted(&line.to_string_lossy())).collect())
    }

    fn diff_of(&self, base: &str, options: &[&str]) -> Vec<String> {
        let fixed = ["diff"].into_iter().chain(DIFF_FLAGS).chain([self.git.submodules()]);
        let all = fixed.chain(options.iter().copied()).chain([base, "--"]);
        all.map(str::to_owned).collect()
    }

    /// Asks git with a copy of the index that knows all new files by name. Files may come and go meanwhile: what git cannot
    /// read then is looked at again.
    async fn announced(
        &self,
        worktree: &Worktree,
        args: &[String],
        limit: u64,
    ) -> Result<Captured, GitError> {
        let mut looks = 1;
        loop {
            let announced = IntentToAdd::new(&self.git.at(&worktree.path)).await?;
            match announced.git.run(args, limit).await {
                Err(GitError::Git { .. }) if looks < LOOKS => looks += 1,
                done => return done,
            }
        }
    }
}

impl Diff {
    fn new(answer: Captured) -> Self {
        let text = String::from_utf8(answer.bytes);
        // Only what is not text costs a copy.
        let text = text.unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        Self { text, is_cut: answer.is_cut }
    }
}

/// `12<tab>3<tab>path`; a binary file has dashes for numbers.
fn counted(line: &str) -> Option<FileChange> {
    let mut fields = line.splitn(3, '\t');
    let (added, removed) = (fields.next()?, fields.next()?);
    let lines = added.parse().ok().zip(removed.parse().ok());
    Some(FileChange { path: fields.next()?.to_owned(), lines })
}

/// Git with a copy of the index that knows all new files by name.
struct IntentToAdd {
    git: Git,
    _scratch: TempDir,
}

impl IntentToAdd {
    async fn new(git: &Git) -> Result<Self, GitError> {
        let scratch = tempfile::tempdir().map_err(GitError::io(git.dir()))?;
        let copy = scratch.path().join("index");
        let index = index_of(git).await?;
        copy_index(&index, &copy).map_err(GitError::io(&index))?;
        let names = git.pieces(&["ls-files", "-z", "--others", "--exclude-standard"]).await?;
        let git = git.with_index(&copy);
        if names.is_empty() {
            return Ok(Self { git, _scratch: scratch });
        }
        // A name with a slash at its end is a repository inside this one: not ours to show.
        let nested = names.into_iter().filter(|name| name.as_encoded_bytes().ends_with(b"/"));
        let list = scratch.path().join("names");
        write_pathspecs(&list, nested).map_err(GitError::io(&list))?;
        let mut from = OsString::from("--pathspec-from-file=");
        from.push(&list);
        let add = ["add", "--intent-to-add", "--ignore-errors", "--pathspec-file-nul"];
        let args: Vec<OsString> = add.into_iter().map(OsString::from).chain([from]).collect();
        match git.text(&args).await {
            // A file that went away meanwhile is not there, and the others are announced all the same.
            Ok(_) | Err(GitError::Git { .. }) => Ok(Self { git, _scratch: scratch }),
            Err(other) => Err(other),
        }
    }
}

/// With its time: git tells by it which files may have changed since within the same tick of the clock.
fn copy_index(index: &Path, copy: &Path) -> std::io::Result<()> {
    match std::fs::copy(index, copy) {
        Ok(_) => std::fs::File::options().write(true).open(copy)?.set_modified(index.metadata()?.modified()?),
        // No index yet: every file is new.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Everything but these.
fn write_pathspecs(list: &Path, without: impl Iterator<Item = OsString>) -> std::io::Result<()> {
    let mut file = std::io::BufWriter::new(std::fs::File::create(list)?);
    file.write_all(b".\0")?;
    for name in without {
        file.write_all(b":(exclude,top,literal)")?;
        file.write_all(name.as_encoded_bytes())?;
        file.write_all(b"\0")?;
    }
    file.flush()
}

#[cfg(test)]
mod tests;
