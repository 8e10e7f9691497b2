//! A run moves through its graph.

use serde::{Deserialize, Serialize};

use super::EventLevel;
use crate::id::{NodeId, Step};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum NodeEvent {
    Entered { node: NodeId, step: Step },
    Left { node: NodeId, step: Step, duration_ms: u64 },
}

impl NodeEvent {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Entered { .. } => "node.entered",
            Self::Left { .. } => "node.left",
        }
    }

    pub(super) fn level(&self) -> EventLevel {
        match self {
            Self::Entered { .. } | Self::Left { .. } => EventLevel::Info,
        }
    }

    pub(super) fn summary(&self) -> String {
        match self {
            Self::Entered { node, step } => format!("{node} entered (step {step})"),
            Self::Left { node, step, duration_ms } => {
                format!("{node} left (step {step}, {duration_ms} ms)")
            }
        }
    }
}
