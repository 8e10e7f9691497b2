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
    /// Cost, in USD.
    pub usd: Option<f64>,
    /// Tokens: input, output, and those written to a cache.
    pub tokens: Option<u64>,
    /// Model calls.
    pub calls: Option<u64>,
    /// Active time in seconds, not counting the time spent waiting for you. Not in `per_agent` and
    /// `per_day`.
    pub wall_seconds: Option<u64>,
}

same_fields!(Budget = budget::Budget { usd, tokens, calls, wall_seconds });

/// Limits per run, per agent and per day. An absent field means no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(default, deny_unknown_fields)]
pub struct Budgets {
    /// Limits of each run.
    pub per_run: Budget,
    /// Limits of each agent of a run.
    pub per_agent: Budget,
    /// Limits of all runs together, per day (UTC). Only in the settings of the server; a profile cannot set them.
    pub per_day: Budget,
}

same_fields!(Budgets = profile::Budgets { per_run, per_agent, per_day });
