//! A run: what was asked for, and where it stands.

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::budget::Budget;
use crate::human::HumanKind;
use crate::id::{GraphName, NodeId, RunId, RunNumber};
use crate::stop_rule::StopRule;

/// One execution. Identity only; everything that changes is folded from the log into [`crate::view::RunView`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct Run {
    pub id: RunId,
    /// Counted by the store: people say `r12`.
    #[serde(default, skip_serializing_if = "RunNumber::is_unknown")]
    pub number: RunNumber,
    pub created_at: Timestamp,
    pub spec: RunSpec,
}

/// What a person (or a parent run) asked for. Fixed at creation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct RunSpec {
    pub graph: GraphName,
    /// One line for lists: the title, or the start of the prompt.
    pub title: String,
    #[serde(default)]
    pub domain: Domain,
    /// What the graph's initial state is made from.
    #[serde(default)]
    pub input: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Where it works, when it works on a repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<RunLocation>,
    /// The run whose log this one writes to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<RunId>,
    /// Set when this run began as a copy of another one's checkpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<ForkPoint>,
    /// Nodes before which the run stops and asks.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub breakpoints: BTreeSet<NodeId>,
    /// Where else it stops and asks from its beginning.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub stops: BTreeSet<StopRule>,
    #[serde(default, skip_serializing_if = "Budget::is_unlimited")]
    pub budget: Budget,
    /// A second start with the same key is the same run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// Days to keep the run after its end; the policy of the home when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retention_days: Option<u32>,
    /// What the policy of the home knows it by: `critical`, `debug`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// A command that starts or resumes the run follows it and approves its plan without asking.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub auto_approve: bool,
}

impl RunSpec {
    /// A run of `graph` with everything else at its default.
    #[must_use]
    pub fn new(graph: GraphName, title: impl Into<String>) -> Self {
        Self {
            graph,
            title: title.into(),
            domain: Domain::default(),
            input: Value::Null,
            profile: None,
            place: None,
            parent: None,
            forked_from: None,
            breakpoints: BTreeSet::new(),
            stops: BTreeSet::new(),
            budget: Budget::default(),
            idempotency_key: None,
            retention_days: None,
            label: None,
            auto_approve: false,
        }
    }
}

/// Where a run works. The worktree itself is found by the run's id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct RunLocation {
    /// The top of the user's checkout.
    #[serde(with = "crate::any_path")]
    #[cfg_attr(feature = "typescript", ts(as = "String"))]
    pub repository: PathBuf,
    /// Fixed when the run was created.
    pub base_commit: String,
    /// The branch that the base commit was taken from, and that the change goes back into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_branch: Option<String>,
    /// In the user's checkout itself, instead of a worktree of its own.
    pub in_place: bool,
    /// Names the branch: an issue's key, or the first words of a prompt.
    pub key: String,
    /// The whole name of the branch, when it was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Where the branch begins when that is not the base: a fork continues with the commits at its checkpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The files to begin with, as a tree of the repository, when they are not those of the commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
}

impl RunLocation {
    /// Whether it is a directory that Amelia made for one run, outside of any repository: it has an id as its name.
    #[must_use]
    pub fn is_workspace(&self) -> bool {
        let name = self.repository.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        self.in_place && uuid::Uuid::parse_str(name).is_ok()
    }
}

/// A checkpoint of another run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct ForkPoint {
    pub run: RunId,
    /// Number of the checkpoint.
    pub checkpoint: u32,
}

/// What kind of work a run is; decides the names of its events on the wire.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum Domain {
    #[default]
    Workflow,
    Brainstorm,
    Oracle,
    Knowledge,
}

impl Domain {
    /// Every domain, for tables and tests.
    pub const ALL: [Self; 4] = [Self::Workflow, Self::Brainstorm, Self::Oracle, Self::Knowledge];
}

/// Where a run stands. A fold of its log, never set by hand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    #[default]
    Pending,
    Running,
    /// Nothing happens until a person or a program answers.
    Waiting(HumanKind),
    Completed,
    Failed,
    Cancelled,
}

impl RunStatus {
    /// Final statuses are never left, except that `resume` may take `Failed` back to `Running`.
    #[must_use]
    pub fn is_final(self) -> bool {
        match self {
            Self::Completed | Self::Failed | Self::Cancelled => true,
            Self::Pending | Self::Running | Self::Waiting(_) => false,
        }
    }
}

impl fmt::Display for RunStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pending => f.write_str("pending"),
            Self::Running => f.write_str("running"),
            Self::Waiting(reason) => write!(f, "waiting ({reason})"),
            Self::Completed => f.write_str("completed"),
            Self::Failed => f.write_str("failed"),
            Self::Cancelled => f.write_str("cancelled"),
        }
    }
}
