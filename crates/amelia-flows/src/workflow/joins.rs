//! Which nodes wait for several others: those in which the branches of one fork meet. Pure.

use std::collections::{BTreeMap, BTreeSet};

use amelia_core::config::problem::ConfigProblem;
use amelia_core::config::workflow::{END, JoinRule, Workflow};

use super::routes::{Route, Routes};
use super::{exit_of, fork_of};

/// For every node that is a join: the nodes of the graph that it waits for.
pub(super) fn find(
    workflow: &Workflow,
    routes: &Routes,
) -> Result<BTreeMap<String, BTreeSet<String>>, Vec<ConfigProblem>> {
    let mut joins: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut problems = Vec::new();
    for name in workflow.nodes.keys() {
        let Some(fork) = Fork::at(name, workflow, routes) else { continue };
        for node in fork.meetings() {
            let is_any = workflow.nodes.get(node).is_some_and(|def| def.config.join == JoinRule::Any);
            if is_any {
                continue;
            }
            let walks = fork.walks_to(node);
            match walks.iter().find_map(|walk| walk.leaver.as_ref()) {
                Some(leaver) => problems.push(starved(node, name, leaver)),
                None => {
                    let sources = walks.into_iter().flat_map(|walk| walk.sources);
                    joins.entry(node.to_owned()).or_default().extend(sources);
                }
            }
        }
    }
    if problems.is_empty() { Ok(joins) } else { Err(problems) }
}

fn starved(node: &str, fork: &str, leaver: &str) -> ConfigProblem {
    let message = format!(
        "would wait forever (join_starved): the branches that `{fork}` starts meet here, and `{leaver}` can leave by a \
         condition; set `config: {{join: any}}` to run it once for each"
    );
    ConfigProblem { path: format!("nodes.{node}"), message }
}

/// A node that starts several branches.
struct Fork<'a> {
    name: &'a str,
    /// The graph node that does.
    origin: String,
    starts: &'a [String],
    workflow: &'a Workflow,
    routes: &'a Routes,
}

/// The way of a branch to one node.
#[derive(Default)]
struct Walk {
    /// The graph nodes from which it arrives there.
    sources: BTreeSet<String>,
    /// A node on the way whose conditions may lead elsewhere.
    leaver: Option<String>,
    passed: BTreeSet<String>,
}

impl<'a> Fork<'a> {
    fn at(name: &'a str, workflow: &'a Workflow, routes: &'a Routes) -> Option<Self> {
        let (starts, origin) = match routes.of(name) {
            Route::Fork(nodes) => (nodes.as_slice(), exit_of(name, workflow)),
            Route::Choice(choice) => (choice.forks()?, fork_of(name)),
            Route::To(_) | Route::End => return None,
        };
        Some(Self { name, origin, starts, workflow, routes })
    }

    /// The nodes in which branches meet first: what comes after is no meeting of theirs, because they continue as one.
    fn meetings(&self) -> Vec<&'a str> {
        let nodes = self.workflow.nodes.keys().map(String::as_str);
        let shared: Vec<&str> = nodes.filter(|node| self.walks_to(node).len() > 1).collect();
        let is_behind = |node: &str, other: &str| {
            other != node && self.starts.iter().all(|start| !self.walk(start, other).passed.contains(node))
        };
        shared.iter().copied().filter(|node| !shared.iter().any(|other| is_behind(node, other))).collect()
    }

    /// The ways of those branches that arrive at `node`.
    fn walks_to(&self, node: &str) -> Vec<Walk> {
        let walks = self.starts.iter().map(|start| self.walk(start, node));
        walks.filter(|walk| !walk.sources.is_empty()).collect()
    }

    /// Everywhere that a branch may go before it comes to `goal`.
    fn walk(&self, start: &str, goal: &str) -> Walk {
        let mut walk = Walk::default();
        let mut next = vec![(start.to_owned(), self.origin.clone())];
        while let Some((node, from)) = next.pop() {
            if node == goal {
                walk.sources.insert(from);
                continue;
            }
            // Back at the fork, other branches begin.
            if !walk.passed.insert(node.clone()) || node == self.name {
                continue;
            }
            let (targets, from) = match self.routes.of(&node) {
                Route::End => continue,
                Route::To(target) => (vec![target.clone()], exit_of(&node, self.workflow)),
                Route::Fork(targets) => (targets.clone(), exit_of(&node, self.workflow)),
                Route::Choice(choice) => {
                    walk.leaver.get_or_insert_with(|| node.clone());
                    let targets = choice.targets("").into_iter().map(|(target, _)| target);
                    let targets = targets.filter(|target| !target.is_empty());
                    let forked = choice.forks().unwrap_or_default().iter().cloned();
                    (targets.chain(forked).collect(), exit_of(&node, self.workflow))
                }
            };
            let on = targets.into_iter().filter(|target| target != END);
            next.extend(on.map(|target| (target, from.clone())));
        }
        walk
    }
}
