//! A look at changes that are there, without an issue or a plan: review and evaluate; and, when asked, fix what is right
//! and look again. The nodes are those of the implementation.

use std::sync::Arc;

use amelia_core::config::profile::Profile;
use amelia_core::plan::check::check;
use amelia_core::review::Disposition;
use amelia_graph::draw::Drawing;
use amelia_graph::graph::{END, Graph};
use amelia_graph::validate::GraphError;

use super::implementation::deps::Deps;
use super::implementation::nodes;
use super::implementation::nodes::hearing::Hearing;
use super::implementation::state::{Implementation, ImplementationRequest, PlanDraft};
use super::node_factory::NodeFactory;

/// The graph's name.
pub const NAME: &str = "review";

/// Visits of nodes before a person is asked.
const STEPS: u32 = 200;

/// The task that fixes belong to.
const TASK: &str = "**Goal:** Fix what the review of the present changes has found.\n\n### Task 1: Fix the findings\n\n\
                    Implement the findings that you are given, and nothing else.\n";

/// The graph.
pub fn graph(deps: &Arc<Deps>) -> Result<Graph<Implementation>, GraphError> {
    built(&NodeFactory::with(&deps.profile, deps))
}

/// The graph to look at.
pub fn drawing() -> Result<Drawing, GraphError> {
    Ok(built(&NodeFactory::empty(&Profile::default()))?.drawing())
}

fn built(make: &NodeFactory<'_, Deps>) -> Result<Graph<Implementation>, GraphError> {
    Graph::builder(NAME)
        .entry("review")
        .node("review", make.node(|deps| Hearing(nodes::review::ReviewNode(deps))))
        .route(after_review, ["evaluate", END])
        .node("evaluate", make.node(|deps| Hearing(nodes::evaluate::EvaluateNode(deps))))
        .route(after_evaluation, ["develop", "review", "evaluate", END])
        .node("develop", make.node(|deps| Hearing(nodes::develop::DevelopNode(deps))))
        .edge("check")
        .node("check", make.node(nodes::check::CheckNode))
        .route(after_check, ["review", "develop"])
        .limit(STEPS)
        .build()
}

/// The state that a review begins with.
#[must_use]
pub fn begin(wanted: ImplementationRequest) -> Implementation {
    let draft = PlanDraft { markdown: TASK.to_owned(), plan: check(TASK).0 };
    Implementation { wanted, draft: Some(draft), is_approved: true, ..Implementation::default() }
}

fn after_review(state: &Implementation) -> &'static str {
    let has_findings = state.progress.review.as_ref().is_some_and(|review| !review.comments.is_empty());
    if has_findings && !state.progress.is_accepted { "evaluate" } else { END }
}

fn after_evaluation(state: &Implementation) -> &'static str {
    let has = |disposition| {
        state.progress.evaluation.as_ref().is_some_and(|found| found.with(disposition).next().is_some())
    };
    if state.progress.is_accepted || !state.wanted.fix {
        END
    } else if state.progress.clarification.is_some() {
        "evaluate"
    } else if has(Disposition::Implement) {
        "develop"
    } else if has(Disposition::Clarify) {
        "review"
    } else {
        END
    }
}

fn after_check(state: &Implementation) -> &'static str {
    let failed = state.progress.checks.iter().any(|check| !check.passed);
    if failed && !state.progress.is_accepted { "develop" } else { "review" }
}

#[cfg(test)]
#[path = "review_tests.rs"]
mod tests;
