//! The tasks of a plan as agents, conditions and templates see them. Pure.

use amelia_core::plan::{Plan, PlanTask};
use serde_json::{Value, json};

pub(crate) fn shown_tasks(plan: &Plan) -> Value {
    plan.tasks.iter().map(shown_task).collect()
}

pub(crate) fn shown_task(task: &PlanTask) -> Value {
    json!({
        "task_id": task.id,
        "description": task.title,
        "status": task.status,
        "assigned_agent": task.agent,
        "priority": task.priority,
        "dependencies": task.dependencies,
        "estimated_duration": task.estimated_duration,
        "metadata": task.metadata,
    })
}
