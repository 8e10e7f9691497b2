//! One question to the Oracle, as it is kept. The consultation itself is a child run.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::id::RunId;

/// Record of one consultation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Consultation {
    pub at: Timestamp,
    pub problem: String,
    pub model: String,
    /// The consultation's own run.
    pub session: RunId,
    /// The run that asked.
    pub asked_by: Option<RunId>,
    pub tokens: BTreeMap<String, u64>,
    pub cost_usd: Option<f64>,
    pub files: Vec<String>,
    pub outcome: Advice,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Advice {
    Given(String),
    Failed(String),
}
