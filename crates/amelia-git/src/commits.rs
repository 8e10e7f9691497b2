//! Commits and pushes from a worktree: with the user's identity and hooks, and each of them once.

use std::ffi::OsString;

use amelia_core::text::squeezed;
use amelia_core::workplace::{CommitBlocker, CommitOutcome, OwnCommit, PushedBranch};

use crate::error::GitError;
use crate::git::Git;
use crate::repository::{Repository, branch_of};
use crate::submodules;
use crate::trailers::with_trailers;
use crate::worktree::Worktree;
use crate::worktree_lock::with_worktree_lock;

/// The trailer by which a commit is found again.
const TRAILER: &str = "Amelia-Task";

/// What a commit says.
#[derive(Debug, Clone, Copy, Default)]
pub struct NewCommit<'a> {
    pub message: &'a str,
    /// Names the commit for ever: an earlier one with the same marker is the same.
    pub marker: &'a str,
    /// Further lines at the end of the message.
    pub trailers: &'a [String],
}

impl Repository {
    /// Commits everything in a worktree but some files, which stay as they are. An earlier commit with the same `marker`
    /// is the same commit. Does not look for commits of others: the outcome names only its own.
    pub async fn commit_without(
        &self,
        worktree: &Worktree,
        commit: NewCommit<'_>,
        without: &[String],
    ) -> Result<CommitOutcome, GitError> {
        let git = with_worktree_lock(&self.git.at(&worktree.path)).await?;
        let here = branch_of(&git).await?;
        if here != worktree.branch {
            return Err(GitError::OtherBranch {
                path: worktree.path.clone(),
                expected: worktree.branch.clone().unwrap_or_else(|| "no branch".to_owned()),
                found: here.unwrap_or_else(|| "no branch".to_owned()),
            });
        }
        let marker = squeezed(commit.marker);
        let mut inner = inner_repositories(&git).await?;
        inner.retain(|path| !without.iter().any(|other| other.trim_end_matches('/') == path));
        if !inner.is_empty() {
            let output = inner.join("\n");
            return Ok(CommitOutcome::Refused { output, by: CommitBlocker::InnerRepository });
        }
        let mut dirty = submodules::dirty(&git).await?;
        dirty.retain(|path| !without.contains(path));
        if !dirty.is_empty() {
            return Ok(CommitOutcome::Refused { output: dirty.join("\n"), by: CommitBlocker::Submodule });
        }
        stage(&git, without).await?;
        if !has_staged(&git).await? {
            // Everything is in some commit: in ours, if an earlier try has made it.
            let made = find(&git, &worktree.base_commit, &marker).await?;
            return Ok(made.map_or(CommitOutcome::Nothing, CommitOutcome::made));
        }
        let text = commit.text();
        match git.text(&["commit", "--quiet", "--cleanup=whitespace", "--message", &text]).await {
            Ok(_) => Ok(CommitOutcome::made(git.text(&["rev-parse", "HEAD"]).await?)),
            Err(GitError::Git { message, .. }) if is_about_identity(&message) => Err(GitError::NoIdentity),
            Err(GitError::Git { message, .. }) => {
                let by = if is_unsigned(&git, &message).await? {
                    CommitBlocker::Signature
                } else {
                    CommitBlocker::Hook
                };
                Ok(CommitOutcome::Refused { output: message, by })
            }
            Err(other) => Err(other),
        }
    }

    /// The commit that a worktree is at.
    pub async fn head_of(&self, worktree: &Worktree) -> Result<String, GitError> {
        self.git.at(&worktree.path).text(&["rev-parse", "HEAD"]).await
    }

    /// Takes the last commit of a worktree back, which is `tip`. Its files stay as they are.
    pub async fn uncommit(&self, worktree: &Worktree, tip: &str, before: &str) -> Result<(), GitError> {
        let git = with_worktree_lock(&self.git.at(&worktree.path)).await?;
        if git.text(&["rev-parse", "HEAD"]).await? == tip {
            git.text(&["reset", "--quiet", before, "--"]).await?;
        }
        Ok(())
    }

    /// The commits of a worktree's branch after `since` that are not ours, oldest first. What was merged is not of it.
    pub async fn own_commits(&self, worktree: &Worktree, since: &str) -> Result<Vec<OwnCommit>, GitError> {
        let format = format!("--format=%H%x00%(trailers:key={TRAILER},valueonly,separator=%x20)%x00%s");
        let range = format!("{since}..HEAD");
        let git = self.git.at(&worktree.path);
        let log =
            git.text(&["log", "--reverse", "--first-parent", "--no-merges", &format, &range, "--"]).await?;
        Ok(log.lines().filter_map(own_commit).collect())
    }

    /// Refuses when git does not know who makes commits here.
    pub async fn check_identity(&self, worktree: &Worktree) -> Result<(), GitError> {
        let git = self.git.at(&worktree.path);
        for who in ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"] {
            match git.text(&["var", who]).await {
                Err(GitError::Git { .. }) => return Err(GitError::NoIdentity),
                known => drop(known?),
            }
        }
        Ok(())
    }

    /// Publishes a worktree's branch at the remote of the repository.
    pub async fn push(&self, worktree: &Worktree) -> Result<PushedBranch, GitError> {
        let git = self.git.at(&worktree.path);
        let branch = worktree.branch.clone().ok_or_else(|| GitError::Git {
            command: "push".to_owned(),
            message: "there is no branch to push".to_owned(),
        })?;
        let remote = self.remote().await?.ok_or_else(|| GitError::Git {
            command: "push".to_owned(),
            message: "the repository has no remote: `git remote add origin URL`".to_owned(),
        })?;
        let reference = format!("refs/heads/{branch}:refs/heads/{branch}");
        git.text(&["push", "--quiet", "--", &remote, &reference]).await?;
        let commit = self.branch_tip(&branch).await?;
        Ok(PushedBranch { remote, branch, commit })
    }

    /// The default remote: `origin`, or the only one.
    pub async fn remote(&self) -> Result<Option<String>, GitError> {
        let names = self.git.text(&["remote"]).await?;
        let names: Vec<&str> = names.lines().collect();
        let only = match names.as_slice() {
            [only] => Some(*only),
            _ => None,
        };
        Ok(names.iter().find(|name| **name == "origin").copied().or(only).map(str::to_owned))
    }

    /// Where that remote is.
    pub async fn remote_url(&self) -> Result<Option<String>, GitError> {
        match self.remote().await? {
            Some(remote) => Ok(Some(self.git.text(&["remote", "get-url", "--", &remote]).await?)),
            None => Ok(None),
        }
    }
}

impl NewCommit<'_> {
    /// The whole message, with the trailer by which its commit is found again.
    pub(crate) fn text(&self) -> String {
        let marker = format!("{TRAILER}: {}", squeezed(self.marker));
        let lines: Vec<String> = [marker].into_iter().chain(self.trailers.iter().cloned()).collect();
        with_trailers(self.message, &lines)
    }
}

/// The commit whose trailer is exactly this marker: `task 1` is not `task 10`.
pub(crate) async fn find(git: &Git, base: &str, marker: &str) -> Result<Option<String>, GitError> {
    let format = format!("--format=%H %(trailers:key={TRAILER},valueonly,separator=%x00)");
    let log = git.text(&["log", &format, &format!("{base}..HEAD"), "--"]).await?;
    let found = log.lines().find_map(|line| {
        let (commit, markers) = line.split_once(' ')?;
        markers.split('\0').any(|found| found.trim() == marker).then(|| commit.to_owned())
    });
    Ok(found)
}

/// A commit, our trailer in it, and its subject.
fn own_commit(line: &str) -> Option<OwnCommit> {
    let mut fields = line.splitn(3, '\0');
    let (commit, trailer, subject) = (fields.next()?, fields.next()?, fields.next()?);
    trailer.is_empty().then(|| OwnCommit { commit: commit.to_owned(), subject: subject.to_owned() })
}

async fn has_staged(git: &Git) -> Result<bool, GitError> {
    let args: [OsString; 4] = ["diff", "--cached", "--name-only", "-z"].map(OsString::from);
    Ok(!git.pieces(&args).await?.is_empty())
}

async fn stage(git: &Git, without: &[String]) -> Result<(), GitError> {
    let specs = |magic: &str| without.iter().map(|path| format!(":({magic}){path}")).collect::<Vec<_>>();
    let mut add: Vec<String> = ["add", "--all", "--", "."].map(str::to_owned).into();
    add.extend(specs("exclude,top,literal"));
    git.text(&add).await?;
    if !without.is_empty() {
        // What was staged of them before is not to be committed either; their content stays.
        let mut reset: Vec<String> = ["reset", "--quiet", "--"].map(str::to_owned).into();
        reset.extend(specs("top,literal"));
        git.text(&reset).await?;
    }
    Ok(())
}

/// Repositories inside the work that are no submodules: git would commit a link to them, and none of their files.
async fn inner_repositories(git: &Git) -> Result<Vec<String>, GitError> {
    let new = git.pieces(&["ls-files", "-z", "--others", "--exclude-standard"]).await?;
    let mut found: Vec<String> =
        new.iter().filter_map(|name| name.to_str()?.strip_suffix('/').map(str::to_owned)).collect();
    let staged = git.pieces(&["diff", "--cached", "--raw", "--no-renames", "--no-abbrev", "-z"]).await?;
    let links = staged.chunks(2).filter_map(|entry| match entry {
        [what, path] if what.to_string_lossy().starts_with(":000000 160000 ") => {
            Some(path.to_string_lossy().into_owned())
        }
        _ => None,
    });
    let links: Vec<String> = links.collect();
    let known = if links.is_empty() { Vec::new() } else { submodule_paths(git).await? };
    for link in links.into_iter().filter(|link| !known.contains(link)) {
        if git.dir().join(&link).join(".git").exists() {
            found.push(link);
        } else {
            // It was added by hand and is no repository any more: its files are the work.
            git.text(&["update-index", "--force-remove", "--", &link]).await?;
        }
    }
    Ok(found)
}

async fn submodule_paths(git: &Git) -> Result<Vec<String>, GitError> {
    let args = ["config", "--file", ".gitmodules", "-z", "--get-regexp", r"^submodule\..*\.path$"];
    match git.pieces(&args).await {
        Ok(found) => {
            let value = |piece: &OsString| Some(piece.to_str()?.split_once('\n')?.1.to_owned());
            Ok(found.iter().filter_map(value).collect())
        }
        // There are none.
        Err(GitError::Git { .. }) => Ok(Vec::new()),
        Err(other) => Err(other),
    }
}

/// Whether it is the signature that kept git from making a commit: hooks have their say before.
async fn is_unsigned(git: &Git, message: &str) -> Result<bool, GitError> {
    if !message.contains("failed to write commit object") {
        return Ok(false);
    }
    match git.text(&["config", "--type=bool", "--get", "commit.gpgSign"]).await {
        Ok(value) => Ok(value == "true"),
        Err(GitError::Git { .. }) => Ok(false),
        Err(other) => Err(other),
    }
}

pub(crate) fn is_about_identity(message: &str) -> bool {
    message.contains("Please tell me who you are") || message.contains("empty ident name")
}

#[cfg(test)]
pub(crate) mod tests;
