//! What is wrong with a workflow beyond its shape: conditions, templates, meetings that never happen, names that are not
//! there. Everything at once, each with the path of its field.

use std::collections::BTreeSet;

use amelia_core::config::problem::{ConfigProblem, KnownNames, ProblemReport, Validate as _};
use amelia_core::config::workflow::{EdgeTarget, FailureRule, NodeDef, NodeKind, Workflow};
use serde_json::Value;

use super::{compile, tasks_of};
use crate::template;

/// Nodes beside one have longer names, and names are 128 bytes at most.
const MAX_NAME: usize = 64;

/// Every problem of a workflow. `known` are the agents and tools that there are.
#[must_use]
pub fn check(workflow: &Workflow, known: &KnownNames<'_>) -> Vec<ConfigProblem> {
    let mut report = ProblemReport::default();
    workflow.check(&mut report);
    workflow.check_references(known, &mut report);
    check_tasks(workflow, &mut report);
    check_templates(workflow, &mut report);
    check_nodes(workflow, &mut report);
    check_labels(workflow, &mut report);
    let mut problems = report.into_problems();
    if problems.is_empty() {
        problems.extend(compile(workflow, None).err().unwrap_or_default());
    } else if let Err(found) = super::Routes::read(workflow) {
        problems.extend(found);
    }
    problems
}

/// Tasks of a `parallel` or `map` node have no edges of their own, belong to one such node, and do work.
fn check_tasks(workflow: &Workflow, report: &mut ProblemReport) {
    let mut seen = BTreeSet::new();
    for task in tasks_of(workflow) {
        let at = format!("nodes.{task}");
        if !seen.insert(task) {
            report.refuse(&at, "is a task of more than one node");
        }
        if workflow.edges.iter().any(|edge| edge.from == task || edge.to.nodes().any(|node| node == task)) {
            report.refuse(&at, "is a task of another node, so it has no edges of its own");
        }
        if workflow.entry_point == task || workflow.checkpoints.iter().any(|checkpoint| checkpoint == task) {
            report.refuse(&at, "is a task of another node: it cannot be the entry point or a checkpoint");
        }
        let Some(node) = workflow.nodes.get(task) else { continue };
        let is_of_map = workflow.nodes.values().any(|other| match &other.kind {
            NodeKind::Map { task: of_map, .. } => of_map == task,
            _ => false,
        });
        match &node.kind {
            NodeKind::Agent { .. } | NodeKind::Tool { .. } => {}
            NodeKind::Human { .. } | NodeKind::Wait { .. } if !is_of_map => {}
            _ if is_of_map => report.refuse(&at, "is a task of a `map` node: it must be an agent or a tool"),
            _ => report.refuse(
                &at,
                "is a task of a `parallel` node: it must be an agent, a tool, a human or a wait",
            ),
        }
        if node.allow_human_input {
            report.refuse(format!("{at}.allow_human_input"), "is not allowed in a task of another node");
        }
        if is_of_map && node.max_iterations.is_some() {
            report.refuse(format!("{at}.max_iterations"), "is not allowed in a task of a `map` node");
        }
    }
}

/// Labels that never come: a person or a wait sets one of a few.
fn check_labels(workflow: &Workflow, report: &mut ProblemReport) {
    for (index, edge) in workflow.edges.iter().enumerate() {
        let EdgeTarget::Choice(labels) = &edge.to else { continue };
        let node = workflow.nodes.get(&edge.from).filter(|_| edge.condition.is_none());
        let (what, possible): (&str, &[&str]) = match node.map(|node| &node.kind) {
            Some(NodeKind::Human { .. }) => ("human", &["approve", "reject", "modify"]),
            Some(NodeKind::Wait { .. }) => ("wait", &["timeout", "event"]),
            _ => continue,
        };
        let never = labels.keys().find(|label| *label != "default" && !possible.contains(&label.as_str()));
        if let Some(label) = never {
            let message = format!(
                "`{label}` never occurs: a `{what}` node sets `routing_key` to {}",
                possible.join(" or ")
            );
            report.refuse(format_args!("edges[{index}].to.{label}"), message);
        }
    }
}

fn check_templates(workflow: &Workflow, report: &mut ProblemReport) {
    for (name, node) in &workflow.nodes {
        match &node.kind {
            NodeKind::Human { prompt: Some(prompt) } => {
                if let Some(problem) = template::problem(prompt) {
                    report
                        .refuse(format_args!("nodes.{name}.prompt"), format!("is not a template: {problem}"));
                }
            }
            NodeKind::Tool { tool, arguments } => {
                for (key, value) in arguments {
                    let command = (tool == "shell" && key == "command").then(|| value.as_str()).flatten();
                    let problems = match command {
                        Some(command) => template::command_problem(command).into_iter().collect(),
                        None => template_problems(value),
                    };
                    for problem in problems {
                        let at = format!("nodes.{name}.arguments.{key}");
                        report.refuse(at, format!("cannot be used: {problem}"));
                    }
                }
            }
            _ => {}
        }
    }
}

fn template_problems(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => template::problem(text).into_iter().collect(),
        Value::Array(items) => items.iter().flat_map(template_problems).collect(),
        Value::Object(fields) => fields.values().flat_map(template_problems).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

fn check_nodes(workflow: &Workflow, report: &mut ProblemReport) {
    check_roles(workflow, report);
    for (name, node) in &workflow.nodes {
        if name.is_empty() || name.len() > MAX_NAME || name.chars().any(char::is_control) {
            let message =
                format!("the name of a node must have 1 to {MAX_NAME} bytes and no control characters");
            report.refuse(format_args!("nodes.{name}"), message);
        }
        if name.contains('.') || name.contains('/') {
            report.refuse(format_args!("nodes.{name}"), "the name of a node must not contain `.` or `/`");
        }
        if let NodeKind::Parallel { parallel_tasks } = &node.kind
            && parallel_tasks.is_empty()
        {
            report.refuse(format_args!("nodes.{name}.parallel_tasks"), "must not be empty");
        }
        if let NodeKind::Map { over, .. } = &node.kind
            && !is_value_name(over)
        {
            report.refuse(
                format_args!("nodes.{name}.over"),
                format!("must be the name of a value in the state, such as `topics`, but is `{over}`"),
            );
        }
        check_unused(name, node, report);
        for key in node
            .outputs
            .iter()
            .filter(|key| ["messages", "current_agent", "metadata"].contains(&key.as_str()))
        {
            report.refuse(
                format_args!("nodes.{name}.outputs"),
                format!("`{key}` is a field of the state itself"),
            );
        }
    }
}

/// A name, and no expression. What is empty is reported elsewhere.
fn is_value_name(over: &str) -> bool {
    over.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}

/// Every pattern of `patterns` finds its agents among the nodes, and every node has a role in one.
fn check_roles(workflow: &Workflow, report: &mut ProblemReport) {
    if !workflow.is_made_of_patterns() {
        return;
    }
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let written = super::pattern::written_out(workflow);
    for node in written.nodes.values() {
        let NodeKind::Pattern(pattern) = &node.kind else { continue };
        let mut found = ProblemReport::default();
        pattern.check_roles(&mut found);
        for problem in found.into_problems() {
            report.refuse("nodes", problem.message);
        }
        taken.extend(pattern.agents.keys().cloned());
    }
    for name in workflow.nodes.keys().filter(|name| !taken.contains(*name)) {
        let known: BTreeSet<&str> =
            workflow.patterns.iter().flat_map(|used| used.pattern.roles()).copied().collect();
        let known = known.into_iter().collect::<Vec<_>>().join(", ");
        report.refuse(format_args!("nodes.{name}"), format!("has no role in `patterns`; roles are {known}"));
    }
}

/// Settings that would do nothing at a node of this type.
fn check_unused(name: &str, node: &NodeDef, report: &mut ProblemReport) {
    let takes_turns = matches!(node.kind, NodeKind::Agent { .. } | NodeKind::Tool { .. });
    let has_result = matches!(node.kind, NodeKind::Pattern(_) | NodeKind::Map { .. });
    // What a task of a `parallel` node needs and makes decides when it runs.
    let may_be_task = takes_turns || matches!(node.kind, NodeKind::Human { .. } | NodeKind::Wait { .. });
    let unused = [
        ("inputs", !node.inputs.is_empty() && !may_be_task),
        ("outputs", !node.outputs.is_empty() && !may_be_task && !has_result),
        ("max_iterations", node.max_iterations.is_some() && !takes_turns),
    ];
    if node.config.on_failure == FailureRule::Continue && !matches!(node.kind, NodeKind::Tool { .. }) {
        report.refuse(format_args!("nodes.{name}.config.on_failure"), "is allowed only for a `tool` node");
    }
    for (field, _) in unused.into_iter().filter(|(_, is_unused)| *is_unused) {
        report.refuse(format_args!("nodes.{name}.{field}"), "is not allowed for this type of node");
    }
    if has_result && node.outputs.len() > 1 {
        report.refuse(format_args!("nodes.{name}.outputs"), "must be one name, the name of the result");
    }
}
