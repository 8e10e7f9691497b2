//! Which nodes wait for several others: those in which the branches of one fork meet. Pure.

use std::collections::{BTreeMap, BTreeSet};

use amelia_core::config::problem::ConfigProblem;
use amelia_core::config::workflow::{END, JoinRule, Workflow};

use super::routes::{Route, Routes};
use super::{fork_of, meeting_of};
use amelia_core::config::workflow::NodeKind;

/// For every node that is a join: the nodes of the graph that it waits for.
pub(super) fn find(
    workflow: &Workflow,
    routes: &Routes,
) -> Result<BTreeMap<String, BTreeSet<String>>, Vec<ConfigProblem>> {
    let mut joins = BTreeMap::new();
    let mut problems = Vec::new();
    for name in workflow.nodes.keys() {
        let starts = match routes.of(name) {
            Route::Fork(nodes) => nodes.as_slice(),
            Route::Choice(choice) => choice.forks().unwrap_or_default(),
            Route::To(_) | Route::End => continue,
        };
        let branches: Vec<ForkBranch> =
            starts.iter().map(|start| ForkBranch::follow(start, routes)).collect();
        for (node, def) in &workflow.nodes {
            if def.config.join == JoinRule::Any {
                continue;
            }
            let arriving: Vec<&ForkBranch> =
                branches.iter().filter(|branch| branch.arrives.contains_key(node)).collect();
            if arriving.len() < 2 || is_behind_another_meeting(node, &branches) {
                continue;
            }
            if let Some(leaver) = arriving.iter().find_map(|branch| branch.leaver.as_ref()) {
                problems.push(ConfigProblem {
                    path: format!("nodes.{node}"),
                    message: format!(
                        "would wait for ever (join_starved): the branches that `{name}` starts meet here, and \
                         `{leaver}` can leave by a condition; set `config: {{join: any}}` to run it once for each"
                    ),
                });
                continue;
            }
            let sources = arriving.iter().filter_map(|branch| branch.arrives.get(node)).cloned();
            joins.insert(node.clone(), sources.map(|source| graph_node(&source, name, workflow)).collect());
        }
    }
    if problems.is_empty() { Ok(joins) } else { Err(problems) }
}

/// Branches that have met go on as one: what comes after the place where they meet is no meeting of theirs.
fn is_behind_another_meeting(node: &str, branches: &[ForkBranch]) -> bool {
    let meets_before = |branch: &ForkBranch| {
        let path = branch.path.iter().take_while(|passed| passed.as_str() != node);
        path.clone()
            .any(|passed| branches.iter().filter(|other| other.arrives.contains_key(passed)).count() > 1)
    };
    branches.iter().filter(|branch| branch.arrives.contains_key(node)).all(meets_before)
}

/// The graph node from which an edge of the file starts.
fn graph_node(source: &str, fork: &str, workflow: &Workflow) -> String {
    if source == fork {
        return fork_of(source);
    }
    match workflow.nodes.get(source).map(|node| &node.kind) {
        Some(NodeKind::Parallel { .. }) => meeting_of(source),
        _ => source.to_owned(),
    }
}

/// One branch of a fork, as far as it is certain where it goes.
struct ForkBranch {
    /// Nodes in the order in which they are reached.
    path: Vec<String>,
    /// For every node after the first: from where it is reached.
    arrives: BTreeMap<String, String>,
    /// The node whose conditions decide how it goes on.
    leaver: Option<String>,
}

impl ForkBranch {
    fn follow(start: &str, routes: &Routes) -> Self {
        let mut branch = Self { path: vec![start.to_owned()], arrives: BTreeMap::new(), leaver: None };
        let mut next = vec![start.to_owned()];
        let mut seen: BTreeSet<String> = BTreeSet::from([start.to_owned()]);
        while let Some(node) = next.pop() {
            let targets: Vec<String> = match routes.of(&node) {
                Route::End => Vec::new(),
                Route::To(target) => vec![target.clone()],
                Route::Fork(targets) => targets.clone(),
                Route::Choice(choice) => {
                    branch.leaver.get_or_insert_with(|| node.clone());
                    choice.targets(&fork_of(&node)).into_iter().map(|(target, _)| target).collect()
                }
            };
            for target in targets.into_iter().filter(|target| target != END) {
                branch.arrives.entry(target.clone()).or_insert_with(|| node.clone());
                if seen.insert(target.clone()) {
                    branch.path.push(target.clone());
                    next.push(target);
                }
            }
        }
        branch
    }
}
