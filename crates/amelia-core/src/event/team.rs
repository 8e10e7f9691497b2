//! Agents of a team hand over, work side by side, and vote.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::EventLevel;
use crate::id::AgentName;
use crate::object::Object;
use crate::text::one_line;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum TeamEvent {
    HandedOff {
        from: AgentName,
        to: AgentName,
        reason: String,
        #[serde(default, skip_serializing_if = "Object::is_empty")]
        context: Object,
        #[serde(default)]
        kind: HandoffKind,
    },
    Forked {
        agents: Vec<AgentName>,
        coordinator: Option<AgentName>,
        sync_points: Vec<String>,
    },
    Joined {
        sync_point: String,
        completed: Vec<AgentName>,
        waiting: Vec<AgentName>,
    },
    Proposed {
        proposal: String,
        by: AgentName,
        decision: String,
        stakeholders: Vec<AgentName>,
    },
    Voted {
        proposal: String,
        by: AgentName,
        vote: String,
        reasoning: String,
    },
    Agreed {
        proposal: String,
        decision: String,
        votes: BTreeMap<AgentName, String>,
    },
}

#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum HandoffKind {
    #[default]
    Sequential,
    Parallel,
    Hierarchical,
}

impl TeamEvent {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::HandedOff { .. } => "team.handed_off",
            Self::Forked { .. } => "team.forked",
            Self::Joined { .. } => "team.joined",
            Self::Proposed { .. } => "team.proposed",
            Self::Voted { .. } => "team.voted",
            Self::Agreed { .. } => "team.agreed",
        }
    }

    pub(super) fn level(&self) -> EventLevel {
        match self {
            Self::HandedOff { .. }
            | Self::Forked { .. }
            | Self::Joined { .. }
            | Self::Proposed { .. }
            | Self::Voted { .. }
            | Self::Agreed { .. } => EventLevel::Info,
        }
    }

    pub(super) fn summary(&self) -> String {
        match self {
            Self::HandedOff { from, to, reason, .. } => {
                format!("{from} hands off to {to}: {}", one_line(reason))
            }
            Self::Forked { agents, .. } => format!("{} agents work in parallel", agents.len()),
            Self::Joined { sync_point, completed, waiting } => {
                format!("{sync_point}: {} arrived, {} awaited", completed.len(), waiting.len())
            }
            Self::Proposed { by, decision, .. } => format!("{by} proposes: {}", one_line(decision)),
            Self::Voted { by, vote, .. } => format!("{by} votes {}", one_line(vote)),
            Self::Agreed { decision, .. } => format!("agreed: {}", one_line(decision)),
        }
    }
}
