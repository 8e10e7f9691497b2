//! The Architect hands in a plan as data; it becomes Markdown that people read and edit.

use amelia_core::plan::check::faults;
use amelia_core::plan::{FileOp, FileOperation, Plan, PlanStep, PlanTask};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::handing_in::HandIn;

/// A plan, as a model writes it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanIn {
    /// What will be true when the plan is done, in one or two sentences
    pub goal: String,
    /// How it is built, in a few sentences, without lists
    #[serde(default)]
    pub architecture: String,
    /// Languages, libraries and tools that are used
    #[serde(default)]
    pub tech_stack: Vec<String>,
    /// In the order in which they are done
    pub tasks: Vec<TaskIn>,
}

/// One task: one reviewable commit.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskIn {
    /// 1, 2, 3 … or 2.1
    pub number: String,
    pub title: String,
    #[serde(default)]
    pub files: Vec<FileIn>,
    pub steps: Vec<StepIn>,
    /// Numbers of tasks that must be done before; others may be worked on at the same time
    #[serde(default)]
    pub depends_on: Vec<String>,
    /// How to tell that the task is done
    #[serde(default)]
    pub acceptance: Vec<String>,
    /// One line, in the style of the repository
    #[serde(default)]
    pub commit_message: Option<String>,
}

/// A file of a task.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileIn {
    pub operation: OperationIn,
    /// Relative to the repository
    pub path: String,
    /// Such as 10-20
    #[serde(default)]
    pub lines: Option<String>,
}

/// What happens to a file; one that is deleted or moved is modified.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OperationIn {
    Create,
    Modify,
    Test,
}

/// A step of a few minutes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepIn {
    /// What to do, in one line: line breaks are not kept
    pub description: String,
    /// Code for this step, kept exactly; only where words are not enough
    #[serde(default)]
    pub code: Option<String>,
    /// For a step that is one command and no other work; never a commit
    #[serde(default)]
    pub command: Option<String>,
    /// Of the command: PASS or FAIL, by its exit code; and, between backticks, what it prints word for word
    #[serde(default)]
    pub expected: Option<String>,
}

/// The tool by which a plan is handed in. What is wrong with the data is said at once, in the terms of the call.
#[must_use]
pub fn write_plan() -> HandIn {
    HandIn::of::<PlanIn>("write_plan", "Submit the plan. This ends your turn.", |plan| {
        let faults = faults(&plan.clone().into());
        if faults.is_empty() { Ok(()) } else { Err(faults.join("; ")) }
    })
}

impl From<PlanIn> for Plan {
    fn from(plan: PlanIn) -> Self {
        Self {
            goal: plan.goal,
            architecture: plan.architecture,
            tech_stack: plan.tech_stack,
            tasks: plan.tasks.into_iter().map(Into::into).collect(),
            issue: String::new(),
        }
    }
}

impl From<TaskIn> for PlanTask {
    fn from(task: TaskIn) -> Self {
        let number =
            |text: String| text.trim().trim_start_matches("Task ").trim_start_matches('#').to_owned();
        Self {
            id: number(task.number),
            title: task.title,
            dependencies: task.depends_on.into_iter().map(number).collect(),
            files: task.files.into_iter().map(Into::into).collect(),
            steps: task.steps.into_iter().map(Into::into).collect(),
            acceptance: task.acceptance,
            commit_message: task.commit_message.filter(|message| !message.trim().is_empty()),
            ..Self::default()
        }
    }
}

impl From<FileIn> for FileOp {
    fn from(file: FileIn) -> Self {
        let operation = match file.operation {
            OperationIn::Create => FileOperation::Create,
            OperationIn::Modify => FileOperation::Modify,
            OperationIn::Test => FileOperation::Test,
        };
        Self { operation, path: file.path, line_range: file.lines }
    }
}

impl From<StepIn> for PlanStep {
    fn from(step: StepIn) -> Self {
        Self {
            description: step.description,
            code: step.code,
            command: step.command,
            expected_output: step.expected,
        }
    }
}
