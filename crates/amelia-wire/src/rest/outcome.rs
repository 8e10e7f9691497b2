//! What has come of a run that is completed.

use amelia_core::run::RunStatus;
use amelia_core::view::RunRow;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::delivery::{MergedShown, PullRequestShown};
use super::usage::Spent;

/// The result of a completed run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RunOutcome {
    #[schema(required)]
    pub summary: Option<String>,
    pub tasks: Vec<TaskOutcome>,
    /// Valid findings that were deferred.
    #[schema(value_type = Vec<Object>)]
    pub deferred: Vec<Value>,
    #[schema(required)]
    pub cost_usd: Option<f64>,
    #[schema(required)]
    pub branch: Option<String>,
    pub commits: Vec<String>,
    /// Where its changes were merged; `null` if the commit of the merge is gone, and another commit has brought the changes:
    /// then `merged_into` of the diff names the branch that has them.
    #[schema(required)]
    pub merged: Option<MergedShown>,
    #[schema(required)]
    pub pull_request: Option<PullRequestShown>,
}

/// A finished task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TaskOutcome {
    #[serde(rename(deserialize = "task"), alias = "id")]
    pub id: String,
    pub title: String,
    /// `null` if the task changed nothing.
    #[schema(required)]
    pub commit: Option<String>,
    /// Names of checks that failed when a person accepted the task.
    #[serde(default, alias = "checks", deserialize_with = "failed")]
    pub failed_checks: Vec<String>,
    /// Findings that were open when a person accepted the task.
    #[serde(default)]
    pub open_findings: Vec<String>,
}

/// Names, or checks of which those that failed are named.
fn failed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let is_failed = |check: &Value| check.get("passed").and_then(Value::as_bool) == Some(false);
    let name = |check: &Value| match check {
        Value::String(name) => Some(name.clone()),
        check => check.get("name").filter(|_| is_failed(check)).and_then(Value::as_str).map(str::to_owned),
    };
    Ok(Vec::<Value>::deserialize(deserializer)?.iter().filter_map(name).collect())
}

impl RunOutcome {
    /// Of a run that is completed, from its graph's state.
    pub(super) fn of(row: &RunRow, state: &Value) -> Option<Self> {
        if row.view.status != RunStatus::Completed {
            return None;
        }
        let tasks: Vec<TaskOutcome> =
            state.get("commits").and_then(|tasks| Vec::deserialize(tasks).ok()).unwrap_or_default();
        let answer = || state.get("answer").and_then(Value::as_str).map(str::to_owned);
        Some(Self {
            summary: row.view.summary.clone().or_else(answer),
            commits: tasks.iter().filter_map(|task| task.commit.clone()).collect(),
            tasks,
            deferred: state.get("deferred").and_then(Value::as_array).cloned().unwrap_or_default(),
            cost_usd: Spent::from(row.view.spend).known_cost(),
            branch: row.run.spec.place.as_ref().and_then(|place| place.branch.clone()),
            merged: row.view.merged.as_ref().map(Into::into),
            pull_request: row.view.pull_request.as_ref().map(Into::into),
        })
    }
}
