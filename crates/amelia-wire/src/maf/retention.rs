//! How long the past is kept, in and out.

use std::collections::BTreeMap;

use amelia_core::config::problem::ProblemReport;
use amelia_core::config::retention as core;
use serde::{Deserialize, Serialize};

use crate::read::Incoming;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RetentionPolicy {
    pub default_days: u32,
    pub by_task: BTreeMap<String, u32>,
    pub by_status: DaysByStatus,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DaysByStatus {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
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
