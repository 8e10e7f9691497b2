//! Tasks that every run of a team begins with.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::config::problem::ProblemReport;
use crate::plan::{Plan, PlanTask};

/// A task before a run has it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskTemplate {
    /// Its place, from 1, when absent.
    pub id: Option<String>,
    pub description: String,
    pub agent: Option<String>,
    pub dependencies: Vec<String>,
    pub expected_output: Option<String>,
}

pub(super) fn check(templates: &[TaskTemplate], agents: &BTreeSet<&str>, report: &mut ProblemReport) {
    for (index, template) in templates.iter().enumerate() {
        report.within(format_args!("plan[{index}]"), |report| {
            report.filled("description", &template.description);
            if let Some(agent) = &template.agent {
                report.known("agent", "agent", agent, agents);
            }
        });
    }
    let tasks = templates.iter().zip(1..).map(|(template, place): (_, usize)| PlanTask {
        id: template.id.clone().unwrap_or_else(|| place.to_string()),
        dependencies: template.dependencies.clone(),
        ..PlanTask::default()
    });
    let plan = Plan { tasks: tasks.collect(), ..Plan::default() };
    for problem in plan.problems() {
        report.refuse("plan", problem.to_string());
    }
}
