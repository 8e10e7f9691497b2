//! The port to where a run works: a directory under git with tools on it. Nothing here knows git itself.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::check::{CheckCommand, CheckResult};
use crate::problem::{Hinted, Problem};
use crate::survey::Survey;
use crate::tool::{ToolBox, ToolCx};

pub use crate::rights::{ListedRights, Rights};

/// What becomes of work in a part that is in no commit, when the part ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UncommittedWork {
    /// The part stays.
    Keep,
    /// It goes. Only when a person has given it up.
    Discard,
}

/// Changes since the base, committed or not, tracked or not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorktreeDiff {
    pub text: String,
    /// There was more than fits.
    pub is_cut: bool,
    pub files: Vec<String>,
}

/// How much one file has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    pub path: String,
    /// Added and removed lines; nothing for a binary file.
    pub lines: Option<(u64, u64)>,
}

/// What came of a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommitOutcome {
    /// It is there: made now, or by an earlier try.
    Made {
        commit: String,
        /// What an agent has committed itself since the last commit of the run, oldest first; `commit` is the last of
        /// them when nothing else was left to commit.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        own: Vec<OwnCommit>,
        /// Submodules at commits that exist only in this workplace.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        unpublished: Vec<String>,
    },
    /// Nothing had changed.
    Nothing,
    /// It was refused, and this was said. Everything is still there.
    Refused {
        output: String,
        #[serde(default)]
        by: CommitBlocker,
    },
}

impl CommitOutcome {
    /// A commit that is there. Nothing is known of commits of the agent or of submodules.
    #[must_use]
    pub fn made(commit: String) -> Self {
        Self::Made { commit, own: Vec::new(), unpublished: Vec::new() }
    }
}

/// A commit that an agent has made itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnCommit {
    pub commit: String,
    pub subject: String,
}

/// What keeps a commit from being made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommitBlocker {
    /// A hook of the repository said no.
    #[default]
    Hook,
    /// The commit could not be signed.
    Signature,
    /// There is a repository inside the work: only a link to it would be committed.
    InnerRepository,
    /// A submodule has changes that are not committed inside it: none of them would be in the commit.
    Submodule,
    /// An earlier commit of the run is not on its branch any more.
    LostCommit,
}

/// What came of a merge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MergeOutcome {
    Made {
        commit: String,
    },
    /// It had nothing to give.
    Nothing,
    /// These files do not fit together. The merge was taken back.
    Conflict {
        files: Vec<String>,
    },
}

/// A merge that is left to finish: conflicts are marked in the files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConflictedMerge {
    pub files: Vec<String>,
    /// The marked places, for people and models; cut when there is too much of it.
    pub text: String,
}

/// Everything that a workplace holds: what it was made from, and what has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorktreeContents {
    /// The commit that the patch applies to.
    pub on: String,
    /// The name of the tree that comes of it.
    pub tree: String,
    /// With binary files, so not necessarily text.
    pub patch: Vec<u8>,
}

/// Names what a workplace holds, so that two moments can be compared.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentHashes {
    pub on: String,
    pub files: BTreeMap<String, String>,
}

impl ContentHashes {
    /// Files whose content is another one than it was then. Nothing when there was a commit meanwhile: what was changed
    /// then is a part of it.
    #[must_use]
    pub fn changed_since(&self, then: &Self) -> Vec<String> {
        if self.on != then.on {
            return Vec::new();
        }
        let is_other = |path: &&String| self.files.get(*path) != then.files.get(*path);
        let all: BTreeSet<&String> = self.files.keys().chain(then.files.keys()).collect();
        all.into_iter().filter(is_other).cloned().collect()
    }
}

/// Why a workplace does not work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{0}")]
pub struct WorkplaceError(pub Problem);

impl Hinted for WorkplaceError {
    fn hint(&self) -> Option<String> {
        self.0.hint.clone()
    }
}

/// Where a run, or one of its parallel tasks, works.
#[async_trait]
pub trait Workplace: Send + Sync {
    fn path(&self) -> &Path;

    /// The commit that changes are counted from.
    fn base(&self) -> &str;

    fn branch(&self) -> Option<&str>;

    /// The tools for a role.
    fn tools(&self, rights: Rights) -> Result<Arc<dyn ToolBox>, WorkplaceError>;

    /// Makes it ready to work in: files that git does not track, setup commands. May be called again.
    async fn prepare(&self) -> Result<(), WorkplaceError>;

    /// What agents learn about it. Of the repository as it was at the base: nothing that an agent writes changes it.
    async fn survey(&self) -> Result<Survey, WorkplaceError>;

    /// A file of the workplace; `None` when there is none.
    async fn read(&self, path: &str) -> Result<Option<String>, WorkplaceError>;

    /// Those of these files and directories that are not there.
    async fn missing_files(&self, paths: &[String]) -> Result<Vec<String>, WorkplaceError>;

    /// Writes a file, and the directories above it.
    async fn write(&self, path: &str, text: &str) -> Result<(), WorkplaceError>;

    /// Makes sure that the plan is in the workplace and that git does not see it.
    async fn keep_plan_uncommitted(&self, path: &str, text: &str) -> Result<(), WorkplaceError>;

    /// Everything that has changed since the base; `without` these paths, `limit` bytes at most.
    async fn changes(&self, without: &[String], limit: usize) -> Result<WorktreeDiff, WorkplaceError>;

    /// What is not committed, by path, with a name of its content, and the commit that it is based on.
    async fn contents(&self) -> Result<ContentHashes, WorkplaceError>;

    /// Runs a check to its end, or for as long as it may take.
    async fn check(&self, cx: &ToolCx, check: &CheckCommand) -> CheckResult;

    /// Commits everything. `marker` names the commit for ever: an earlier one with the same marker is the same.
    async fn commit(&self, message: &str, marker: &str) -> Result<CommitOutcome, WorkplaceError>;

    /// A workplace of its own for a part of the work, from where this one stands. The same `key` is the same one.
    async fn branch_off(&self, key: &str) -> Result<Arc<dyn Workplace>, WorkplaceError>;

    /// A part that was branched off before; `None` when it is gone.
    async fn part(&self, key: &str) -> Result<Option<Arc<dyn Workplace>>, WorkplaceError>;

    /// Takes over the commits of a part. `marker` names the merge for ever: what an earlier try has done is done.
    async fn merge(
        &self,
        part: &dyn Workplace,
        message: &str,
        marker: &str,
    ) -> Result<MergeOutcome, WorkplaceError>;

    /// Begins to take over the commits of another part and leaves what does not fit in the files, for an agent to
    /// fix. From the start every time: it must be unused until then.
    async fn start_conflicted_merge(&self, other: &dyn Workplace) -> Result<ConflictedMerge, WorkplaceError>;

    /// Ends a part: its directory goes, and its branch if everything of it was taken over. One that is gone is no
    /// error. Says why it could not go.
    async fn close(&self, key: &str, unsaved: UncommittedWork) -> Result<(), WorkplaceError>;

    /// Everything that is in it now; `None` where that cannot be said.
    async fn tree(&self) -> Result<Option<WorktreeContents>, WorkplaceError> {
        Ok(None)
    }

    /// The work here is over and will not be committed: what it has come to is kept, where such things are kept.
    async fn finish(&self) -> Result<(), WorkplaceError> {
        Ok(())
    }

    /// The run has come to rest. What is in here is kept, so that a fork can begin with it.
    async fn rest(&self) {}

    /// Publishes the branch at the repository's own remote.
    async fn push(&self) -> Result<PushedBranch, WorkplaceError>;
}

/// What was published.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PushedBranch {
    pub remote: String,
    pub branch: String,
    pub commit: String,
}
