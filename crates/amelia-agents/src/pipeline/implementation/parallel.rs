//! Tasks beside each other: divide makes a part for each, every lane goes develop, check, review, evaluate, commit by
//! itself, and when all have come, merge makes one of them. The number of lanes is fixed with the profile, and with it
//! the shape of the graph: a lane that has nothing to do is passed through.

use std::sync::Arc;

use amelia_graph::build::Builder;
use amelia_graph::node::Node;

use super::deps::Deps;
use super::nodes::check::CheckNode;
use super::nodes::commit::CommitNode;
use super::nodes::develop::DevelopNode;
use super::nodes::divide::DivideNode;
use super::nodes::evaluate::EvaluateNode;
use super::nodes::hearing::Hearing;
use super::nodes::in_task::InTask;
use super::nodes::lane::InLane;
use super::nodes::merge::MergeNode;
use super::nodes::review::ReviewNode;
use super::nodes::tidy::CleanupNode;
use super::routes;
use super::state::Implementation;
use crate::pipeline::node_factory::NodeFactory;

/// The graph with so many lanes.
pub(super) fn with_lanes(
    mut graph: Builder<Implementation>,
    make: &NodeFactory<'_, Deps>,
    most: usize,
) -> Builder<Implementation> {
    let numbers = || (1_u32..).take(most);
    graph = graph
        .node("divide", make.node(DivideNode))
        .fork(numbers().map(|lane| named("develop", lane)))
        .node("merge", make.node(MergeNode))
        .join(numbers().map(|lane| named("commit", lane)))
        .route(routes::after_merge, ["tidy", "divide"])
        .node("tidy", make.node(CleanupNode))
        .route(move |state| routes::after_tidying(state, most), ["develop", "divide", "finish"]);
    for lane in numbers() {
        graph = one(graph, make, lane);
    }
    graph
}

/// One lane: the nodes of a single task, side by side with others.
fn one(graph: Builder<Implementation>, make: &NodeFactory<'_, Deps>, lane: u32) -> Builder<Implementation> {
    let graph = place(graph, make, lane, "develop", |deps| InTask(Hearing(DevelopNode(deps))));
    let mode = make.profile.execution_mode;
    let after = move |state: &Implementation| routes::after_development(state, mode);
    let graph = follow(graph, lane, after, &["check", "develop", "commit"]);
    let graph = place(graph, make, lane, "check", |deps| InTask(CheckNode(deps)));
    let graph = follow(graph, lane, routes::after_check, &["review", "develop", "commit"]);
    let graph = place(graph, make, lane, "review", |deps| InTask(Hearing(ReviewNode(deps))));
    let graph = follow(graph, lane, routes::after_review, &["evaluate", "commit"]);
    let graph = place(graph, make, lane, "evaluate", |deps| InTask(Hearing(EvaluateNode(deps))));
    let graph = follow(graph, lane, routes::after_evaluation, &["commit", "develop", "review", "evaluate"]);
    let graph = place(graph, make, lane, "commit", |deps| InTask(CommitNode::part(deps)));
    let back = move |state: &Implementation| match state.lanes.open.get(&lane) {
        Some(open) if open.done.is_none() => named(routes::after_part(&state.seen_from(open)), lane),
        _ => "merge".to_owned(),
    };
    graph.route(back, [named("develop", lane), named("check", lane), "merge".to_owned()])
}

fn place<N: Node<Implementation> + 'static>(
    graph: Builder<Implementation>,
    make: &NodeFactory<'_, Deps>,
    lane: u32,
    name: &str,
    node: fn(Arc<Deps>) -> N,
) -> Builder<Implementation> {
    graph.node(&named(name, lane), make.made(|deps| InLane { lane, deps, node }))
}

fn follow(
    graph: Builder<Implementation>,
    lane: u32,
    route: impl Fn(&Implementation) -> &'static str + Send + Sync + 'static,
    targets: &[&str],
) -> Builder<Implementation> {
    let choose = move |state: &Implementation| named(routes::in_lane(state, lane, &route), lane);
    graph.route(choose, targets.iter().map(|target| named(target, lane)))
}

/// `develop 2`
fn named(name: &str, lane: u32) -> String {
    format!("{name} {lane}")
}
