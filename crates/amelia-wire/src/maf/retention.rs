//! How long the past is kept, in and out.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use amelia_core::config::problem::ProblemReport;
use amelia_core::config::retention as core;
use amelia_yaml::schema::schema_of;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::read::Incoming;

/// How many days Amelia keeps runs after they end. A run can have its own `retention_days`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RetentionPolicy {
    /// Days for all other runs. Default: 7.
    #[schemars(range(min = 1))]
    pub default_days: u32,
    /// Days by the label of a run. Default: `critical` 30, `debug` 3.
    #[schemars(inner(range(min = 1)))]
    pub by_task: BTreeMap<String, u32>,
    /// Days by the status of a run, if its label is not listed. Default: `completed` 7, `failed` 14.
    pub by_status: DaysByStatus,
}

/// The schema of the file.
#[must_use]
pub fn retention_schema() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(|| schema_of::<RetentionPolicy>("Amelia retention policy"))
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DaysByStatus {
    /// Days for completed runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub completed: Option<u32>,
    /// Days for failed runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub failed: Option<u32>,
    /// Days for cancelled runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub cancelled: Option<u32>,
}

same_fields!(DaysByStatus = core::DaysByStatus { completed, failed, cancelled });
same_fields!(RetentionPolicy = core::RetentionPolicy { default_days, by_task, by_status });
default_of_core!(RetentionPolicy = core::RetentionPolicy);

impl Incoming for RetentionPolicy {
    type Core = core::RetentionPolicy;

    fn into_core(self, _: &mut ProblemReport) -> core::RetentionPolicy {
        self.into()
    }
}
