//! Workflows inside workflows: a node that names another workflow is replaced by its nodes. They have the name of the
//! node before their own (`review/critic`), and work on the same state. Pure.

use std::collections::BTreeMap;

use amelia_core::config::problem::ConfigProblem;
use amelia_core::config::workflow::{END, EdgeDef, EdgeTarget, NodeDef, NodeKind, Workflow};

use super::pattern::written_out;

/// Workflows inside workflows inside workflows: more is a mistake.
const MAX_DEPTH: usize = 8;
/// More nodes than this are a mistake, too.
const MAX_NODES: usize = 2_000;

/// The workflow with the nodes of those that it names. `find` reads another one by its name.
pub fn embed(
    workflow: &Workflow,
    find: &mut dyn FnMut(&str) -> Result<Workflow, String>,
) -> Result<Workflow, Vec<ConfigProblem>> {
    embed_within(workflow, find, &mut vec![workflow.name.clone()])
}

fn embed_within(
    workflow: &Workflow,
    find: &mut dyn FnMut(&str) -> Result<Workflow, String>,
    path: &mut Vec<String>,
) -> Result<Workflow, Vec<ConfigProblem>> {
    let mut whole = written_out(workflow);
    let named: Vec<(String, String)> = whole
        .nodes
        .iter()
        .filter_map(|(node, def)| match &def.kind {
            NodeKind::Workflow { workflow } => Some((node.clone(), workflow.clone())),
            _ => None,
        })
        .collect();
    for (node, name) in named {
        let refused =
            |message: String| vec![ConfigProblem { path: format!("nodes.{node}.workflow"), message }];
        if path.contains(&name) || path.len() >= MAX_DEPTH {
            let chain = path.iter().chain([&name]).cloned().collect::<Vec<_>>().join(" → ");
            return Err(refused(format!("contains itself, or is too deep: {chain}")));
        }
        let inner = find(&name).map_err(refused)?;
        path.push(name.clone());
        let inner = embed_within(&inner, find, path).map_err(|problems| {
            let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
            refused(format!("`{name}` cannot be used: {}", lines.join("; ")))
        })?;
        path.pop();
        put_in(&mut whole, &node, inner);
        if whole.nodes.len() > MAX_NODES {
            return Err(refused(format!("makes more than {MAX_NODES} nodes")));
        }
    }
    Ok(whole)
}

/// The node in which an embedded workflow ends.
fn end_of(node: &str) -> String {
    format!("{node}.end")
}

/// Replaces `node` by a node at which `inner` begins, the nodes of `inner`, and one in which they end.
fn put_in(whole: &mut Workflow, node: &str, inner: Workflow) {
    let end = end_of(node);
    let rename = |name: &str| match name {
        END => end.clone(),
        name => format!("{node}/{name}"),
    };
    for edge in whole.edges.iter_mut().filter(|edge| edge.from == node) {
        edge.from.clone_from(&end);
    }
    let plain = |from: String, to: String| EdgeDef { from, to: EdgeTarget::Node(to), condition: None };
    whole.edges.push(plain(node.to_owned(), rename(&inner.entry_point)));
    let is_task =
        |name: &str| inner.nodes.values().any(|def| def.kind.tasks().iter().any(|task| task == name));
    let has_edge = |name: &str| inner.edges.iter().any(|edge| edge.from == name);
    for last in inner.nodes.keys().filter(|name| !has_edge(name) && !is_task(name)) {
        whole.edges.push(plain(rename(last), end.clone()));
    }
    for edge in &inner.edges {
        let to = match &edge.to {
            EdgeTarget::Node(to) => EdgeTarget::Node(rename(to)),
            EdgeTarget::Choice(labels) => {
                let renamed = labels.iter().map(|(label, to)| (label.clone(), rename(to)));
                EdgeTarget::Choice(renamed.collect::<BTreeMap<_, _>>())
            }
        };
        whole.edges.push(EdgeDef { from: rename(&edge.from), to, condition: edge.condition.clone() });
    }
    whole.checkpoints.extend(inner.checkpoints.iter().map(|name| rename(name)));
    // What the file says about the node happens where the workflow in it ends.
    let before = whole.nodes.insert(node.to_owned(), NodeDef::new(NodeKind::Condition));
    let last =
        NodeDef { kind: NodeKind::Condition, ..before.unwrap_or_else(|| NodeDef::new(NodeKind::Condition)) };
    whole.nodes.insert(end.clone(), last);
    for (name, mut def) in inner.nodes {
        match &mut def.kind {
            NodeKind::Parallel { parallel_tasks } => {
                parallel_tasks.iter_mut().for_each(|task| *task = rename(task));
            }
            NodeKind::Map { task, .. } => *task = rename(task),
            _ => {}
        }
        whole.nodes.insert(rename(&name), def);
    }
}
