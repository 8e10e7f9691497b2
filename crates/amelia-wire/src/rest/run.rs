//! How a run is shown: one line of a list, and everything about it.

use std::collections::BTreeMap;

use amelia_core::event::task::TaskRef;
use amelia_core::id::RunNumber;
use amelia_core::run::Run;
use amelia_core::view::{Activity, NodeView, RunRow, RunView};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::Limit;
use super::delivery::{MergedShown, PullRequestShown, UndoneWay};
use super::estimate::CostEstimate;
use super::flat_run::{FlatRun, issue_of};
use super::human::Pending;
use super::outcome::RunOutcome;
use super::usage::Spent;
use super::why::{Why, Worker, why};
use crate::amelia::config::budget::Budget;
use crate::amelia::driver::TokenUsage;
use crate::amelia::v1::state::ExecutionState;
use crate::maf::task::Task;
use crate::status::Status;

/// Which runs. All conditions must hold.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct RunQuery {
    /// One status, or several separated by commas: `running,paused`.
    #[param(
        pattern = "^(pending|running|awaiting_approval|paused|completed|failed|cancelled)(,(pending|running|awaiting_approval|paused|completed|failed|cancelled))*$"
    )]
    pub status: Option<String>,
    pub pipeline: Option<String>,
    pub profile: Option<String>,
    /// The directory that the run was started for.
    pub worktree: Option<String>,
    /// Part of the title, id, issue or branch, in upper or lower case.
    pub q: Option<String>,
    /// Runs that this can mean: a short id (`r12`), the beginning of an id, an issue or a branch.
    pub reference: Option<String>,
    /// `true`: only archived runs. `false`: no archived runs, which is the default unless `reference` is given.
    pub archived: Option<bool>,
    /// Created at this time or later.
    pub since: Option<Timestamp>,
    /// Created before this time.
    pub until: Option<Timestamp>,
    #[param(value_type = Option<u32>, minimum = 1, maximum = 500)]
    pub limit: Limit,
    /// `next_cursor` of the previous page.
    #[param(pattern = "^[0-9]{1,19}_[0-9a-f]{32}$")]
    pub cursor: Option<String>,
    #[param(inline)]
    pub format: RunFormat,
    /// `true`: also look in git whether merges were undone (`merged.undone`); the other formats always do that, and with
    /// `true` they also look for runs that were merged with git itself.
    pub undone: bool,
}

/// `GET /workflows/{id}`
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ShowQuery {
    #[param(inline)]
    pub format: RunFormat,
    /// `state`: adds the complete tool history and the changes under review.
    #[param(inline)]
    pub include: Option<Include>,
}

/// What to add to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Include {
    State,
}

/// The format of runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunFormat {
    /// The default format.
    #[default]
    Shown,
    /// One flat object, for scripts.
    Flat,
    /// As stored.
    Row,
    /// The state as an ExecutionState. Only for a single run.
    V1,
}

/// A run as stored: the request, and the view computed from its log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct StoredRun {
    #[schema(value_type = Object)]
    pub run: Run,
    #[schema(value_type = Object)]
    pub view: RunView,
    /// Whether a worker is running it. A run that should be running but is not was interrupted.
    pub is_moving: bool,
    /// Why it stopped, if that could not be written to its log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stalled: Option<String>,
    /// How its merge was undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undone_merge: Option<UndoneWay>,
    /// The branch that has its changes, if they were merged with git itself. Only in lists with `?undone=true`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged_by_hand: Option<String>,
}

impl StoredRun {
    #[must_use]
    pub fn new(RunRow { run, view }: RunRow, worker: Worker, undone_merge: Option<UndoneWay>) -> Self {
        let is_moving = worker == Worker::Moving;
        let stalled = if let Worker::Stalled(reason) = worker { Some(reason) } else { None };
        Self { run, view, is_moving, stalled, undone_merge, merged_by_hand: None }
    }

    /// The run, and what moves it.
    #[must_use]
    pub fn split(self) -> (RunRow, Worker) {
        let Self { run, view, is_moving, stalled, .. } = self;
        let worker = match (stalled, is_moving) {
            (Some(reason), _) => Worker::Stalled(reason),
            (None, true) => Worker::Moving,
            (None, false) => Worker::None,
        };
        (RunRow { run, view }, worker)
    }
}

/// A run in a list, in the requested format.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum RunListed {
    Shown(Box<RunSummary>),
    Flat(Box<FlatRun>),
    Row(Box<StoredRun>),
}

/// A run, in the requested format.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum RunAnswer {
    Shown(Box<RunDetail>),
    Flat(Box<FlatRun>),
    Row(Box<StoredRun>),
    V1(Box<ExecutionState>),
}

/// A run in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RunSummary {
    pub id: Uuid,
    /// Short id, such as `r12`.
    pub short_id: String,
    pub title: String,
    pub status: Status,
    pub pipeline: String,
    #[schema(required)]
    pub profile: Option<String>,
    #[schema(required)]
    pub issue_id: Option<String>,
    #[schema(required)]
    pub worktree_path: Option<String>,
    #[schema(required)]
    pub branch: Option<String>,
    pub created_at: Timestamp,
    #[schema(required)]
    pub started_at: Option<Timestamp>,
    #[schema(required)]
    pub updated_at: Option<Timestamp>,
    #[schema(required)]
    pub completed_at: Option<Timestamp>,
    /// Nodes that are running or waiting.
    pub stages: Vec<String>,
    /// Number of open questions.
    pub pending_requests: usize,
    /// Why the run is in this state; `null` when it has ended for good.
    #[schema(required)]
    pub why: Option<Why>,
    /// Agents that have worked on it.
    pub agents: Vec<String>,
    /// The latest activity.
    #[schema(required)]
    pub activity: Option<ActivityShown>,
    /// The current task of the plan.
    #[schema(required)]
    pub task: Option<TaskShown>,
    pub review_round: u32,
    pub usage: Spent,
    pub budget: Budget,
    #[schema(required)]
    pub forked_from: Option<Fork>,
    #[schema(required)]
    pub error: Option<String>,
    /// Where its changes were merged.
    #[schema(required)]
    pub merged: Option<MergedShown>,
    #[schema(required)]
    pub pull_request: Option<PullRequestShown>,
    /// Whether lists hide it.
    pub is_archived: bool,
}

/// The latest action of an agent or a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ActivityShown {
    pub agent: String,
    pub at: Timestamp,
    /// One line.
    pub text: String,
}

impl From<&Activity> for ActivityShown {
    fn from(Activity { agent, at, text }: &Activity) -> Self {
        Self { agent: agent.to_string(), at: *at, text: text.clone() }
    }
}

/// A task of a plan, and its position in the plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TaskShown {
    pub id: String,
    pub title: String,
    /// Starts at 0.
    pub index: u32,
    pub total: u32,
}

impl From<&TaskRef> for TaskShown {
    fn from(TaskRef { id, title, index, total }: &TaskRef) -> Self {
        Self { id: id.clone(), title: title.clone(), index: *index, total: *total }
    }
}

impl RunSummary {
    #[must_use]
    pub fn new(row: &RunRow, worker: &Worker) -> Self {
        let (spec, view) = (&row.run.spec, &row.view);
        let place = spec.place.as_ref();
        Self {
            id: row.run.id.0,
            short_id: row.run.number.to_string(),
            title: spec.title.clone(),
            status: view.status.into(),
            pipeline: spec.graph.to_string(),
            profile: spec.profile.clone(),
            issue_id: issue_of(row),
            worktree_path: place.map(|place| place.repository.display().to_string()),
            branch: place.and_then(|place| place.branch.clone()),
            created_at: row.run.created_at,
            started_at: view.started_at,
            updated_at: view.updated_at,
            completed_at: view.ended_at,
            stages: view.active_nodes().map(ToString::to_string).collect(),
            pending_requests: view.pending.len(),
            why: why(row, worker),
            agents: view.spend_by_agent.keys().map(ToString::to_string).collect(),
            activity: view.activity.as_ref().map(Into::into),
            task: view.task.as_ref().map(Into::into),
            review_round: view.review_round,
            usage: view.spend.into(),
            budget: row.budget().into(),
            forked_from: fork_of(row),
            error: view.failure.as_ref().map(|failure| failure.message.clone()),
            merged: view.merged.as_ref().map(Into::into),
            pull_request: view.pull_request.as_ref().map(Into::into),
            is_archived: view.is_archived,
        }
    }

    /// Whether a person can mean this run: by its number, its issue, its branch or the beginning of its id.
    #[must_use]
    pub fn is_called(&self, reference: &str) -> bool {
        let is = |name: &str| name.eq_ignore_ascii_case(reference);
        if reference.parse::<RunNumber>().is_ok() {
            return is(&self.short_id);
        }
        let is_start =
            !reference.is_empty() && self.id.to_string().starts_with(&reference.to_ascii_lowercase());
        is_start || self.issue_id.as_deref().is_some_and(is) || self.branch.as_deref() == Some(reference)
    }
}

/// A run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RunDetail {
    /// `id`, `description`, `status`, `assigned_agent`, `result`, `error`, times, `retention_days`, `parent_task_id`.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    pub task: Task,
    pub workflow_id: Uuid,
    /// Short id, such as `r12`.
    pub short_id: String,
    pub title: String,
    pub pipeline: String,
    #[schema(required)]
    pub profile: Option<String>,
    #[schema(required)]
    pub issue_id: Option<String>,
    /// Sequence number of the last event in its log.
    pub sequence: u64,
    #[schema(required)]
    pub queued_at: Option<Timestamp>,
    #[schema(required)]
    pub updated_at: Option<Timestamp>,
    /// Running time, without the time that the run waited or was interrupted.
    pub active_ms: u64,
    #[schema(required)]
    pub why: Option<Why>,
    pub pending_requests: Vec<Pending>,
    pub usage: Spent,
    pub usage_by_agent: BTreeMap<String, Spent>,
    pub budget: Budget,
    #[schema(required)]
    pub worktree_path: Option<String>,
    /// Path of its worktree, once it has one.
    #[schema(required)]
    pub worktree: Option<String>,
    #[schema(required)]
    pub branch: Option<String>,
    #[schema(required)]
    pub base_commit: Option<String>,
    /// The branch that it started from.
    #[schema(required)]
    pub base_branch: Option<String>,
    pub in_place: bool,
    pub review_round: u32,
    #[schema(required)]
    pub current_task: Option<TaskShown>,
    pub stages: BTreeMap<String, Stage>,
    #[schema(required)]
    pub forked_from: Option<Fork>,
    /// Nodes before which it stops and asks.
    pub breakpoints: Vec<String>,
    /// Breakpoints inside the work of agents, such as `tool:shell`.
    pub stops: Vec<String>,
    /// The graph's own state: issue, plan, checks, review.
    pub state: Value,
    /// The state in the shape of the data model: BasePipelineState, ImplementationState or AgenticState.
    pub pipeline_state: Value,
    /// Tokens that each agent has used, by model.
    pub token_usage: Vec<TokenUsage>,
    /// The result of a completed run.
    #[schema(required)]
    pub outcome: Option<RunOutcome>,
    /// Whether lists hide it.
    pub is_archived: bool,
    /// Estimated cost of the plan that waits for approval; `null` if there are no earlier runs to compare with.
    #[schema(required)]
    pub estimate: Option<CostEstimate>,
}

/// How often a node was visited, and whether it is active.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Stage {
    pub visits: u32,
    pub active: bool,
}

impl From<NodeView> for Stage {
    fn from(node: NodeView) -> Self {
        Self { visits: node.visits, active: node.active > 0 }
    }
}

/// The checkpoint that a run was forked from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Fork {
    pub workflow_id: Uuid,
    pub checkpoint: u32,
}

impl RunDetail {
    /// A run, its graph's state, and from `worker` where its worktree is, and on which branch.
    /// It is removed so many days after its end; never when there are none.
    #[must_use]
    pub fn new(row: &RunRow, state: Value, worker: &Worker, retention_days: Option<u32>) -> Self {
        let (spec, view) = (&row.run.spec, &row.view);
        let place = spec.place.as_ref();
        Self {
            task: Task::new(row, retention_days),
            workflow_id: row.run.id.0,
            short_id: row.run.number.to_string(),
            title: spec.title.clone(),
            pipeline: spec.graph.to_string(),
            profile: spec.profile.clone(),
            issue_id: issue_of(row),
            sequence: view.seq.0,
            queued_at: view.queued_at,
            updated_at: view.updated_at,
            active_ms: view.active_ms,
            why: why(row, worker),
            pending_requests: Pending::of(row).collect(),
            usage: view.spend.into(),
            usage_by_agent: view
                .spend_by_agent
                .iter()
                .map(|(agent, spend)| (agent.to_string(), (*spend).into()))
                .collect(),
            budget: row.budget().into(),
            worktree_path: place.map(|place| place.repository.display().to_string()),
            worktree: None,
            branch: place.and_then(|place| place.branch.clone()),
            base_commit: place.map(|place| place.base_commit.clone()),
            base_branch: place.and_then(|place| place.base_branch.clone()),
            in_place: place.is_some_and(|place| place.in_place),
            review_round: view.review_round,
            current_task: view.task.as_ref().map(Into::into),
            stages: stages(row),
            forked_from: fork_of(row),
            breakpoints: row.breakpoints().iter().map(ToString::to_string).collect(),
            stops: row.view.stops.iter().map(ToString::to_string).collect(),
            outcome: RunOutcome::of(row, &state),
            is_archived: view.is_archived,
            estimate: None,
            state,
            pipeline_state: Value::Null,
            token_usage: Vec::new(),
        }
    }
}

/// Every node that was entered.
#[must_use]
pub fn stages(row: &RunRow) -> BTreeMap<String, Stage> {
    row.view.nodes.iter().map(|(node, view)| (node.to_string(), (*view).into())).collect()
}

fn fork_of(row: &RunRow) -> Option<Fork> {
    row.run.spec.forked_from.map(|from| Fork { workflow_id: from.run.0, checkpoint: from.checkpoint })
}
