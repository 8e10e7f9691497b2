//! Limits in money, tokens, calls and time.

use amelia_core::{budget, config::profile};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Limits. An absent field means no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(default, deny_unknown_fields)]
pub struct Budget {
    pub usd: Option<f64>,
    pub tokens: Option<u64>,
    pub calls: Option<u64>,
    pub wall_seconds: Option<u64>,
}

same_fields!(Budget = budget::Budget { usd, tokens, calls, wall_seconds });

/// Limits per run, per agent and per day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(default, deny_unknown_fields)]
pub struct Budgets {
    pub per_run: Budget,
    pub per_agent: Budget,
    pub per_day: Budget,
}

same_fields!(Budgets = profile::Budgets { per_run, per_agent, per_day });
