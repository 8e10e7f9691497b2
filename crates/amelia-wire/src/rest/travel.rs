//! Checkpoints, changes and graphs of a run.

use std::collections::BTreeMap;

use amelia_core::checkpoint::{CheckpointInfo, Position};
use amelia_core::event::run::FieldEdit;
use amelia_core::view::RunRow;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::run::Stage;
use super::{Limit, Place};
use crate::agentx::plan::PlanDocument;
use crate::maf::checkpoint::Checkpoint;

/// Which checkpoints, and how.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CheckpointsQuery {
    #[param(value_type = Option<u32>, minimum = 1, maximum = 500)]
    pub limit: Limit,
    /// `next_cursor` of the previous page.
    #[param(value_type = Option<u64>)]
    pub cursor: Option<Place>,
    /// `004`: with `checkpoint_id`, `task_id`, `state`, `position`, `sequence`, `created_at` and `awaiting_human`.
    #[param(inline, value_type = Option<CheckpointFormat>)]
    pub format: CheckpointFormat,
}

/// How a checkpoint is shown.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CheckpointQuery {
    /// `004`: with `checkpoint_id`, `task_id`, `state`, `position`, `sequence`, `created_at` and `awaiting_human`.
    #[param(inline, value_type = Option<CheckpointFormat>)]
    pub format: CheckpointFormat,
}

/// The format of checkpoints.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckpointFormat {
    /// The default format.
    #[default]
    Shown,
    /// Each checkpoint with its state, in the format of the task files.
    #[serde(rename = "004")]
    Maf,
}

/// A checkpoint in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CheckpointSummary {
    pub number: u32,
    pub sequence: u64,
    pub created_at: Timestamp,
    /// Nodes that are running, or come next; empty at the end of a run.
    pub nodes: Vec<String>,
    pub is_snapshot: bool,
    pub bytes: u64,
    /// Whether its state cannot be read, because it or a checkpoint that it builds on is damaged.
    #[serde(default)]
    pub is_damaged: bool,
}

impl From<CheckpointInfo> for CheckpointSummary {
    fn from(info: CheckpointInfo) -> Self {
        Self {
            number: info.number,
            sequence: info.seq.0,
            created_at: info.at,
            nodes: nodes(&info.position),
            is_snapshot: info.is_snapshot,
            bytes: info.bytes,
            is_damaged: info.is_damaged,
        }
    }
}

fn nodes(position: &Position) -> Vec<String> {
    // A run that was cancelled has nodes that it did not leave, and nothing comes after them.
    if position.ended {
        return Vec::new();
    }
    let here = position.entered.keys().chain(position.ready.keys()).chain(position.stopped.keys());
    let mut nodes: Vec<String> = here.map(ToString::to_string).collect();
    nodes.sort();
    nodes.dedup();
    nodes
}

/// A checkpoint with its state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CheckpointDetail {
    #[serde(flatten)]
    pub summary: CheckpointSummary,
    pub state: Value,
    /// Why the state is that of another checkpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub warning: Option<String>,
}

/// A checkpoint in a list, in the requested format.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum CheckpointListed {
    Shown(CheckpointSummary),
    Maf(Checkpoint),
}

/// A checkpoint, in the requested format.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum CheckpointAnswer {
    Shown(CheckpointDetail),
    Maf(Checkpoint),
}

/// `POST …/fork`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct ForkRequest {
    /// Number of the checkpoint.
    pub at: u32,
    /// Fields of the state to change, by path.
    #[serde(default)]
    pub set: BTreeMap<String, Value>,
    /// Whether the fork uses the current file of the workflow or agent. The file must still have the nodes that the
    /// checkpoint needs.
    #[serde(default)]
    pub definition_from_file: bool,
}

impl ForkRequest {
    /// As `path=value`, each value in JSON.
    #[must_use]
    pub fn edits(&self) -> Vec<String> {
        self.set.iter().map(|(path, value)| format!("{path}={value}")).collect()
    }
}

/// `POST …/state`: changes fields of the state of a run that is not running.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct EditState {
    /// New values, by dotted path, such as `metadata.score`. Only existing fields, and values that the workflow sets or
    /// reads; the types of fields cannot change. A route that was taken already stays as it is.
    pub set: BTreeMap<String, Value>,
    /// Who changes it, for the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
}

/// The state of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct StateShown {
    /// Number of the checkpoint that has it.
    pub checkpoint: u32,
    pub state: Value,
    /// Whether it can be changed now: the run is not running and has not ended.
    pub can_edit: bool,
    /// After `POST`: the fields that have changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<ChangedField>,
}

/// A field of the state that was changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ChangedField {
    pub path: String,
    /// The old value as JSON in one line; cut if it is long.
    pub before: String,
    pub after: Value,
}

impl From<FieldEdit> for ChangedField {
    fn from(FieldEdit { path, before, after }: FieldEdit) -> Self {
        Self { path, before, after }
    }
}

/// The changes of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Diff {
    /// Unified diff.
    pub diff: String,
    /// Whether the end is missing because the diff is too long.
    pub is_cut: bool,
    pub files: Vec<ChangedFile>,
    /// Number of files with changes that are in no commit. A single agent leaves them in its worktree; a merge or a pull
    /// request commits them.
    #[serde(default)]
    pub uncommitted: usize,
    /// `null` if no branch is checked out.
    #[schema(required)]
    pub branch: Option<String>,
    /// Path of the run's worktree.
    pub worktree: String,
    /// Branch that has all commits of a completed run, merged by Amelia or with git; otherwise `null`. Git cannot tell
    /// after a squash or a rebase that Amelia did not make.
    #[serde(default)]
    #[schema(required)]
    pub merged_into: Option<String>,
}

/// `GET …/diff`
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DiffQuery {
    /// Only file names and the number of changed lines.
    pub stat: bool,
    /// Return what was committed at this sequence number of the log, instead of the current state.
    #[param(value_type = Option<u64>)]
    pub at: Option<Place>,
    /// Return only what this task of the plan has changed, once it is committed.
    pub task: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ChangedFile {
    pub path: String,
    /// `null` for a binary file, like `removed`.
    #[schema(required)]
    pub added: Option<u64>,
    #[schema(required)]
    pub removed: Option<u64>,
}

/// `GET …/files`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct FileQuery {
    /// Relative to the worktree, without `..`; or the name of a file that a tool returned.
    #[param(min_length = 1)]
    pub path: String,
    /// Where the file is.
    #[serde(default)]
    #[param(inline)]
    pub from: FileSource,
}

/// Where a file of a run is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileSource {
    #[default]
    Worktree,
    /// Among the images, audio and resources that tools returned.
    Results,
}

/// The graph of a run, and where the run is in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Drawing {
    /// Nodes and edges.
    pub graph: Value,
    pub active: Vec<String>,
    pub stages: BTreeMap<String, Stage>,
}

/// `GET …/plan`: of a run of a team, or of another run.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum PlanAnswer {
    Team(PlanDocument),
    Shown(PlanShown),
}

/// `GET …/plan`, except for runs of teams
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PlanShown {
    /// Markdown.
    pub plan: String,
}

/// A version of the plan that was shown to a person, or rejected before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PlanRevision {
    /// Starts at 1.
    pub revision: u32,
    pub checkpoint: u32,
    pub sequence: u64,
    pub created_at: Timestamp,
    /// Markdown.
    pub plan: String,
    /// Problems that Amelia found in the plan.
    pub problems: Vec<String>,
    /// Feedback of a person; `null` if there was none.
    #[schema(required)]
    pub feedback: Option<String>,
}

/// `PUT …/breakpoints`: where the run stops and asks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct SetBreakpoints {
    /// Nodes to stop before. They replace the existing ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Vec<String>>,
    /// All breakpoints, as text: `node:NAME`, `turn`, `error`, `agent:NAME`, `tool:GLOB`, `path:GLOB`, `cost:USD`,
    /// `event:NAME`; a bare name is a node. In runs of workflows, teams and agents from files, each can end with
    /// ` if CONDITION`. They replace all existing ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breakpoints: Option<Vec<String>>,
}

/// Where a run stops and asks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct Breakpoints {
    pub nodes: Vec<String>,
    /// All of them, as text.
    pub breakpoints: Vec<String>,
    /// After `PUT`: breakpoints that may never apply, such as those that name an unknown agent or tool.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl Breakpoints {
    /// Those of a run.
    #[must_use]
    pub fn of(row: &RunRow) -> Self {
        let nodes: Vec<String> = row.breakpoints().iter().map(ToString::to_string).collect();
        let all = nodes.iter().map(|node| format!("node:{node}"));
        let rules = row.view.stops.iter().filter(|rule| !rule.is_gate);
        let breakpoints = all.chain(rules.map(ToString::to_string)).collect();
        Self { nodes, breakpoints, warnings: Vec::new() }
    }
}
