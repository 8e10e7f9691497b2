//! A run's plan as `plan.json`, in and out. It shows what this dialect has words for: a plan that goes out and
//! comes back loses steps, files and acceptance checks, so its reader merges one by task id.

use amelia_core::config::problem::ProblemReport;
use amelia_core::id::AgentName;
use amelia_core::message::Object;
use amelia_core::plan::{self as core, TaskStatus};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::read::{Refused, shape, verdict};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanDocument {
    #[serde(default)]
    pub goal: String,
    pub tasks: Vec<PlanTask>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanTask {
    pub task_id: String,
    pub description: String,
    #[serde(default)]
    pub status: TaskStatus,
    #[serde(default)]
    pub assigned_agent: Option<String>,
    #[serde(default)]
    pub priority: Option<i64>,
    #[serde(default)]
    pub dependencies: Vec<String>,
    #[serde(default)]
    pub metadata: Object,
}

impl From<core::Plan> for PlanDocument {
    fn from(plan: core::Plan) -> Self {
        let tasks = plan.tasks.into_iter().map(|task| PlanTask {
            task_id: task.id,
            description: task.title,
            status: task.status,
            assigned_agent: task.agent.map(|agent| agent.to_string()),
            priority: task.priority,
            dependencies: task.dependencies,
            metadata: task.metadata,
        });
        Self { goal: plan.goal, tasks: tasks.collect() }
    }
}

/// Reads a plan; bad names, unknown dependencies and cycles are refused.
pub fn plan(document: Value) -> Result<core::Plan, Refused> {
    let document: PlanDocument = shape(document)?;
    let mut report = ProblemReport::default();
    let mut tasks = Vec::with_capacity(document.tasks.len());
    for (index, task) in document.tasks.into_iter().enumerate() {
        tasks.push(report.within(format_args!("tasks[{index}]"), |report| task.into_core(report)));
    }
    let plan = core::Plan { goal: document.goal, tasks, ..core::Plan::default() };
    for problem in plan.problems() {
        report.refuse("tasks", problem.to_string());
    }
    verdict(plan, report)
}

impl PlanTask {
    fn into_core(self, report: &mut ProblemReport) -> core::PlanTask {
        report.filled("task_id", &self.task_id);
        report.filled("description", &self.description);
        let agent = self.assigned_agent.map(AgentName::new).transpose().unwrap_or_else(|bad| {
            report.refuse("assigned_agent", bad.to_string());
            None
        });
        core::PlanTask {
            id: self.task_id,
            title: self.description,
            status: self.status,
            dependencies: self.dependencies,
            agent,
            priority: self.priority,
            metadata: self.metadata,
            ..core::PlanTask::default()
        }
    }
}
