//! A run's plan as `plan.json`, in and out. It shows what this dialect has words for: steps, files and acceptance checks of a
//! pipeline's plan are not in it.

use amelia_core::config::problem::ProblemReport;
use amelia_core::config::team::execution::ExecutionConfig;
use amelia_core::id::AgentName;
use amelia_core::message::{ExecutionMode, Object};
use amelia_core::plan::check::MOST_TASKS;
use amelia_core::plan::{self as core, PlanProblem, TaskStatus};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::read::{Refused, shape, verdict};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanDocument {
    #[serde(default)]
    pub goal: String,
    pub tasks: Vec<PlanTask>,
    /// That of the team; to change it, change the team. The same holds for the next two fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub execution_mode: Option<ExecutionMode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub human_intervention_points: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success_criteria: Option<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanTask {
    pub task_id: String,
    pub description: String,
    /// `pending`, `in_progress`, `completed`, `failed`, `skipped` or `cancelled`.
    #[serde(default)]
    #[schema(value_type = String)]
    pub status: TaskStatus,
    /// Who works on it. Default: the agent that begins.
    #[serde(default)]
    pub assigned_agent: Option<String>,
    /// 1 is done first. `high`, `medium` and `low` are 1, 2 and 3.
    #[serde(default, deserialize_with = "priority")]
    pub priority: Option<i64>,
    /// Ids of tasks that must be done first.
    #[serde(default)]
    pub dependencies: Vec<String>,
    /// Such as `15m`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_duration: Option<String>,
    #[serde(default)]
    #[schema(value_type = Object)]
    pub metadata: Object,
}

/// A change of one task. What is absent stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct TaskPatch {
    task_id: String,
    description: Option<String>,
    status: Option<TaskStatus>,
    assigned_agent: Option<String>,
    #[serde(deserialize_with = "priority")]
    priority: Option<i64>,
    dependencies: Option<Vec<String>>,
    estimated_duration: Option<String>,
    metadata: Option<Object>,
}

/// `details` of a `plan_update`: the whole plan, or changes of tasks by their ids.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlanUpdate {
    pub plan: Option<Value>,
    pub tasks: Option<Value>,
}

/// A number, or one of three words.
fn priority<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
    let value = Option::<Value>::deserialize(deserializer)?;
    let number = |value: Value| {
        let word = match value.as_str() {
            Some("high") => Some(1),
            Some("medium") => Some(2),
            Some("low") => Some(3),
            _ => None,
        };
        let number = word.or_else(|| value.as_i64());
        number.ok_or_else(|| D::Error::custom("must be a whole number, high, medium or low"))
    };
    value.map(number).transpose()
}

impl PlanDocument {
    /// The plan of a team.
    #[must_use]
    pub fn of_team(plan: core::Plan, config: &ExecutionConfig) -> Self {
        Self {
            execution_mode: Some(config.mode),
            human_intervention_points: Some(config.human_intervention_points.clone()),
            success_criteria: Some(config.success_criteria.clone()),
            ..Self::from(plan)
        }
    }

    /// Settings of the team that a plan cannot change.
    fn check_settings(&self, config: &ExecutionConfig, report: &mut ProblemReport) {
        let points = &config.human_intervention_points;
        let others = [
            ("execution_mode", self.execution_mode.is_some_and(|mode| mode != config.mode)),
            (
                "human_intervention_points",
                self.human_intervention_points.as_ref().is_some_and(|own| own != points),
            ),
            (
                "success_criteria",
                self.success_criteria.as_ref().is_some_and(|own| *own != config.success_criteria),
            ),
        ];
        for (field, _) in others.into_iter().filter(|(_, is_other)| *is_other) {
            report.refuse(field, "is set by the team: change it with `team_modification`");
        }
    }
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
            estimated_duration: task.estimated_duration,
            metadata: task.metadata,
        });
        Self {
            goal: plan.goal,
            tasks: tasks.collect(),
            execution_mode: None,
            human_intervention_points: None,
            success_criteria: None,
        }
    }
}

/// Reads a plan of a team with these agents; bad names, unknown dependencies and cycles are refused.
pub fn plan(document: Value, agents: &[&str], config: &ExecutionConfig) -> Result<core::Plan, Refused> {
    let document: PlanDocument = shape(document)?;
    let mut report = ProblemReport::default();
    document.check_settings(config, &mut report);
    let mut tasks = Vec::with_capacity(document.tasks.len());
    for (index, task) in document.tasks.into_iter().enumerate() {
        tasks.push(report.within(format_args!("tasks[{index}]"), |report| task.into_core(agents, report)));
    }
    let plan = core::Plan { goal: document.goal, tasks, ..core::Plan::default() };
    check_tasks(&plan, &mut report);
    verdict(plan, report)
}

/// A plan with changes of its tasks. A task that is not there is added.
pub fn patched(plan: core::Plan, changes: Value, agents: &[&str]) -> Result<core::Plan, Refused> {
    let changes: Vec<TaskPatch> = shape(changes).map_err(|refused| refused.of_field("tasks"))?;
    let (mut plan, mut report) = (plan, ProblemReport::default());
    for (index, change) in changes.into_iter().enumerate() {
        report.within(format_args!("tasks[{index}]"), |report| change.apply(&mut plan, agents, report));
    }
    check_tasks(&plan, &mut report);
    verdict(plan, report)
}

/// The tasks as a graph.
fn check_tasks(plan: &core::Plan, report: &mut ProblemReport) {
    if plan.tasks.len() > MOST_TASKS {
        let message = format!("there are {} tasks; at most {MOST_TASKS} can be followed", plan.tasks.len());
        report.refuse("tasks", message);
    }
    for problem in plan.problems() {
        let id = match &problem {
            PlanProblem::DuplicateId(id) | PlanProblem::UnknownDependency { task: id, .. } => Some(id),
            PlanProblem::Cycle(path) => path.first(),
        };
        let index = plan.tasks.iter().rposition(|task| Some(&task.id) == id).unwrap_or_default();
        report.refuse(format_args!("tasks[{index}]"), problem.to_string());
    }
}

/// A name that an agent of the team has.
fn agent_of(name: Option<String>, agents: &[&str], report: &mut ProblemReport) -> Option<AgentName> {
    let name = name?;
    if !agents.contains(&name.as_str()) {
        let message = format!("no agent `{name}` can work on tasks; use one of: {}", agents.join(", "));
        report.refuse("assigned_agent", message);
    }
    AgentName::new(name).ok()
}

impl TaskPatch {
    fn apply(self, plan: &mut core::Plan, agents: &[&str], report: &mut ProblemReport) {
        report.filled("task_id", &self.task_id);
        let place = plan.tasks.iter().position(|task| task.id == self.task_id);
        if place.is_none() || self.description.is_some() {
            report.filled("description", self.description.as_deref().unwrap_or_default());
        }
        let agent = agent_of(self.assigned_agent, agents, report);
        let mut task = place.map_or_else(
            || core::PlanTask { id: self.task_id.clone(), ..core::PlanTask::default() },
            |place| plan.tasks.get(place).cloned().unwrap_or_default(),
        );
        task.title = self.description.unwrap_or(task.title);
        task.agent = agent.or(task.agent);
        task.priority = self.priority.or(task.priority);
        task.dependencies = self.dependencies.unwrap_or(task.dependencies);
        task.estimated_duration = self.estimated_duration.or(task.estimated_duration);
        task.metadata.extend(self.metadata.unwrap_or_default());
        task.metadata.retain(|_, value| !value.is_null());
        match place.and_then(|place| plan.tasks.get_mut(place)) {
            Some(old) => *old = task,
            None => plan.tasks.push(task),
        }
        if let Some(status) = self.status {
            plan.set_status(&self.task_id, status);
        }
    }
}

impl PlanTask {
    fn into_core(self, agents: &[&str], report: &mut ProblemReport) -> core::PlanTask {
        report.filled("task_id", &self.task_id);
        report.filled("description", &self.description);
        let agent = agent_of(self.assigned_agent, agents, report);
        core::PlanTask {
            id: self.task_id,
            title: self.description,
            status: self.status,
            dependencies: self.dependencies,
            agent,
            priority: self.priority,
            estimated_duration: self.estimated_duration,
            metadata: self.metadata,
            ..core::PlanTask::default()
        }
    }
}
