//! What a request needs from outside the orchestrator: a look at the repository before it becomes a run, and a look at what
//! a run has made. The port through which server and command line reach git and graphs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use amelia_core::attachment::AttachedFile;
use amelia_core::budget::Budget;
use amelia_core::check::CheckCommand;
use amelia_core::checkpoint::{LoadedCheckpoint, Position};
use amelia_core::delivery::{MergeMethod, MergedChange, OpenedPullRequest, UndoneMerge};
use amelia_core::event::EventKind;
use amelia_core::event::human::Intervention;
use amelia_core::id::{RunId, Seq};
use amelia_core::object::Object;
use amelia_core::permission::PermissionGrant;
use amelia_core::plan::Plan;
use amelia_core::run::RunSpec;
use amelia_core::stop_rule::StopRule;
use amelia_core::tracker::{Design, PullRequestState};
use amelia_core::view::RunRow;
use amelia_core::workplace::FileChange;
use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::artifact_service::ArtifactService;
use crate::memory_service::MemoryService;
pub use crate::service_error::ServiceError;

/// What a person asks for. Everything that is not said has a default.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunRequest {
    pub work: RequestedWork,
    /// The active one by default.
    pub profile: Option<String>,
    /// Any directory inside the repository.
    pub worktree: PathBuf,
    pub branch: Option<String>,
    pub base: Option<String>,
    pub in_place: bool,
    pub budget: Budget,
    pub idempotency_key: Option<String>,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum RequestedWork {
    /// From an issue to a reviewed commit.
    Implementation {
        /// In the profile's tracker; not needed with a title.
        issue: Option<String>,
        title: Option<String>,
        description: Option<String>,
        /// Not checked yet.
        attachments: Vec<AttachedFile>,
        /// A plan that was written already.
        plan: Option<GivenPlan>,
        /// A design document to plan from.
        design: Option<Box<Design>>,
    },
    /// One agent does one thing.
    Single { prompt: String, model: ModelChoice, read_only: bool, max_turns: u32 },
    /// A workflow or an agent from a file, by its name.
    Defined { definition: DefinitionName, prompt: String, inputs: Object },
    /// A team that works on a prompt.
    Team { team: RequestedTeam, prompt: String, inputs: Object },
    /// A pipeline by its name, with the input that it reads.
    Named { pipeline: String, title: Option<String>, input: Value },
    /// A look at changes that are there.
    Review { what: ReviewOf, fix: bool, personas: Vec<String> },
}

impl Default for RequestedWork {
    fn default() -> Self {
        Self::Implementation {
            issue: None,
            title: None,
            description: None,
            attachments: Vec::new(),
            plan: None,
            design: None,
        }
    }
}

/// What is defined in a file of the repository or the home.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DefinitionName {
    Agent(String),
    Workflow(String),
}

/// Which team is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestedTeam {
    /// That of a file of the repository or the home.
    Named(String),
    /// This document. Not checked yet.
    Given(Value),
}

/// Which definition a fork follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefinitionSource {
    /// That of its run.
    Run,
    /// The file, as it is now.
    File,
}

/// A plan that was written already.
#[derive(Debug, Clone, PartialEq)]
pub enum GivenPlan {
    Markdown(String),
    Tasks(Box<Plan>),
}

/// A model, as far as one is named. Without a name, the profile's counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelChoice {
    pub model: Option<String>,
    pub provider: Option<String>,
    pub base_url: Option<String>,
    /// The name of the variable that holds the key.
    pub api_key_env: Option<String>,
    pub wire: Option<String>,
    /// How it calls tools.
    pub tools: Option<String>,
}

impl ModelChoice {
    /// Nothing was said that would name a model.
    #[must_use]
    pub fn names_nothing(&self) -> bool {
        self.model.is_none() && self.provider.is_none() && self.base_url.is_none()
    }
}

/// Which changes are reviewed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReviewOf {
    /// What is not committed, tracked or not.
    Local,
    /// What has changed since this commit or branch.
    Since(String),
    /// This patch.
    Diff(String),
    /// The changes of this pull request, as they are when the request is accepted.
    PullRequest(u64),
}

/// How much of the changes is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffDetail {
    /// Which files, and how much.
    Files,
    /// The patch, too.
    Whole,
}

/// Which changes are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiffRange {
    /// All since the base, committed or not; only the committed ones when the place is gone.
    Now,
    /// What was committed when the log ended here.
    At(Seq),
    /// What the commits of this task of the plan have changed.
    Task(String),
}

/// Where a run works, as far as that is known without asking git.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunWorktree {
    pub worktree: Option<PathBuf>,
    pub branch: Option<String>,
}

/// A plan as people see it.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownPlan {
    pub markdown: String,
    /// The plan of a team, as a document that can come back.
    pub document: Option<Value>,
}

/// A plan as it was at some time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanVersion {
    /// The first checkpoint that has it.
    pub checkpoint: u32,
    pub seq: Seq,
    pub at: Timestamp,
    /// Markdown.
    pub plan: String,
    /// What was found wrong with it by itself.
    pub problems: Vec<String>,
    /// What a person said to it.
    pub feedback: Option<String>,
}

/// A diff as people read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunDiff {
    pub diff: String,
    /// There was more.
    pub is_cut: bool,
    pub files: Vec<FileChange>,
    /// Of these files, those with changes that no commit has.
    pub uncommitted: usize,
    pub branch: Option<String>,
    /// The repository, when the worktree is gone.
    pub worktree: PathBuf,
    /// The branch that has all commits of a completed run, whether Amelia or a person merged them.
    pub merged_into: Option<String>,
}

/// What is to be done with what is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CleanupMode {
    /// Nothing: say what would be done.
    Look,
    /// Remove what holds no work.
    Remove,
}

/// A directory that a run has left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leftover {
    pub run: RunId,
    pub path: PathBuf,
    pub branch: Option<String>,
    /// On the disk.
    pub bytes: u64,
    /// What git ignores in it, and goes with it.
    pub ignored: Vec<String>,
    pub fate: LeftoverResult,
}

/// What became of it, or would.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeftoverResult {
    Removed {
        /// The branch went with it: it held nothing.
        with_branch: bool,
    },
    Kept {
        why: String,
    },
}

/// The branch of a run that was merged, and that nothing needs any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedBranch {
    pub run: RunId,
    pub branch: String,
    /// The branch that has its commits.
    pub into: String,
    pub is_deleted: bool,
}

/// Attached files of runs that were removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UnusedAttachments {
    pub count: usize,
    /// On the disk.
    pub bytes: u64,
}

/// How the change of a run is merged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MergeOptions {
    /// The branch that the run started from when nothing is said.
    pub into: Option<String>,
    pub method: MergeMethod,
    /// Delete the branch of the run and its worktree afterwards.
    pub delete_branch: bool,
}

/// What came of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeReport {
    pub change: MergedChange,
    /// The command that takes it back.
    pub undo: String,
    /// What a person should know besides.
    pub notes: Vec<String>,
}

/// How a pull request is opened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PullRequestOptions {
    /// The branch that the run started from when nothing is said.
    pub base: Option<String>,
    pub is_draft: bool,
}

/// Where a run continues after an intervention.
#[derive(Debug, Clone)]
pub struct InterventionPlace {
    pub position: Position,
    pub state: Box<RawValue>,
    /// Of the graph that it continues in.
    pub version: u32,
}

impl InterventionPlace {
    /// A checkpoint of its run, in this place.
    #[must_use]
    pub fn continued(&self, saved: LoadedCheckpoint) -> LoadedCheckpoint {
        LoadedCheckpoint { position: self.position.clone(), version: self.version, ..saved }
    }
}

/// What an intervention leads to.
#[derive(Debug, Clone)]
pub struct InterventionEffect {
    pub place: InterventionPlace,
    pub facts: Vec<EventKind>,
    /// What a person should know about it.
    pub notes: Vec<String>,
}

/// The port.
#[async_trait]
pub trait RunService: Send + Sync {
    /// Checks a request against the repository and the profiles, and fixes what must not change later: the base commit,
    /// the place, the profile as it is now.
    async fn prepare(&self, request: RunRequest) -> Result<RunSpec, ServiceError>;

    /// What a run has changed.
    async fn changes(
        &self,
        row: &RunRow,
        extent: &DiffRange,
        detail: DiffDetail,
    ) -> Result<RunDiff, ServiceError>;

    /// The checks that the profile of a run has now.
    async fn profile_checks(&self, row: &RunRow) -> Result<Vec<CheckCommand>, ServiceError>;

    /// The agents that the profile of a run has now, by role, if they can work on it.
    async fn profile_agents(&self, row: &RunRow) -> Result<Object, ServiceError>;

    /// Adds a rule to the agent of the profile that a run was created with, so that later runs do not ask.
    async fn allow_always(&self, row: &RunRow, grant: &PermissionGrant) -> Result<(), ServiceError>;

    /// Where a run works. Cheap: asked for every line of a list.
    fn whereabouts(&self, row: &RunRow) -> RunWorktree;

    /// The prompt of the only agent of a run, before its goal; `None` for runs with several agents, whose roles get
    /// different ones.
    async fn system_prompt(&self, row: &RunRow) -> Option<String>;

    /// The plan, once there is one.
    async fn plan(&self, row: &RunRow) -> Result<Option<ShownPlan>, ServiceError>;

    /// Every plan that there was, oldest first.
    async fn plans(&self, row: &RunRow) -> Result<Vec<PlanVersion>, ServiceError>;

    /// A file in a run's worktree, and nowhere else; at most a few megabytes.
    async fn file(&self, row: &RunRow, path: &str) -> Result<Vec<u8>, ServiceError>;

    /// What an intervention of a person leads to, for a run that is not at work.
    async fn intervened(
        &self,
        row: &RunRow,
        saved: &LoadedCheckpoint,
        intervention: &Intervention,
    ) -> Result<InterventionEffect, ServiceError> {
        let _ = (saved, intervention);
        Err(ServiceError::invalid(format!("run {} is not a run of a team", row.run.number)))
    }

    /// The agents of a run, where all of them are known.
    async fn agents(&self, row: &RunRow) -> Result<Option<BTreeSet<String>>, ServiceError> {
        let _ = row;
        Ok(None)
    }

    /// Checks where a run has to stop. `Ok` is what a person should know about rules that may never be met.
    async fn check_stops(
        &self,
        row: &RunRow,
        rules: &BTreeSet<StopRule>,
    ) -> Result<Vec<String>, ServiceError> {
        let _ = (row, rules);
        Ok(Vec::new())
    }

    /// A run was removed: what only it had goes, too.
    async fn removed(&self, row: &RunRow) -> Result<(), ServiceError> {
        let _ = row;
        Ok(())
    }

    /// What agents remember, if that is kept.
    fn memory_service(&self) -> Option<&dyn MemoryService> {
        None
    }

    /// The artifacts of runs, if they are kept.
    fn artifact_service(&self) -> Option<&dyn ArtifactService> {
        None
    }

    /// A file that a tool of a run returned, by its name.
    async fn result_file(&self, row: &RunRow, name: &str) -> Result<Vec<u8>, ServiceError> {
        let _ = row;
        Err(ServiceError::not_found(format!("the run has no result file `{name}`")))
    }

    /// The state of a run at a checkpoint (the last one by default), with what a person wants to see of it: issue,
    /// plan, checks, review.
    async fn state(&self, row: &RunRow, checkpoint: Option<u32>) -> Result<Value, ServiceError>;

    /// The graph of a run, for drawing: nodes and edges.
    async fn graph(&self, row: &RunRow) -> Result<Value, ServiceError>;

    /// What runs that have ended have left on the disk. Work that is in no commit is never removed, and no branch that
    /// holds any.
    async fn tidy(&self, rows: &[RunRow], how: CleanupMode) -> Result<Vec<Leftover>, ServiceError>;

    /// Branches of ended runs whose commits were merged, and which are still there. Deletes those that are checked out
    /// nowhere, if told to.
    async fn merged_branches(
        &self,
        rows: &[RunRow],
        how: CleanupMode,
    ) -> Result<Vec<MergedBranch>, ServiceError>;

    /// Attached files that no run refers to any more. Removes them, if told to.
    async fn tidy_attachments(&self, how: CleanupMode) -> Result<UnusedAttachments, ServiceError>;

    /// Merges the change of a completed run into a branch of the repository.
    async fn merge(&self, row: &RunRow, options: &MergeOptions) -> Result<MergeReport, ServiceError>;

    /// Those of these runs whose merge was undone. Runs that are still merged cost no call of git for each.
    async fn undone_merges(&self, rows: &[&RunRow]) -> BTreeMap<RunId, UndoneMerge>;

    /// The shell command that undoes the merge of a run, unless the branch has newer commits. Without a repository to look
    /// at, the one that the log knows.
    async fn merge_undo(&self, row: &RunRow) -> Option<String> {
        row.view.merged.as_ref()?.undo.clone()
    }

    /// The branches that have the changes of completed runs although Amelia did not merge them, or its merge is gone: a
    /// person did, with git, or they are those of another run.
    /// Without repositories there are none. A list asks for it, so the work is bounded, and some may be found later.
    async fn merged_by_hand(&self, _rows: &[&RunRow]) -> BTreeMap<RunId, String> {
        BTreeMap::new()
    }

    /// Pushes the branch of a completed run and opens a pull request; finds the one that is open already.
    async fn open_pull_request(
        &self,
        row: &RunRow,
        options: &PullRequestOptions,
    ) -> Result<OpenedPullRequest, ServiceError>;

    /// How the pull request of a run stands at its host.
    async fn pull_request(&self, row: &RunRow) -> Result<PullRequestState, ServiceError>;

    /// A new run from a checkpoint of another, with fields of its state changed (`path=value`). It waits for a command.
    async fn fork(
        &self,
        row: &RunRow,
        checkpoint: u32,
        set: &[String],
        definition: DefinitionSource,
    ) -> Result<RunId, ServiceError>;
}
