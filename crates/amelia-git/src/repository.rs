//! A user's repository: found from any directory in it, and only looked at.

use std::path::{Path, PathBuf};

use amelia_core::claim::branches_collide;

use crate::error::GitError;
use crate::git::Git;
pub use crate::git::Vars;
use crate::worktree::Worktree;

/// Bytes of one part of a branch's name: it becomes a file, which git locks with another one that ends in `.lock`.
const LONGEST_PART: usize = 250;

/// A repository with a checkout.
#[derive(Debug, Clone)]
pub struct Repository {
    pub(crate) git: Git,
}

/// Where the user is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadCommit {
    /// Its full name.
    pub commit: String,
    /// Nothing when HEAD is detached.
    pub branch: Option<String>,
}

/// What in-place work may begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InPlace {
    /// Only a tree without changes: then everything that differs later is the agent's.
    Clean,
    /// Any tree, also one with changes.
    AsItIs,
}

impl Repository {
    /// The repository that a directory is in. `vars` is all that git and its hooks get as environment.
    pub async fn open(dir: impl AsRef<Path>, vars: Vars) -> Result<Self, GitError> {
        let dir = dir.as_ref();
        let git = Git::new(dir, &vars);
        match git.path(&["rev-parse", "--show-toplevel"]).await {
            Ok(top) => Ok(Self { git: git.at(top) }),
            // A bare repository has no top; asked about only now, because every question to git is a process.
            Err(other @ GitError::Git { .. }) => {
                let is_bare = git.text(&["rev-parse", "--is-bare-repository"]).await? == "true";
                Err(if is_bare { GitError::Bare { path: dir.to_path_buf() } } else { other })
            }
            Err(other) => Err(other),
        }
    }

    /// The top of the user's checkout.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.git.dir()
    }

    /// The full name of a commit; `HEAD` is where the user is, on a branch or not.
    pub async fn commit(&self, name: &str) -> Result<String, GitError> {
        let asked = format!("{name}^{{commit}}");
        match self.git.text(&["rev-parse", "--verify", "--quiet", "--end-of-options", &asked]).await {
            Ok(commit) => Ok(commit),
            Err(GitError::Git { .. }) if name == "HEAD" => {
                Err(GitError::NoCommits { path: self.root().to_path_buf() })
            }
            Err(GitError::Git { .. }) => {
                Err(GitError::UnknownCommit { name: name.to_owned(), path: self.root().to_path_buf() })
            }
            Err(other) => Err(other),
        }
    }

    /// The commit of `HEAD` and its branch, with one question to git.
    pub async fn head_commit(&self) -> Result<HeadCommit, GitError> {
        let both = self.git.text(&["rev-parse", "HEAD^{commit}", "--symbolic-full-name", "HEAD"]).await;
        if let Some((commit, name)) = both.as_deref().ok().and_then(|both| both.split_once('\n')) {
            let branch = name.strip_prefix("refs/heads/").map(str::to_owned);
            return Ok(HeadCommit { commit: commit.to_owned(), branch });
        }
        // Says what is wrong.
        Ok(HeadCommit { commit: self.commit("HEAD").await?, branch: branch_of(&self.git).await? })
    }

    /// Refuses what cannot be the name of a new branch.
    pub async fn check_new_branch(&self, name: &str) -> Result<(), GitError> {
        let bad = |why: &str| GitError::BadBranch { name: name.to_owned(), why: why.to_owned() };
        // Git would take it for an option.
        if name.starts_with('-') {
            return Err(bad("it starts with a dash"));
        }
        if let Some(short) = name.strip_prefix("refs/heads/") {
            return Err(GitError::FullBranchName { name: name.to_owned(), short: short.to_owned() });
        }
        // Git takes it for a ref and refuses to make it; or makes no file of that name when the time comes.
        if name == "HEAD" {
            return Err(bad("git does not allow such a name"));
        }
        if name.split('/').any(|part| part.len() > LONGEST_PART) {
            return Err(bad(&format!("no part of a name may have more than {LONGEST_PART} bytes")));
        }
        let full = format!("refs/heads/{name}");
        if self.git.text(&["check-ref-format", &full]).await.is_err() {
            return Err(bad("git does not allow such a name"));
        }
        match self.git.text(&["rev-parse", "--verify", "--quiet", &full]).await {
            Ok(_) => return Err(bad("it exists already")),
            Err(GitError::Git { .. }) => {}
            Err(other) => return Err(other),
        }
        match self.colliding_branch(name).await? {
            Some(other) => Err(bad(&format!("`{other}` exists, and git cannot have both"))),
            None => Ok(()),
        }
    }

    /// A branch that is a directory of this name, or below it: `feat` and `feat/x`.
    async fn colliding_branch(&self, name: &str) -> Result<Option<String>, GitError> {
        let branches =
            self.git.text(&["for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/"]).await?;
        let found = branches.lines().find(|branch| branches_collide(branch, name));
        Ok(found.map(ToOwned::to_owned))
    }

    /// The local branch of this name; without a name, the one that is checked out.
    pub async fn local_branch(&self, name: Option<&str>) -> Result<Option<String>, GitError> {
        let Some(name) = name else { return branch_of(&self.git).await };
        match self.branch_tip(name).await {
            Ok(_) => Ok(Some(name.to_owned())),
            Err(GitError::NoBranch { .. }) => Ok(None),
            Err(other) => Err(other),
        }
    }

    /// Where the user's `HEAD` and `name` parted.
    pub async fn merge_base(&self, name: &str) -> Result<String, GitError> {
        let commit = self.commit(name).await?;
        match self.git.text(&["merge-base", "HEAD", &commit]).await {
            Ok(base) => Ok(base),
            // Two histories that never met: everything is new.
            Err(GitError::Git { .. }) => Ok(commit),
            Err(other) => Err(other),
        }
    }

    /// The user's own checkout as the place to work in.
    pub async fn in_place(&self, rule: InPlace) -> Result<Worktree, GitError> {
        let base_commit = self.commit("HEAD").await?;
        match rule {
            InPlace::AsItIs => {}
            InPlace::Clean => {
                let files = changed(&self.git).await?;
                if !files.is_empty() {
                    return Err(GitError::Dirty { path: self.root().to_path_buf(), files });
                }
            }
        }
        let branch = branch_of(&self.git).await?;
        Ok(Worktree { path: self.root().to_path_buf(), branch, base_commit })
    }
}

/// Files with work in them that is in no commit: changed, new, or inside a submodule.
pub(crate) async fn changed(git: &Git) -> Result<Vec<String>, GitError> {
    let args = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", git.submodules()];
    let pieces = git.pieces(&args).await?;
    Ok(pieces.iter().map(|piece| piece.to_string_lossy().chars().skip(3).collect()).collect())
}

/// Nothing when HEAD is detached.
pub(crate) async fn branch_of(git: &Git) -> Result<Option<String>, GitError> {
    match git.text(&["symbolic-ref", "--quiet", "--short", "HEAD"]).await {
        Ok(branch) => Ok(Some(branch)),
        Err(GitError::Git { .. }) => Ok(None),
        Err(other) => Err(other),
    }
}

/// The file that git keeps the index in.
pub(crate) async fn index_of(git: &Git) -> Result<PathBuf, GitError> {
    Ok(git.dir().join(git.path(&["rev-parse", "--git-path", "index"]).await?))
}
