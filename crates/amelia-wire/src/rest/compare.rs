//! Two runs side by side.

use amelia_core::check::CheckResult;
use amelia_core::event::{Event, EventKind, ReviewEvent, TaskEvent};
use amelia_core::view::RunRow;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::delivery::UndoneWay;
use super::run::{RunSummary, Stage, stages};
use super::travel::ChangedFile;
use super::why::Worker;
use crate::facts::milliseconds;
use crate::status::Status;

/// `GET /compare`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CompareQuery {
    pub a: Uuid,
    pub b: Uuid,
}

/// Plan, changes, checks, cost and time of two runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Compared {
    pub a: ComparedRun,
    pub b: ComparedRun,
    /// Names of the fields that differ.
    pub different: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ComparedRun {
    #[serde(flatten)]
    pub run: RunSummary,
    pub duration_ms: u64,
    pub active_ms: u64,
    pub visits: std::collections::BTreeMap<String, Stage>,
    /// The result of a completed run.
    #[schema(required)]
    pub summary: Option<String>,
    /// `null` if there is no plan yet.
    pub plan: Value,
    /// `null` if there is no plan.
    #[schema(required)]
    pub tasks: Option<TasksDone>,
    /// The last checks that ran, in any task.
    pub checks: Value,
    /// Review rounds of all tasks; `review_round` is that of the last task.
    pub review_rounds: u32,
    /// `null` if the changes cannot be read, for example because the worktree is gone.
    #[schema(required)]
    pub files: Option<Vec<ChangedFile>>,
}

/// Progress of the tasks of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TasksDone {
    pub done: u64,
    pub total: u64,
}

/// How the work of all tasks was judged, as the log says it: the state has only the task that is worked on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JudgedWork {
    review_rounds: u32,
    checks: Option<Vec<CheckResult>>,
}

impl JudgedWork {
    pub fn apply(&mut self, event: &Event) {
        if let EventKind::Task(TaskEvent::Checked { checks, .. }) = &event.draft.kind {
            self.checks = Some(checks.clone());
        }
        if let EventKind::Review(ReviewEvent::Requested { .. }) = &event.draft.kind {
            self.review_rounds = self.review_rounds.saturating_add(1);
        }
    }
}

impl ComparedRun {
    /// A run with its state, its log and what it has changed, as another service knows them.
    #[must_use]
    pub fn new(
        row: &RunRow,
        worker: &Worker,
        state: &Value,
        judged: &JudgedWork,
        files: Option<Vec<ChangedFile>>,
    ) -> Self {
        let view = &row.view;
        let end = view.ended_at.or(view.updated_at);
        // Where the state of one pipeline has it, and where that of another.
        let known = |paths: [&str; 2]| {
            let mut found = paths.into_iter().filter_map(|path| state.pointer(path));
            found.next().cloned().unwrap_or_default()
        };
        let plan = known(["/draft/plan", "/plan"]);
        let tasks = plan.get("tasks").and_then(Value::as_array).map(|tasks| TasksDone {
            done: state.get("task").and_then(Value::as_u64).unwrap_or(0),
            total: tasks.len() as u64,
        });
        Self {
            run: RunSummary::new(row, worker),
            duration_ms: view.started_at.zip(end).map_or(0, |(start, end)| milliseconds(start, end)),
            active_ms: view.active_ms,
            visits: stages(row),
            summary: view.summary.clone(),
            plan,
            tasks,
            checks: judged.checks.as_ref().map_or_else(
                || known(["/progress/checks", "/checks"]),
                |checks| serde_json::to_value(checks).unwrap_or_default(),
            ),
            review_rounds: judged.review_rounds,
            files,
        }
    }
}

impl Compared {
    #[must_use]
    pub fn new(a: ComparedRun, b: ComparedRun) -> Self {
        let cases = [
            ("status", standing(&a.run) != standing(&b.run)),
            ("plan", a.plan != b.plan),
            ("checks", verdicts(&a.checks) != verdicts(&b.checks)),
            ("files", a.files != b.files),
            ("usage", a.run.usage != b.run.usage),
            ("visits", a.visits != b.visits),
        ];
        let different = cases.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name.to_owned());
        Self { different: different.collect(), a, b }
    }
}

/// A merged run does not stand where one stands that is only completed.
fn standing(run: &RunSummary) -> (Status, Option<Option<UndoneWay>>) {
    (run.status, run.merged.as_ref().map(|merged| merged.undone))
}

/// How each check came out. How long it took, and what it printed, differs from run to run.
fn verdicts(checks: &Value) -> Vec<(Option<&Value>, Option<&Value>)> {
    let all = checks.as_array().into_iter().flatten();
    all.map(|check| (check.get("name"), check.get("passed"))).collect()
}
