//! What was spent: of one run, and of all.

use std::collections::BTreeMap;

use amelia_core::budget::Spend;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

/// Tokens and money.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Spent {
    pub tokens: u64,
    /// Of the calls whose price is known.
    pub cost_usd: f64,
    pub calls: u64,
    /// Calls whose price nobody knows: they are in `calls`, and not in `cost_usd`.
    pub unpriced_calls: u64,
}

impl From<Spend> for Spent {
    fn from(spend: Spend) -> Self {
        let Spend { usd, tokens, calls, unpriced_calls } = spend;
        Self { tokens, cost_usd: usd, calls, unpriced_calls }
    }
}

/// `GET /usage`
#[derive(Debug, Clone, Default, PartialEq, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct UsageQuery {
    /// Runs created at this moment or later.
    pub since: Option<Timestamp>,
    /// Runs created before this moment.
    pub until: Option<Timestamp>,
    #[param(inline)]
    pub format: UsageFormat,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum UsageFormat {
    #[default]
    Json,
    /// A line per run.
    Csv,
}

/// What all runs have spent, by what one may ask.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Usage {
    pub total: Spent,
    pub runs: Vec<RunUsage>,
    pub agents: BTreeMap<String, Spent>,
    /// An empty name is a model that the provider did not name.
    pub models: BTreeMap<String, Spent>,
    /// By the day (UTC) on which the run was created.
    pub days: BTreeMap<String, Spent>,
}

impl Usage {
    /// A line per run, for spreadsheets.
    #[must_use]
    pub fn csv(&self) -> String {
        let head = "id,title,created_at,tokens,cost_usd,calls,unpriced_calls\r\n".to_owned();
        let line = |run: &RunUsage| {
            let Spent { tokens, cost_usd, calls, unpriced_calls } = run.usage;
            // A spreadsheet takes what begins like this for a formula.
            let mark = if run.title.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
            let title = run.title.replace('"', "\"\"");
            let (id, at) = (run.id, run.created_at);
            format!("{id},\"{mark}{title}\",{at},{tokens},{cost_usd},{calls},{unpriced_calls}\r\n")
        };
        self.runs.iter().map(line).fold(head, |all, line| all + &line)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RunUsage {
    pub id: Uuid,
    pub title: String,
    pub created_at: Timestamp,
    pub usage: Spent,
}

/// `GET …/metrics`: one run in numbers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RunMetrics {
    /// From its start to its end, or to the last event; 0 before it has started.
    pub duration_ms: u64,
    pub active_ms: u64,
    pub usage: Spent,
    pub usage_by_agent: BTreeMap<String, Spent>,
    pub usage_by_model: BTreeMap<String, Spent>,
    pub stages: BTreeMap<String, StageMetrics>,
    pub tools: BTreeMap<String, ToolMetrics>,
    pub events: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StageMetrics {
    pub visits: u32,
    pub duration_ms: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ToolMetrics {
    pub calls: u64,
    pub errors: u64,
    pub duration_ms: u64,
}
