//! The task graph and the structured design.

use amelia_core::config::problem::{ConfigProblem, ProblemReport, Validate};
use amelia_core::plan as core;
use amelia_core::tracker;
use core::FileOperation as Operation;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::amelia::sectioned_design::SectionedDesign;
use crate::read::{Refused, shape, verdict};

/// Tasks that depend on each other without cycles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskDAG {
    pub tasks: Vec<Task>,
    pub original_issue: String,
}

/// A unit of work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    pub id: String,
    pub description: String,
    #[serde(default)]
    pub status: core::TaskStatus,
    #[serde(default)]
    pub dependencies: Vec<String>,
    #[serde(default)]
    pub files: Vec<FileOperation>,
    #[serde(default)]
    pub steps: Vec<TaskStep>,
    #[serde(default)]
    pub commit_message: Option<String>,
}

/// A file to be created, modified or tested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileOperation {
    pub operation: Operation,
    pub path: String,
    #[serde(default)]
    pub line_range: Option<String>,
}

same_fields!(FileOperation = core::FileOp { operation, path, line_range });

/// A few minutes of work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskStep {
    pub description: String,
    #[serde(default)]
    pub code: Option<String>,
    #[serde(default)]
    pub command: Option<String>,
    #[serde(default)]
    pub expected_output: Option<String>,
}

same_fields!(TaskStep = core::PlanStep { description, code, command, expected_output });

impl From<core::PlanTask> for Task {
    fn from(task: core::PlanTask) -> Self {
        Self {
            id: task.id,
            description: task.title,
            status: task.status,
            dependencies: task.dependencies,
            files: task.files.into_iter().map(Into::into).collect(),
            steps: task.steps.into_iter().map(Into::into).collect(),
            commit_message: task.commit_message,
        }
    }
}

impl From<Task> for core::PlanTask {
    fn from(task: Task) -> Self {
        Self {
            id: task.id,
            title: task.description,
            status: task.status,
            dependencies: task.dependencies,
            files: task.files.into_iter().map(Into::into).collect(),
            steps: task.steps.into_iter().map(Into::into).collect(),
            commit_message: task.commit_message,
            ..Self::default()
        }
    }
}

impl From<core::Plan> for TaskDAG {
    fn from(plan: core::Plan) -> Self {
        Self { tasks: plan.tasks.into_iter().map(Into::into).collect(), original_issue: plan.issue }
    }
}

impl Validate for TaskDAG {
    /// Ids are there and unique, dependencies exist, and nothing depends on itself.
    fn check(&self, report: &mut ProblemReport) {
        report.filled("original_issue", &self.original_issue);
        if self.tasks.is_empty() {
            report.refuse("tasks", "must not be empty");
        }
        for (index, task) in self.tasks.iter().enumerate() {
            report.within(format_args!("tasks[{index}]"), |report| {
                report.filled("id", &task.id);
                report.filled("description", &task.description);
            });
        }
        for problem in core::Plan::from(self.clone()).problems() {
            report.refuse(self.place_of(&problem), problem.to_string());
        }
    }
}

impl TaskDAG {
    /// The field that a problem is about.
    fn place_of(&self, problem: &core::PlanProblem) -> String {
        let place = |id: &str| self.tasks.iter().position(|task| task.id == id).unwrap_or_default();
        match problem {
            core::PlanProblem::DuplicateId(id) => {
                let second = self.tasks.iter().rposition(|task| task.id == *id).unwrap_or_default();
                format!("tasks[{second}].id")
            }
            core::PlanProblem::UnknownDependency { task, dependency } => {
                let task = place(task);
                let all = self.tasks.get(task).map(|task| task.dependencies.as_slice()).unwrap_or_default();
                let at = all.iter().position(|id| id == dependency).unwrap_or_default();
                format!("tasks[{task}].dependencies[{at}]")
            }
            core::PlanProblem::Cycle(path) => {
                format!("tasks[{}].dependencies", path.first().map(|id| place(id)).unwrap_or_default())
            }
        }
    }
}

impl From<TaskDAG> for core::Plan {
    /// The issue is the only goal that the document knows.
    fn from(dag: TaskDAG) -> Self {
        Self {
            goal: dag.original_issue.clone(),
            tasks: dag.tasks.into_iter().map(Into::into).collect(),
            issue: dag.original_issue,
            ..Self::default()
        }
    }
}

/// Reads a task graph; duplicates, unknown dependencies and cycles are refused, each with its place.
pub fn plan(document: Value) -> Result<core::Plan, Refused> {
    let dag: TaskDAG = shape(document)?;
    let mut report = ProblemReport::default();
    dag.check(&mut report);
    verdict(dag.into(), report)
}

/// The task graph that a text is, when it is JSON; `None` for Markdown. `field` is where the text stands.
pub fn plan_in(field: &str, text: &str) -> Result<Option<core::Plan>, Refused> {
    object_in(field, text)?
        .map(|document| plan(document).map_err(|refused| refused.of_field(field)))
        .transpose()
}

/// The design that a text is: the document of the first version when it is JSON, else Markdown.
pub fn design_in(field: &str, text: String) -> Result<tracker::Design, Refused> {
    match object_in(field, &text)? {
        None => Ok(tracker::Design::read(text, "file")),
        Some(document) => {
            let design: SectionedDesign = shape(document).map_err(|refused| refused.of_field(field))?;
            Ok(design.into())
        }
    }
}

/// No Markdown that is a plan or a design begins with a brace.
fn object_in(field: &str, text: &str) -> Result<Option<Value>, Refused> {
    if !text.trim_start().starts_with('{') {
        return Ok(None);
    }
    serde_json::from_str(text).map(Some).map_err(|error| {
        let message = format!("it looks like JSON, but is not: {error}");
        Refused(vec![ConfigProblem { path: field.to_owned(), message }])
    })
}
