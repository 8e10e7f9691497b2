//! Things are remembered, found again, and summarised.

use serde::{Deserialize, Serialize};

use super::EventLevel;
use crate::message::MemoryKind;
use crate::text::one_line;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum MemoryEvent {
    Stored {
        memory: String,
        kind: MemoryKind,
        size: u64,
    },
    Retrieved {
        query: String,
        results: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        threshold: Option<f64>,
    },
    Consolidated {
        topic: String,
        items: u64,
        summary_length: u64,
    },
}

impl MemoryEvent {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Stored { .. } => "memory.stored",
            Self::Retrieved { .. } => "memory.retrieved",
            Self::Consolidated { .. } => "memory.consolidated",
        }
    }

    pub(super) fn level(&self) -> EventLevel {
        match self {
            Self::Stored { .. } | Self::Retrieved { .. } => EventLevel::Debug,
            Self::Consolidated { .. } => EventLevel::Info,
        }
    }

    pub(super) fn summary(&self) -> String {
        match self {
            Self::Stored { memory, size, .. } => format!("remembered {memory} ({size} bytes)"),
            Self::Retrieved { query, results, .. } => {
                format!("found {results} memories for: {}", one_line(query))
            }
            Self::Consolidated { topic, items, .. } => {
                format!("{items} memories of {topic} summarised")
            }
        }
    }
}
