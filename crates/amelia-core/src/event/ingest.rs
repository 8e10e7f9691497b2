//! A document is being read into the knowledge base. Start and end are events of its run.

use serde::{Deserialize, Serialize};

use super::EventLevel;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum IngestEvent {
    Progressed { document: String, stage: String, done: u64, total: u64 },
}

impl IngestEvent {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Progressed { .. } => "ingest.progressed",
        }
    }

    pub(super) fn level(&self) -> EventLevel {
        match self {
            Self::Progressed { .. } => EventLevel::Debug,
        }
    }

    pub(super) fn summary(&self) -> String {
        match self {
            Self::Progressed { document, stage, done, total } => {
                format!("{document}: {stage} {done} of {total}")
            }
        }
    }
}
