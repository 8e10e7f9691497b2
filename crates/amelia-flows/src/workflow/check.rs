//! What is wrong with a workflow beyond its shape: conditions, templates, meetings that never happen, names that are not
//! there. Everything at once, each with the path of its field.

use std::collections::BTreeSet;

use amelia_core::config::problem::{ConfigProblem, KnownNames, ProblemReport, Validate as _};
use amelia_core::config::workflow::{NodeKind, Workflow};
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
    let mut problems = report.into_problems();
    if problems.is_empty() {
        problems.extend(compile(workflow, None).err().unwrap_or_default());
    } else if let Err(found) = super::Routes::read(workflow) {
        problems.extend(found);
    }
    problems
}

/// Tasks of a `parallel` node have no edges of their own, belong to one such node, and do work.
fn check_tasks(workflow: &Workflow, report: &mut ProblemReport) {
    let mut seen = BTreeSet::new();
    for task in tasks_of(workflow) {
        let at = format!("nodes.{task}");
        if !seen.insert(task) {
            report.refuse(&at, "is a task of more than one `parallel` node");
        }
        if workflow.edges.iter().any(|edge| edge.from == task || edge.to.nodes().any(|node| node == task)) {
            report.refuse(&at, "is a task of a `parallel` node, so it has no edges of its own");
        }
        if workflow.entry_point == task || workflow.checkpoints.iter().any(|checkpoint| checkpoint == task) {
            report
                .refuse(&at, "is a task of a `parallel` node: it cannot be the entry point or a checkpoint");
        }
        let kind = workflow.nodes.get(task).map(|node| &node.kind);
        if matches!(kind, Some(NodeKind::Parallel { .. } | NodeKind::Condition)) {
            report.refuse(&at, "is a task of a `parallel` node: it must be an agent, a tool or a human");
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
            NodeKind::Agent { .. }
            | NodeKind::Condition
            | NodeKind::Parallel { .. }
            | NodeKind::Human { .. } => {}
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
    if !workflow.patterns.is_empty() {
        report.refuse("patterns", "is not supported yet: write nodes and edges");
    }
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
        if node.allow_human_input {
            report.refuse(
                format_args!("nodes.{name}.allow_human_input"),
                "is not supported yet: add a `human` node",
            );
        }
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
