//! Tasks that every run of a team begins with.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::config::problem::ProblemReport;
use crate::id::AgentName;
use crate::object::Object;
use crate::plan::check::MOST_TASKS;
use crate::plan::{Plan, PlanProblem, PlanTask};

/// In the metadata of a task.
pub const EXPECTED_OUTPUT: &str = "expected_output";

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

/// The plan that a run begins with.
#[must_use]
pub fn first_plan(templates: &[TaskTemplate], goal: &str) -> Plan {
    let tasks = templates.iter().zip(1..).map(|(template, place): (_, usize)| {
        let expected = template.expected_output.iter();
        let expected = expected.map(|text| (EXPECTED_OUTPUT.to_owned(), Value::String(text.clone())));
        PlanTask {
            id: template.id.clone().unwrap_or_else(|| place.to_string()),
            title: template.description.clone(),
            // What is no name of an agent was refused with the file.
            agent: template.agent.as_ref().and_then(|agent| AgentName::new(agent).ok()),
            dependencies: template.dependencies.clone(),
            metadata: expected.collect::<Object>(),
            ..PlanTask::default()
        }
    });
    Plan { goal: goal.to_owned(), tasks: tasks.collect(), ..Plan::default() }
}

pub(super) fn check(templates: &[TaskTemplate], agents: &BTreeSet<&str>, report: &mut ProblemReport) {
    if templates.len() > MOST_TASKS {
        report.refuse(
            "plan",
            format!("there are {} tasks; at most {MOST_TASKS} can be followed", templates.len()),
        );
    }
    for (index, template) in templates.iter().enumerate() {
        report.within(format_args!("plan[{index}]"), |report| {
            report.filled("description", &template.description);
            if let Some(id) = &template.id {
                report.filled("id", id);
            }
            if let Some(agent) = &template.agent {
                report.known("agent", "agent", agent, agents);
            }
        });
    }
    let plan = first_plan(templates, "");
    for problem in plan.problems() {
        report.refuse(place_of(&problem, &plan), problem.to_string());
    }
}

/// Where a problem of the tasks is in the file.
fn place_of(problem: &PlanProblem, plan: &Plan) -> String {
    let position = |id: &str| plan.tasks.iter().position(|task| task.id == id).unwrap_or_default();
    match problem {
        PlanProblem::DuplicateId(id) => {
            let last = plan.tasks.iter().rposition(|task| task.id == *id);
            format!("plan[{}].id", last.unwrap_or_default())
        }
        PlanProblem::UnknownDependency { task, dependency } => {
            // Several tasks may have the id; one of them names it.
            let names = |other: &PlanTask| other.id == *task && other.dependencies.contains(dependency);
            let index = plan.tasks.iter().position(names).unwrap_or_default();
            let all = plan.tasks.get(index).map(|task| task.dependencies.as_slice()).unwrap_or_default();
            let place = all.iter().position(|id| id == dependency).unwrap_or_default();
            format!("plan[{index}].dependencies[{place}]")
        }
        PlanProblem::Cycle(path) => {
            format!("plan[{}].dependencies", path.first().map_or(0, |id| position(id)))
        }
    }
}
