//! The life of a run. The only events that change its status.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::EventLevel;
use crate::budget::Budget;
use crate::check::CheckCommand;
use crate::human::HumanKind;
use crate::id::{AgentName, NodeId};
use crate::object::Object;
use crate::permission::PermissionGrant;
use crate::problem::Problem;
use crate::run::RunSpec;
use crate::stop_rule::StopRule;
use crate::text::{first_line, one_line};

/// Characters of the changes of a state that are shown in one line.
const EDITS_SHOWN: usize = 400;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum RunEvent {
    Created {
        spec: Box<RunSpec>,
    },
    /// It may start as soon as there is room.
    Queued,
    Started,
    /// A person has set other limits than those it was created with.
    Limited {
        budget: Budget,
    },
    /// A person has let it use the checks that its profile has now.
    ChecksReplaced {
        checks: Vec<CheckCommand>,
    },
    /// A person has let it use the agents that its profile has now, by role.
    AgentsReplaced {
        #[cfg_attr(feature = "typescript", ts(type = "Record<string, unknown>"))]
        agents: Object,
    },
    /// A fork follows the definition that its file has now, in the place of the one that its run was started with.
    DefinitionReplaced {
        name: String,
        /// What is different, each in a few words.
        changes: Vec<String>,
    },
    /// A person has changed fields of its state while it was at rest. The checkpoint of this commit has the new state.
    StateEdited {
        edits: Vec<FieldEdit>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
    /// A person has changed its team while it was at rest: what is different in what it was started with, and that in a few words.
    TeamReplaced {
        #[cfg_attr(feature = "typescript", ts(type = "Record<string, unknown>"))]
        input: Object,
        changes: Vec<String>,
    },
    /// A person has hidden it from lists, or has taken that back. The only one that may follow the end of a run.
    Archived {
        is_archived: bool,
    },
    /// A person has said which later calls of an agent need no approval. A fork begins with those of its run.
    PermissionGranted(PermissionGrant),
    /// A person has said how the run continues, without an answer.
    Steered(Steering),
    /// Nothing more happens until an answer comes; each question is its own event.
    Paused {
        reason: HumanKind,
    },
    Resumed {
        reason: ResumeReason,
    },
    Completed {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        summary: Option<String>,
    },
    Failed {
        failure: RunFailure,
    },
    Cancelled {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
}

/// One field of a state that a person has changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct FieldEdit {
    /// Dotted.
    pub path: String,
    /// What it was, as JSON in one line; cut if it is long.
    pub before: String,
    /// What it is, as a whole.
    #[cfg_attr(feature = "typescript", ts(type = "unknown"))]
    pub after: Value,
}

impl FieldEdit {
    #[must_use]
    pub fn new(path: &str, before: &Value, after: Value) -> Self {
        Self { path: path.to_owned(), before: one_line(&before.to_string()), after }
    }

    /// From what to what, in one line.
    #[must_use]
    pub fn summary(&self) -> String {
        let after = one_line(&self.after.to_string());
        format!("{} from {} to {after}", self.path, self.before)
    }
}

/// Where a run stops, and what its agents ask about again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum Steering {
    /// Before these nodes, and before no other.
    Breakpoints(BTreeSet<NodeId>),
    /// Before the next node, once what is under way is done.
    Step,
    /// At no further step.
    Continue,
    /// Inside the work of agents, where these say, and nowhere else.
    Stops(BTreeSet<StopRule>),
    /// Before calls that fit a rule which the agent was granted.
    RemoveRule { agent: AgentName, rule: String },
}

/// Why a run continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum ResumeReason {
    /// A person answered.
    Replied,
    /// The process had ended in the middle of it.
    Recovered,
    /// A person asked to retry a failed run.
    Retried,
    /// A fork begins, in the middle of its graph.
    Forked,
}

/// Why a run cannot continue without help: a name, a message that says what to do, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct RunFailure {
    /// Stable, for machines: `node_failed`, `state_unreadable`, …
    pub code: String,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<NodeId>,
}

/// The code of a failure after which the worktree of the run must be restored first.
pub const WORKTREE_LOST: &str = "worktree_lost";

/// The code of a failure of a run whose key is not set where it was to continue. It has lost nothing.
pub const MISSING_KEY: &str = "missing_key";

/// The code of a failure of a run whose last checkpoint is damaged: it cannot continue, but a fork of it can.
pub const DAMAGED: &str = "damaged";

impl RunFailure {
    /// In the log, message and hint are one text.
    pub fn new(code: impl Into<String>, problem: impl Into<Problem>) -> Self {
        Self { code: code.into(), message: problem.into().to_text(), node: None }
    }
}

impl RunEvent {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Created { .. } => "run.created",
            Self::Queued => "run.queued",
            Self::Started => "run.started",
            Self::Limited { .. } => "run.limited",
            Self::ChecksReplaced { .. } => "run.checks_replaced",
            Self::AgentsReplaced { .. } => "run.agents_replaced",
            Self::DefinitionReplaced { .. } => "run.definition_replaced",
            Self::StateEdited { .. } => "run.state_edited",
            Self::TeamReplaced { .. } => "run.team_replaced",
            Self::Archived { .. } => "run.archived",
            Self::PermissionGranted(_) => "run.permission_granted",
            Self::Steered(_) => "run.steered",
            Self::Paused { .. } => "run.paused",
            Self::Resumed { .. } => "run.resumed",
            Self::Completed { .. } => "run.completed",
            Self::Failed { .. } => "run.failed",
            Self::Cancelled { .. } => "run.cancelled",
        }
    }

    pub(super) fn level(&self) -> EventLevel {
        match self {
            Self::Failed { .. } => EventLevel::Error,
            Self::Cancelled { .. } => EventLevel::Warning,
            Self::Created { .. }
            | Self::Queued
            | Self::Started
            | Self::Limited { .. }
            | Self::ChecksReplaced { .. }
            | Self::AgentsReplaced { .. }
            | Self::DefinitionReplaced { .. }
            | Self::StateEdited { .. }
            | Self::TeamReplaced { .. }
            | Self::Archived { .. }
            | Self::PermissionGranted(_)
            | Self::Steered(_)
            | Self::Paused { .. }
            | Self::Resumed { .. }
            | Self::Completed { .. } => EventLevel::Info,
        }
    }

    pub(super) fn summary(&self) -> String {
        match self {
            Self::Created { spec } => format!("created: {}", one_line(&spec.title)),
            Self::Queued => "queued".to_owned(),
            Self::Started => "started".to_owned(),
            Self::Limited { budget } => format!("may now use {budget}"),
            Self::Archived { is_archived: true } => "archived".to_owned(),
            Self::Archived { is_archived: false } => "unarchived".to_owned(),
            Self::ChecksReplaced { checks } => match checks.as_slice() {
                [] => "runs no checks from now on".to_owned(),
                checks => {
                    let names: Vec<&str> = checks.iter().map(|check| check.name.as_str()).collect();
                    format!("runs these checks from now on: {}", one_line(&names.join(", ")))
                }
            },
            Self::AgentsReplaced { agents } => {
                let word =
                    |agent: &Value, name: &str| agent.get(name).and_then(Value::as_str).map(str::to_owned);
                let shown = |(role, agent): (&String, &Value)| {
                    let words: Vec<String> =
                        ["driver", "model"].iter().filter_map(|name| word(agent, name)).collect();
                    format!("{role} ({})", words.join(" "))
                };
                let agents: Vec<String> = agents.iter().map(shown).collect();
                one_line(&format!("uses these agents from now on: {}", agents.join(", ")))
            }
            Self::DefinitionReplaced { name, changes } => match changes.as_slice() {
                [] => one_line(&format!("reads the definition of `{name}` again, which has not changed")),
                changes => {
                    one_line(&format!("reads the definition of `{name}` again: {}", changes.join(", ")))
                }
            },
            Self::TeamReplaced { changes, .. } => one_line(&format!("team changed: {}", changes.join(", "))),
            Self::StateEdited { edits, by } => {
                let edits: Vec<String> = edits.iter().map(FieldEdit::summary).collect();
                let by = by.as_ref().map(|by| format!(" by {by}")).unwrap_or_default();
                first_line(&format!("state changed{by}: {}", edits.join(", ")), EDITS_SHOWN)
            }
            Self::PermissionGranted(grant) => one_line(&grant.summary()),
            Self::Steered(steering) => steering.summary(),
            Self::Paused { reason: HumanKind::Pause } => "paused by you".to_owned(),
            Self::Paused { reason } => format!("waits: {reason}"),
            Self::Resumed { reason } => match reason {
                ResumeReason::Replied => "resumed after an answer".to_owned(),
                ResumeReason::Recovered => "resumed after a restart".to_owned(),
                ResumeReason::Retried => "retried".to_owned(),
                ResumeReason::Forked => "started as a fork".to_owned(),
            },
            Self::Completed { summary } => match summary {
                Some(summary) => format!("completed: {}", one_line(summary)),
                None => "completed".to_owned(),
            },
            Self::Failed { failure } => format!("failed: {}", one_line(&failure.message)),
            Self::Cancelled { by } => match by {
                Some(by) => format!("cancelled by {by}"),
                None => "cancelled".to_owned(),
            },
        }
    }
}

impl Steering {
    fn summary(&self) -> String {
        match self {
            Self::Breakpoints(nodes) if nodes.is_empty() => "breakpoints removed".to_owned(),
            Self::Breakpoints(nodes) => {
                let nodes: Vec<&str> = nodes.iter().map(NodeId::as_str).collect();
                format!("stops before {}", nodes.join(", "))
            }
            Self::Stops(rules) if rules.is_empty() => "breakpoints inside nodes removed".to_owned(),
            Self::Stops(rules) => {
                let rules: Vec<String> = rules.iter().map(ToString::to_string).collect();
                one_line(&format!("stops at {}", rules.join(", ")))
            }
            Self::Step => "stops before the next node".to_owned(),
            Self::Continue => "continues without stopping".to_owned(),
            Self::RemoveRule { agent, rule } => {
                one_line(&format!("{agent} may no longer use {rule} without asking"))
            }
        }
    }
}
