//! From an issue to reviewed commits: plan, validate, approve, then for every task develop, check, review, evaluate,
//! commit. This page is the graph; `routes` decides where it goes, `nodes` do the work. Where tasks may be worked on at
//! the same time, `parallel` adds the lanes for it.

pub mod deps;
pub mod nodes;
mod parallel;
pub mod routes;
pub mod state;

use std::sync::Arc;

use amelia_core::config::profile::Profile;
use amelia_graph::draw::Drawing;
use amelia_graph::graph::{END, Graph};
use amelia_graph::validate::GraphError;

use self::deps::{Deps, lanes};
use self::nodes::hearing::Hearing;
use self::nodes::in_task::InTask;
use self::state::Implementation;
use super::node_factory::NodeFactory;

/// The graph's name.
pub const NAME: &str = "implementation";

/// Visits of nodes before a person is asked; far above what the rounds of every task allow together.
const STEPS: u32 = 2000;

/// The graph.
pub fn graph(deps: &Arc<Deps>) -> Result<Graph<Implementation>, GraphError> {
    built(&NodeFactory::with(&deps.profile, deps))
}

/// The graph to look at, as a profile shapes it.
pub fn drawing(profile: &Profile) -> Result<Drawing, GraphError> {
    Ok(built(&NodeFactory::empty(profile))?.drawing())
}

fn built(make: &NodeFactory<'_, Deps>) -> Result<Graph<Implementation>, GraphError> {
    let (most, mode) = (lanes(make.profile), make.profile.execution_mode);
    let with_lanes = |targets: &[&'static str]| -> Vec<&'static str> {
        targets.iter().copied().chain((most > 1).then_some("divide")).collect()
    };
    let graph = Graph::builder(NAME)
        .entry("start")
        .node("start", make.node(nodes::start::StartNode))
        .route(routes::after_start, ["plan", "validate"])
        .node("plan", make.node(|deps| Hearing(nodes::plan::PlanNode(deps))))
        .edge("validate")
        .node("validate", make.node(nodes::validate::ValidateNode))
        .route(routes::after_validation, ["approve", "plan"])
        .node("approve", make.node(nodes::approve::ApproveNode))
        .route(move |state| routes::after_approval(state, most), with_lanes(&["develop", "plan", "finish"]))
        .node("develop", make.node(|deps| InTask(Hearing(nodes::develop::DevelopNode(deps)))))
        .route(move |state| routes::after_development(state, mode), ["check", "develop"])
        .node("check", make.node(|deps| InTask(nodes::check::CheckNode(deps))))
        .route(routes::after_check, ["review", "develop"])
        .node("review", make.node(|deps| InTask(Hearing(nodes::review::ReviewNode(deps)))))
        .route(routes::after_review, ["evaluate", "commit"])
        .node("evaluate", make.node(|deps| InTask(Hearing(nodes::evaluate::EvaluateNode(deps)))))
        .route(routes::after_evaluation, ["commit", "develop", "review", "evaluate"])
        .node("commit", make.node(|deps| InTask(nodes::commit::CommitNode::whole(deps))))
        .route(move |state| routes::after_commit(state, most), with_lanes(&["develop", "check", "finish"]))
        .node("finish", make.node(nodes::finish::FinishNode))
        .edge(END)
        .limit(STEPS);
    if most > 1 { parallel::with_lanes(graph, make, most).build() } else { graph.build() }
}
