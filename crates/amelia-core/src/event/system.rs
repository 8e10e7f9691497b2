//! The program speaks of itself: errors, recoveries, health.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Level, one_line};
use crate::message::Object;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum SystemEvent {
    Failed(SystemError),
    Recovered {
        error: String,
        strategy: String,
        success: bool,
        #[serde(default, skip_serializing_if = "Object::is_empty")]
        details: Object,
    },
    Warned {
        message: String,
        #[serde(default, skip_serializing_if = "Object::is_empty")]
        details: Object,
    },
    Checked {
        component: String,
        status: HealthStatus,
        #[serde(default, skip_serializing_if = "Object::is_empty")]
        metrics: Object,
    },
    Measured {
        name: String,
        value: f64,
        unit: String,
        component: String,
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        tags: BTreeMap<String, String>,
    },
}

/// An error that belongs to no node, or that was survived.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct SystemError {
    pub id: String,
    pub code: String,
    pub message: String,
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub context: Object,
    pub recoverable: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovery: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum HealthStatus {
    Healthy,
    Degraded,
    Unhealthy,
}

impl SystemEvent {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Failed(_) => "system.failed",
            Self::Recovered { .. } => "system.recovered",
            Self::Warned { .. } => "system.warned",
            Self::Checked { .. } => "system.checked",
            Self::Measured { .. } => "system.measured",
        }
    }

    pub(super) fn level(&self) -> Level {
        match self {
            Self::Failed(_) => Level::Error,
            Self::Warned { .. } => Level::Warning,
            Self::Recovered { .. } => Level::Info,
            Self::Checked { .. } | Self::Measured { .. } => Level::Debug,
        }
    }

    pub(super) fn summary(&self) -> String {
        match self {
            Self::Failed(error) => one_line(&error.message),
            Self::Recovered { strategy, success: true, .. } => format!("recovered: {strategy}"),
            Self::Recovered { strategy, success: false, .. } => {
                format!("not recovered: {strategy}")
            }
            Self::Warned { message, .. } => one_line(message),
            Self::Checked { component, status, .. } => {
                let status = match status {
                    HealthStatus::Healthy => "healthy",
                    HealthStatus::Degraded => "degraded",
                    HealthStatus::Unhealthy => "unhealthy",
                };
                format!("{component} is {status}")
            }
            Self::Measured { name, value, unit, .. } => format!("{name} = {value} {unit}"),
        }
    }
}
