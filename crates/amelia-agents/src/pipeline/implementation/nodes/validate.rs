//! Whether the plan can be shown to a person. Judges form; costs nothing.

use std::sync::Arc;

use amelia_core::event::{EventKind, PlanEvent};
use amelia_core::plan::check::{check, check_written, key_files};
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;

use super::note;
use crate::pipeline::implementation::deps::Deps;
use crate::pipeline::implementation::state::{Implementation, Update};

pub struct ValidateNode(pub Arc<Deps>);

/// The Architect got the same finding before, and has not changed it: it does not get it a third time.
fn is_repeated(state: &Implementation, problems: &[String]) -> bool {
    state.revisions > 0 && !problems.is_empty() && state.problems == problems
}

#[async_trait]
impl Node<Implementation> for ValidateNode {
    async fn run(&self, cx: &NodeCx, state: &Implementation) -> Result<Outcome<Update>, NodeError> {
        let markdown = state.draft.as_ref().map(|draft| draft.markdown.as_str()).unwrap_or_default();
        let wanted = &state.wanted;
        let is_from_data = wanted.given.is_some() && wanted.plan.as_deref() == Some(markdown);
        let (plan, mut verdict) = if is_from_data { check_written(markdown) } else { check(markdown) };
        verdict.extend(self.0.problems_here(&plan).await?);
        let problems = verdict.issues.clone();
        if verdict.is_valid() {
            let tasks = u32::try_from(plan.tasks.len()).unwrap_or(u32::MAX);
            let validated =
                PlanEvent::Validated { goal: plan.goal.clone(), tasks, key_files: key_files(&plan) };
            note(cx, EventKind::Plan(validated));
        } else {
            note(cx, EventKind::Plan(PlanEvent::Refused { verdict, revision: state.revisions + 1 }));
        }
        let is_out_of_revisions =
            state.revisions >= self.0.profile.max_plan_revisions || is_repeated(state, &problems);
        Ok(Outcome::Done(vec![Update::Judged { problems, is_out_of_revisions }]))
    }
}
