//! A service that knows what runs have left on the disk, and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use amelia_core::check::CheckCommand;
use amelia_core::clock::SystemClock;
use amelia_core::delivery::{OpenedPullRequest, UndoneMerge};
use amelia_core::event::{Draft, EventKind, RunEvent};
use amelia_core::id::RunId;
use amelia_core::object::Object;
use amelia_core::permission::PermissionGrant;
use amelia_core::run::{Domain, RunSpec};
use amelia_core::store::{Commit, Store as _};
use amelia_core::tracker::PullRequestState;
use amelia_core::view::RunRow;
use amelia_orchestrator::runs::Runs;
use amelia_orchestrator::service::{
    CleanupMode, DefinitionSource, DiffDetail, DiffRange, Leftover, LeftoverResult, MergeOptions,
    MergeReport, MergedBranch, PlanVersion, PullRequestOptions, RunDiff, RunRequest, RunService, RunWorktree,
    ServiceError, ShownPlan, UnusedAttachments,
};
use amelia_store::memory::MemoryStore;
use async_trait::async_trait;
use futures_util::FutureExt as _;
use parking_lot::Mutex;
use serde_json::Value;

/// What runs have left, and what was asked of it.
pub(crate) struct LeftoverService {
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) runs: Runs,
    /// Runs with work that is in no commit.
    pub(crate) dirty: BTreeSet<RunId>,
    /// Runs that another process resumes while their worktree is looked at.
    pub(crate) resumed: BTreeSet<RunId>,
    /// Runs whose end the service was told of.
    pub(crate) removed: Mutex<Vec<RunId>>,
}

impl LeftoverService {
    async fn resume_elsewhere(&self, row: &RunRow) {
        let queued = Draft::of_system(&SystemClock, Domain::default(), EventKind::Run(RunEvent::Queued));
        let commit = Commit { drafts: vec![queued], ..Commit::default() };
        self.store.commit(row.run.id, row.view.seq, commit).await.unwrap();
    }
}

#[async_trait]
impl RunService for LeftoverService {
    async fn tidy(&self, rows: &[RunRow], _: CleanupMode) -> Result<Vec<Leftover>, ServiceError> {
        let row = &rows[0];
        let run = row.run.id;
        assert!(self.runs.at_rest(run).now_or_never().is_none(), "nothing moves it while its worktree goes");
        if self.resumed.contains(&run) {
            self.resume_elsewhere(row).await;
        }
        let fate = match self.dirty.contains(&run) {
            true => LeftoverResult::Kept { why: "work in no commit".to_owned() },
            false => LeftoverResult::Removed { with_branch: false },
        };
        let path = PathBuf::from("/worktree");
        Ok(vec![Leftover { run, path, branch: None, bytes: 0, ignored: Vec::new(), fate }])
    }

    async fn removed(&self, row: &RunRow) -> Result<(), ServiceError> {
        self.removed.lock().push(row.run.id);
        Err(ServiceError::conflict("its directory is in use"))
    }

    async fn prepare(&self, _: RunRequest) -> Result<RunSpec, ServiceError> {
        unreachable!()
    }

    async fn changes(&self, _: &RunRow, _: &DiffRange, _: DiffDetail) -> Result<RunDiff, ServiceError> {
        unreachable!()
    }

    async fn profile_checks(&self, _: &RunRow) -> Result<Vec<CheckCommand>, ServiceError> {
        unreachable!()
    }

    async fn profile_agents(&self, _: &RunRow) -> Result<Object, ServiceError> {
        unreachable!()
    }

    async fn allow_always(&self, _: &RunRow, _: &PermissionGrant) -> Result<(), ServiceError> {
        unreachable!()
    }

    fn whereabouts(&self, _: &RunRow) -> RunWorktree {
        unreachable!()
    }

    async fn system_prompt(&self, _: &RunRow) -> Option<String> {
        unreachable!()
    }

    async fn plan(&self, _: &RunRow) -> Result<Option<ShownPlan>, ServiceError> {
        unreachable!()
    }

    async fn plans(&self, _: &RunRow) -> Result<Vec<PlanVersion>, ServiceError> {
        unreachable!()
    }

    async fn file(&self, _: &RunRow, _: &str) -> Result<Vec<u8>, ServiceError> {
        unreachable!()
    }

    async fn state(&self, _: &RunRow, _: Option<u32>) -> Result<Value, ServiceError> {
        unreachable!()
    }

    async fn graph(&self, _: &RunRow) -> Result<Value, ServiceError> {
        unreachable!()
    }

    async fn merged_branches(&self, _: &[RunRow], _: CleanupMode) -> Result<Vec<MergedBranch>, ServiceError> {
        unreachable!()
    }

    async fn tidy_attachments(&self, _: CleanupMode) -> Result<UnusedAttachments, ServiceError> {
        unreachable!()
    }

    async fn merge(&self, _: &RunRow, _: &MergeOptions) -> Result<MergeReport, ServiceError> {
        unreachable!()
    }

    async fn undone_merges(&self, _: &[&RunRow]) -> BTreeMap<RunId, UndoneMerge> {
        unreachable!()
    }

    async fn open_pull_request(
        &self,
        _: &RunRow,
        _: &PullRequestOptions,
    ) -> Result<OpenedPullRequest, ServiceError> {
        unreachable!()
    }

    async fn pull_request(&self, _: &RunRow) -> Result<PullRequestState, ServiceError> {
        unreachable!()
    }

    async fn fork(
        &self,
        _: &RunRow,
        _: u32,
        _: &[String],
        _: DefinitionSource,
    ) -> Result<RunId, ServiceError> {
        unreachable!()
    }
}
