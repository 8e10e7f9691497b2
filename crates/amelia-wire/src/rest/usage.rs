//! What was spent: of one run, and of all.

use std::collections::BTreeMap;

use amelia_core::budget::Spend;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

/// Tokens and cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(from = "SpentShown", into = "SpentShown")]
pub struct Spent {
    pub tokens: u64,
    /// Cost of the calls whose price is known; `null` if there are calls, but none with a known price.
    #[schema(value_type = Option<f64>, required)]
    #[cfg_attr(test, ts(as = "Option<f64>"))]
    pub cost_usd: f64,
    pub calls: u64,
    /// Calls with an unknown price. `calls` includes them, `cost_usd` does not.
    pub unpriced_calls: u64,
    /// Calls for which the provider reported no tokens. Their tokens and cost are estimated.
    pub estimated_calls: u64,
}

/// The same as it is written: what is not known is not 0.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct SpentShown {
    tokens: u64,
    cost_usd: Option<f64>,
    calls: u64,
    unpriced_calls: u64,
    #[serde(default)]
    estimated_calls: u64,
}

impl From<Spent> for SpentShown {
    fn from(spent: Spent) -> Self {
        let Spent { tokens, calls, unpriced_calls, estimated_calls, .. } = spent;
        Self { tokens, cost_usd: spent.known_cost(), calls, unpriced_calls, estimated_calls }
    }
}

impl From<SpentShown> for Spent {
    fn from(shown: SpentShown) -> Self {
        let SpentShown { tokens, cost_usd, calls, unpriced_calls, estimated_calls } = shown;
        Self { tokens, cost_usd: cost_usd.unwrap_or(0.0), calls, unpriced_calls, estimated_calls }
    }
}

impl Spent {
    /// What the calls with a known price cost; `None` when there are calls, and none of them has one.
    #[must_use]
    pub fn known_cost(&self) -> Option<f64> {
        let is_known = self.calls == 0 || self.unpriced_calls < self.calls;
        is_known.then_some(self.cost_usd)
    }

    /// `None` when there are calls that were not counted.
    #[must_use]
    pub fn known_tokens(&self) -> Option<u64> {
        (self.calls == 0 || self.tokens > 0).then_some(self.tokens)
    }
}

impl From<Spend> for Spent {
    fn from(spend: Spend) -> Self {
        let Spend { usd, tokens, calls, unpriced_calls, estimated_calls } = spend;
        Self { tokens, cost_usd: usd, calls, unpriced_calls, estimated_calls }
    }
}

/// `GET /usage`
#[derive(Debug, Clone, Default, PartialEq, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct UsageQuery {
    /// Runs created at this time or later.
    pub since: Option<Timestamp>,
    /// Runs created before this time.
    pub until: Option<Timestamp>,
    #[param(inline)]
    pub format: UsageFormat,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum UsageFormat {
    #[default]
    Json,
    /// One line per run.
    Csv,
}

/// Usage of all runs, in total and by run, agent, model, profile and day.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Usage {
    pub total: Spent,
    pub runs: Vec<RunUsage>,
    pub agents: BTreeMap<String, Spent>,
    /// An empty name stands for a model that the provider did not name.
    pub models: BTreeMap<String, Spent>,
    /// An empty name stands for runs without a profile.
    pub profiles: BTreeMap<String, Spent>,
    /// By the day (UTC) on which a run was created.
    pub days: BTreeMap<String, Spent>,
    /// The same days, oldest first, by model, agent and profile. Days without runs are omitted.
    pub daily: Vec<DayUsage>,
    pub outcomes: Outcomes,
}

/// Usage of the runs created on one day.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct DayUsage {
    /// `2026-01-31`
    pub day: String,
    pub models: BTreeMap<String, Spent>,
    pub agents: BTreeMap<String, Spent>,
    pub profiles: BTreeMap<String, Spent>,
    pub outcomes: Outcomes,
}

/// Number of runs by result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Outcomes {
    pub completed: u64,
    pub failed: u64,
    pub cancelled: u64,
    /// Not ended yet.
    pub open: u64,
}

impl Usage {
    /// A line per run, for spreadsheets. What is not known is empty.
    #[must_use]
    pub fn csv(&self) -> String {
        let head = "id,title,created_at,tokens,cost_usd,calls,unpriced_calls,estimated_calls\r\n".to_owned();
        let line = |run: &RunUsage| {
            let (id, title, at) = (run.id, csv_text(&run.title), run.created_at);
            format!("{id},{title},{at},{}\r\n", run.usage.csv())
        };
        self.runs.iter().map(line).fold(head, |all, line| all + &line)
    }
}

impl Spent {
    /// `tokens,cost_usd,calls,unpriced_calls,estimated_calls`
    #[must_use]
    pub fn csv(&self) -> String {
        let tokens = self.known_tokens().map(|tokens| tokens.to_string()).unwrap_or_default();
        let cost = self.known_cost().map(|cost| cost.to_string()).unwrap_or_default();
        format!("{tokens},{cost},{},{},{}", self.calls, self.unpriced_calls, self.estimated_calls)
    }
}

/// Text in a cell of a spreadsheet.
#[must_use]
pub fn csv_text(text: &str) -> String {
    // What begins like this would be a formula.
    let mark = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
    format!("\"{mark}{}\"", text.replace('"', "\"\""))
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RunUsage {
    pub id: Uuid,
    /// Short id, such as `r12`.
    pub short_id: String,
    pub title: String,
    pub created_at: Timestamp,
    pub usage: Spent,
}

/// `GET …/metrics`: durations and usage of one run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RunMetrics {
    /// From the start of the run to its end or last event; 0 if it has not started.
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
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct StageMetrics {
    pub visits: u32,
    pub duration_ms: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ToolMetrics {
    pub calls: u64,
    pub errors: u64,
    pub duration_ms: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_knows_is_empty_and_what_is_nothing_is_zero() {
        let spent = |tokens, cost_usd, calls, unpriced_calls| Spent {
            tokens,
            cost_usd,
            calls,
            unpriced_calls,
            estimated_calls: 0,
        };
        for (spent, line) in [
            (spent(0, 0.0, 0, 0), "0,0,0,0,0"),
            (spent(10, 0.0, 2, 2), "10,,2,2,0"),
            (spent(10, 0.5, 2, 1), "10,0.5,2,1,0"),
            (spent(10, 0.0, 2, 0), "10,0,2,0,0"),
            (spent(0, 0.5, 2, 0), ",0.5,2,0,0"),
        ] {
            assert_eq!(spent.csv(), line, "{spent:?}");
        }
    }

    #[test]
    fn a_cost_that_is_not_known_is_null_and_never_0() {
        let written = |spent: Spent| serde_json::to_value(spent).unwrap()["cost_usd"].clone();
        let spent = |calls, unpriced_calls| Spent { tokens: 1, calls, unpriced_calls, ..Spent::default() };
        assert_eq!(written(spent(2, 2)), serde_json::Value::Null);
        assert_eq!((written(spent(0, 0)), written(spent(2, 1))), (0.0.into(), 0.0.into()));
        let read: Spent = serde_json::from_value(serde_json::to_value(spent(2, 2)).unwrap()).unwrap();
        assert_eq!(read, spent(2, 2));
    }

    #[test]
    fn a_cell_is_text_whatever_it_begins_with() {
        assert_eq!(csv_text("say \"hi\", then"), "\"say \"\"hi\"\", then\"");
        assert_eq!(csv_text("=1+1"), "\"'=1+1\"");
    }
}
