//! What a person asks for: a new run. What must hold for it: `request/rules.rs`.

mod rules;

use std::path::{Path, PathBuf};

use amelia_core::budget as core;
use amelia_core::object::Object;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::amelia::config::budget::Budget;
use crate::amelia::v1::plan::TaskDAG;
use crate::rest::attachment::NewAttachment;
use crate::status::Status;

/// `POST /workflows`: plans, implements and reviews an issue.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct NewWorkflow {
    /// Issue key in the profile's tracker. Not needed with a title.
    #[serde(default)]
    pub issue_id: Option<String>,
    #[serde(default)]
    pub title: Option<String>,
    #[serde(default)]
    pub description: Option<String>,
    /// Files for the agents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(optional, as = "Option<Vec<NewAttachment>>"))]
    pub attachments: Vec<NewAttachment>,
    /// Default: the repository's profile, else the active one.
    #[serde(default)]
    pub profile: Option<String>,
    /// Absolute path of any directory inside the repository. Default: `repo_root` of the profile.
    #[serde(default, with = "amelia_core::any_path", skip_serializing_if = "is_empty")]
    #[cfg_attr(test, ts(optional, as = "Option<String>"))]
    #[schema(value_type = Option<String>, pattern = "^/[^\\x00]*$")]
    pub worktree_path: PathBuf,
    #[serde(default)]
    pub branch: Option<String>,
    /// Work in the checkout instead of a separate worktree.
    #[serde(default)]
    pub in_place: bool,
    /// Commit or branch to start from.
    #[serde(default)]
    pub base: Option<String>,
    /// Queue the run without starting it.
    #[serde(default)]
    pub queue: bool,
    /// With `queue`: write the plan now. The plan waits for approval.
    #[serde(default)]
    pub plan_now: bool,
    /// A plan as a TaskDAG: `tasks` with `dependencies`, and `original_issue`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional, type = "Record<string, unknown>"))]
    #[schema(value_type = Option<Object>)]
    pub plan: Option<TaskDAG>,
    /// A plan in Markdown, or a TaskDAG as JSON text.
    #[serde(default)]
    pub plan_content: Option<String>,
    /// The same as a file, with a path relative to `worktree_path`.
    #[serde(default)]
    pub plan_file: Option<String>,
    /// A design document to plan from: Markdown, or a Design as JSON.
    #[serde(default)]
    pub design: Option<String>,
    #[serde(default)]
    pub budget: Option<Budget>,
    /// Days to keep the run after its end. Default: as `config/retention_policy.yaml` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    #[schema(minimum = 1)]
    pub retention_days: Option<u32>,
    /// Label of the run, for the retention policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub label: Option<String>,
    /// Let `amelia resume` follow the run and approve its plan without asking, as `amelia start --auto` does. The server itself
    /// approves nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub auto_approve: bool,
    /// Pipeline to run. Default: `implementation`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub pipeline: Option<String>,
    /// Input of the pipeline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional, type = "unknown"))]
    pub input: Option<Value>,
}

impl NewWorkflow {
    /// The pipeline, unless it is the usual one.
    #[must_use]
    pub fn other_pipeline(&self) -> Option<&str> {
        self.pipeline.as_deref().filter(|name| *name != "implementation")
    }
}

/// `POST /workflows/review`: reviews existing changes. Without `base`, `diff` and `pull_request`, it reviews
/// uncommitted changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct NewReview {
    #[serde(with = "amelia_core::any_path")]
    #[cfg_attr(test, ts(as = "String"))]
    #[schema(value_type = String, pattern = "^/[^\\x00]*$")]
    pub worktree_path: PathBuf,
    #[serde(default)]
    pub profile: Option<String>,
    #[serde(default)]
    pub base: Option<String>,
    #[serde(default)]
    pub diff: Option<String>,
    /// Number of a pull request in the remote repository. It can be reviewed, but not fixed.
    #[serde(default)]
    #[schema(minimum = 1)]
    pub pull_request: Option<u64>,
    #[serde(default)]
    pub mode: ReviewMode,
    #[serde(default)]
    pub personas: Vec<String>,
    #[serde(default)]
    pub budget: Option<Budget>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ReviewMode {
    #[default]
    ReviewOnly,
    ReviewFix,
}

/// `POST /workflows/single`: runs one agent on one task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct NewSingle {
    pub prompt: String,
    #[serde(with = "amelia_core::any_path")]
    #[cfg_attr(test, ts(as = "String"))]
    #[schema(value_type = String, pattern = "^/[^\\x00]*$")]
    pub worktree_path: PathBuf,
    /// Default: the repository's profile, else the active one, unless `model` names a model, provider or URL.
    #[serde(default)]
    pub profile: Option<String>,
    #[serde(default)]
    pub model: ModelWanted,
    #[serde(default)]
    pub in_place: bool,
    #[serde(default)]
    pub base: Option<String>,
    /// Allow only tools that read.
    #[serde(default)]
    pub read_only: bool,
    #[serde(default = "max_turns")]
    #[schema(minimum = 1, maximum = 100_000)]
    pub max_turns: u32,
    #[serde(default)]
    pub budget: Option<Budget>,
    /// Days to keep the run after its end. Default: as `config/retention_policy.yaml` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    #[schema(minimum = 1)]
    pub retention_days: Option<u32>,
    /// Label of the run, for the retention policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub label: Option<String>,
}

/// `POST /tasks`: runs a workflow, an agent or a team. Exactly one of `workflow`, `agent`, `team` and `team_config` is
/// required. `assigned_agent`, `description` and `input` are other names of `agent`, `prompt` and `inputs`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct NewTask {
    /// Name of a workflow.
    #[serde(default)]
    pub workflow: Option<String>,
    /// Name of an agent.
    #[serde(default, alias = "assigned_agent")]
    pub agent: Option<String>,
    /// Name of a team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub team: Option<String>,
    /// A team as a document, with the texts of its templates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional, type = "Record<string, unknown>"))]
    #[schema(value_type = Option<Object>)]
    pub team_config: Option<Object>,
    /// The task.
    #[serde(default, alias = "description")]
    pub prompt: String,
    /// Initial values of the state.
    #[serde(default, alias = "input")]
    #[cfg_attr(test, ts(type = "Record<string, unknown>"))]
    pub inputs: Object,
    /// Absolute path of any directory inside the repository. A team can do without: it then works in a directory of its own.
    #[serde(default, with = "amelia_core::any_path")]
    #[cfg_attr(test, ts(as = "String"))]
    #[schema(value_type = String, pattern = "^/[^\\x00]*$")]
    pub worktree_path: PathBuf,
    /// Profile that defines how worktrees are set up (`copy_files`, `worktree_setup`).
    #[serde(default)]
    pub profile: Option<String>,
    #[serde(default)]
    pub branch: Option<String>,
    #[serde(default)]
    pub in_place: bool,
    #[serde(default)]
    pub base: Option<String>,
    #[serde(default)]
    pub budget: Option<Budget>,
    /// Days to keep the run after its end. Default: as `config/retention_policy.yaml` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    #[schema(minimum = 1)]
    pub retention_days: Option<u32>,
    /// Label of the run, for the retention policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub label: Option<String>,
    /// Where the run stops and asks from its beginning, as in `PUT /workflows/{id}/breakpoints`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub breakpoints: Vec<String>,
    /// ID of the run that this one belongs to. It is only shown with the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub parent_task_id: Option<Uuid>,
}

fn max_turns() -> u32 {
    100
}

/// The model to use. Absent fields come from the profile or the provider.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(default, deny_unknown_fields)]
pub struct ModelWanted {
    pub model: Option<String>,
    pub provider: Option<String>,
    pub base_url: Option<String>,
    /// One of the server's `api_key_envs`.
    pub api_key_env: Option<String>,
    pub wire: Option<String>,
    pub tools: Option<String>,
}

/// `POST …/limits`. Absent limits stay as they are.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    pub budget: Budget,
    /// Limits to remove.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(optional, as = "Option<Vec<LimitName>>"))]
    pub off: Vec<LimitName>,
}

/// A limit of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum LimitName {
    Usd,
    Tokens,
    Calls,
    WallSeconds,
}

impl LimitName {
    /// `budget` without these limits.
    #[must_use]
    pub fn take_off(names: &[Self], budget: core::Budget) -> core::Budget {
        let is_off = |name: Self| names.contains(&name);
        core::Budget {
            usd: budget.usd.filter(|_| !is_off(Self::Usd)),
            tokens: budget.tokens.filter(|_| !is_off(Self::Tokens)),
            calls: budget.calls.filter(|_| !is_off(Self::Calls)),
            wall_seconds: budget.wall_seconds.filter(|_| !is_off(Self::WallSeconds)),
        }
    }
}

/// `POST …/resume`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(default, deny_unknown_fields)]
pub struct Resume {
    /// New limits. Absent limits stay as they are.
    pub budget: Option<Budget>,
    /// Limits to remove.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(optional, as = "Option<Vec<LimitName>>"))]
    pub off: Vec<LimitName>,
}

/// `POST …/say`
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct Say {
    pub message: String,
}

/// The run that a request has created or changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Accepted {
    pub id: Uuid,
    pub status: Status,
}

/// `POST /workflows/start-batch`. Without `ids`: all queued runs, or only those in `worktree`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(default, deny_unknown_fields)]
pub struct Batch {
    pub ids: Option<Vec<Uuid>>,
    pub worktree: Option<String>,
}

/// Which runs were started.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct BatchStarted {
    pub started: Vec<Uuid>,
    /// For each run that was not started, the reason.
    pub errors: std::collections::BTreeMap<String, String>,
}

/// The profile says where.
fn is_empty(path: &Path) -> bool {
    path.as_os_str().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use amelia_core::config::problem::Validate as _;

    #[test]
    fn a_limit_is_taken_off_by_its_name() {
        let budget = core::Budget { usd: Some(1.0), tokens: Some(2), calls: None, wall_seconds: Some(4) };
        let left = LimitName::take_off(&[LimitName::Usd, LimitName::WallSeconds], budget);
        assert_eq!(left, core::Budget { tokens: Some(2), ..core::Budget::default() });
    }

    #[test]
    fn a_limit_of_nothing_is_refused() {
        let problems = |budget| {
            let problems = Limits { budget, ..Limits::default() }.problems();
            problems.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let none = Budget { usd: Some(0.0), tokens: Some(0), calls: Some(0), wall_seconds: Some(0) };
        assert_eq!(
            problems(none),
            [
                "budget.usd: 0.0 is not greater than 0",
                "budget.tokens: 0 is not greater than 0",
                "budget.calls: 0 is not greater than 0",
                "budget.wall_seconds: 0 is not greater than 0",
            ]
        );
        assert_eq!(problems(Budget { usd: Some(0.01), ..Budget::default() }), [""; 0]);
    }
}
