//! The pipeline state of a run as it is served: from its row, its log, and its graph's own state as JSON.

use amelia_core::plan::Plan;
use amelia_core::plan::check::key_files;
use amelia_core::review::Disposition;
use amelia_core::tracker;
use amelia_core::view::RunRow;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::fold::StateFold;
use super::{Given, agentic_state, base_state, implementation_state};
use crate::amelia::plan::{Design, Issue};

/// What neither the row nor the log of a run knows.
#[derive(Debug, Clone)]
pub struct StateSources<'a> {
    /// The graph's own state.
    pub state: &'a Value,
    /// The diff under review.
    pub changes: Option<String>,
    /// What the only agent is asked to do.
    pub system_prompt: Option<String>,
}

/// AgenticState, ImplementationState or BasePipelineState, by the run's pipeline.
#[must_use]
pub fn shown(row: &RunRow, fold: &StateFold, sources: StateSources<'_>) -> Value {
    let StateSources { state, changes, system_prompt } = sources;
    match row.run.spec.graph.as_str() {
        "single" => serde_json::to_value(agentic_state(row, fold, system_prompt)),
        "implementation" | "review" => {
            let given = Given { code_changes_for_review: changes, ..given(row, fold, state) };
            serde_json::to_value(implementation_state(row, fold, given))
        }
        _ => serde_json::to_value(base_state(row, fold)),
    }
    .unwrap_or_default()
}

/// A part of the graph's state, when it has it.
fn part<T: DeserializeOwned>(state: &Value, path: &str) -> Option<T> {
    T::deserialize(state.pointer(path)?).ok()
}

fn given(row: &RunRow, fold: &StateFold, state: &Value) -> Given {
    let plan: Option<Plan> = part(state, "/draft/plan");
    let evaluation: Option<amelia_core::review::Evaluation> = part(state, "/progress/evaluation");
    let is_review = row.run.spec.graph.as_str() == "review";
    let failed_plan = row.view.failure.as_ref();
    let failed_plan =
        failed_plan.filter(|failure| failure.node.as_ref().is_some_and(|node| node.as_str() == "plan"));
    let input = &row.run.spec.input;
    Given {
        issue: part::<tracker::Issue>(state, "/issue").map(Issue::from),
        design: part::<tracker::Design>(state, "/wanted/design").map(Design::from),
        goal: plan.as_ref().map(|plan| plan.goal.clone()),
        base_commit: row.run.spec.place.as_ref().map(|place| place.base_commit.clone()),
        plan_markdown: part(state, "/draft/markdown"),
        raw_architect_output: fold.architect_output.clone(),
        architect_error: failed_plan.map(|failure| failure.message.clone()),
        plan_path: part::<String>(state, "/plan_path").filter(|path| !path.is_empty()),
        key_files: plan.as_ref().map(key_files).unwrap_or_default(),
        code_changes_for_review: None,
        approved_items: evaluation
            .iter()
            .flat_map(|found| found.with(Disposition::Implement))
            .map(|item| item.number)
            .collect(),
        review_pass: part(state, "/progress/round").filter(|_| is_review).unwrap_or(0),
        max_review_passes: part(input, "/profile/max_review_passes")
            .unwrap_or(Given::default().max_review_passes),
        external_plan: part::<String>(state, "/wanted/plan").is_some(),
    }
}
