//! From an issue to reviewed commits: plan, validate, approve, then for every task develop, check, review, evaluate,
//! commit. This page is the graph; `routes` decides where it goes, `nodes` do the work.

pub mod deps;
pub mod nodes;
pub mod routes;
pub mod state;

use std::sync::Arc;

use amelia_graph::draw::Drawing;
use amelia_graph::graph::{END, Graph};
use amelia_graph::validate::GraphError;

use self::deps::Deps;
use self::state::Implementation;
use super::staff::Staff;

/// The graph's name.
pub const NAME: &str = "implementation";

/// Visits of nodes before a person is asked; far above what the rounds of every task allow together.
const STEPS: u32 = 2000;

/// The graph.
pub fn graph(deps: &Arc<Deps>) -> Result<Graph<Implementation>, GraphError> {
    staffed(&Staff::Real(deps))
}

/// The graph to look at.
pub fn drawing() -> Result<Drawing, GraphError> {
    Ok(staffed(&Staff::Nobody)?.drawing())
}

fn staffed(staff: &Staff<'_>) -> Result<Graph<Implementation>, GraphError> {
    Graph::builder(NAME)
        .entry("start")
        .node("start", staff.node(nodes::start::Start))
        .route(routes::after_start, ["plan", "validate"])
        .node("plan", staff.node(nodes::plan::Plan))
        .edge("validate")
        .node("validate", staff.node(nodes::validate::Validate))
        .route(routes::after_validation, ["approve", "plan"])
        .node("approve", staff.node(nodes::approve::Approve))
        .route(routes::after_approval, ["develop", "plan"])
        .node("develop", staff.node(nodes::develop::Develop))
        .edge("check")
        .node("check", staff.node(nodes::check::Check))
        .route(routes::after_check, ["review", "develop"])
        .node("review", staff.node(nodes::review::Review))
        .route(routes::after_review, ["evaluate", "commit"])
        .node("evaluate", staff.node(nodes::evaluate::Evaluate))
        .route(routes::after_evaluation, ["commit", "develop", "review"])
        .node("commit", staff.node(nodes::commit::Commit))
        .route(routes::after_commit, ["develop", "finish"])
        .node("finish", staff.node(nodes::finish::Finish))
        .edge(END)
        .limit(STEPS)
        .build()
}
