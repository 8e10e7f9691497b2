//! From an issue to reviewed commits: plan, validate, approve, then for every task develop, check, review, evaluate,
//! commit. This page is the graph; `routes` decides where it goes, `nodes` do the work. Where tasks may be worked on at
//! the same time, `beside` adds the lanes for it.

mod beside;
pub mod deps;
pub mod nodes;
pub mod routes;
pub mod state;

use std::sync::Arc;

use amelia_graph::graph::{END, Graph};
use amelia_graph::validate::GraphError;

use self::deps::Deps;
use self::state::Implementation;

/// The graph's name.
pub const NAME: &str = "implementation";

/// Visits of nodes before a person is asked; far above what the rounds of every task allow together.
const STEPS: u32 = 2000;

/// The graph.
pub fn graph(shared: &Arc<Deps>) -> Result<Graph<Implementation>, GraphError> {
    let deps = || Arc::clone(shared);
    let (most, mode) = (shared.lanes(), shared.profile.execution_mode);
    let with_lanes = |targets: &[&'static str]| -> Vec<&'static str> {
        targets.iter().copied().chain((most > 1).then_some("divide")).collect()
    };
    let graph = Graph::builder(NAME)
        .entry("start")
        .node("start", nodes::start::Start(deps()))
        .route(routes::after_start, ["plan", "validate"])
        .node("plan", nodes::plan::Plan(deps()))
        .edge("validate")
        .node("validate", nodes::validate::Validate(deps()))
        .route(routes::after_validation, ["approve", "plan"])
        .node("approve", nodes::approve::Approve(deps()))
        .route(move |state| routes::after_approval(state, most), with_lanes(&["develop", "plan", "finish"]))
        .node("develop", nodes::develop::Develop(deps()))
        .route(move |state| routes::after_development(state, mode), ["check", "develop"])
        .node("check", nodes::check::Check(deps()))
        .route(routes::after_check, ["review", "develop"])
        .node("review", nodes::review::Review(deps()))
        .route(routes::after_review, ["evaluate", "commit"])
        .node("evaluate", nodes::evaluate::Evaluate(deps()))
        .route(routes::after_evaluation, ["commit", "develop", "review"])
        .node("commit", nodes::commit::Commit::whole(deps()))
        .route(move |state| routes::after_commit(state, most), with_lanes(&["develop", "finish"]))
        .node("finish", nodes::finish::Finish(deps()))
        .edge(END)
        .limit(STEPS);
    if most > 1 { beside::lanes(graph, shared, most).build() } else { graph.build() }
}
