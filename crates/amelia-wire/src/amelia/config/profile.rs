//! Profiles and the agents in them.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use amelia_core::check::CheckCommand;
use amelia_core::config::agent;
use amelia_core::config::problem::{ConfigProblem, ProblemReport};
use amelia_core::config::profile::{self as core, ClarifyWith, TrackerType, WorkMode};
use amelia_core::id::AgentName;
use amelia_core::message::Object;
use amelia_core::review::ReviewStrategy;
use amelia_yaml::schema::schema_of;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::RetryConfig;
use super::budget::Budgets;
use super::sandbox::SandboxConfig;
use crate::amelia::spelling::{DRIVER_PATTERN, Driver, TrackerWord, driver_word};
use crate::read::Incoming;

/// Who reviews when a competitive review names no one.
const DEFAULT_PERSONAS: [&str; 3] = ["Security", "Performance", "Quality"];

/// A profile. The older format is also accepted: its `driver` is used for every role that `agents` does not name, and
/// its `working_dir` becomes `repo_root`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(default, deny_unknown_fields)]
pub struct Profile {
    /// Name of the profile.
    #[schema(required, min_length = 1)]
    pub name: String,
    #[serde(deserialize_with = "tracker")]
    #[schema(value_type = String)]
    #[schemars(with = "TrackerWord")]
    pub tracker: TrackerType,
    /// Root of the repository. Amelia uses the profile in this directory and below it. A relative path is relative to
    /// the directory in which you import the profile.
    #[serde(alias = "working_dir")]
    #[schema(required, min_length = 1)]
    pub repo_root: String,
    /// Directory for plans, in the repository. Default: `docs/plans`.
    pub plan_output_dir: String,
    /// File name of a plan, with the placeholders `{date}` and `{issue_key}`. If it names a directory, it is the whole
    /// path in the repository. Default: `{date}-{issue_key}.md` in `plan_output_dir`.
    pub plan_path_pattern: String,
    /// Commit the plan with the work. Otherwise, the plan file is in the worktree, but git ignores it. Default: false.
    pub commit_plan: bool,
    /// End every commit message with `Signed-off-by`. Default: false.
    pub sign_off: bool,
    /// End every commit message with `Co-authored-by` and this author, such as `Amelia <amelia@example.com>`.
    pub co_author: Option<String>,
    pub retry: RetryConfig,
    /// Agents by role: `architect`, `developer`, `reviewer`, `evaluator` and `oracle`. A role without an agent uses the
    /// developer's, except `oracle`, which is optional.
    pub agents: BTreeMap<String, AgentConfig>,
    pub sandbox: SandboxConfig,
    /// Commands that Amelia runs before every review.
    pub checks: Vec<Check>,
    /// `single`: one reviewer (default). `competitive`: one reviewer for each of `personas`, in parallel.
    pub strategy: StrategyType,
    /// Reviewer personas when `strategy` is `competitive`. Default: `Security`, `Performance` and `Quality`.
    pub personas: Vec<String>,
    #[schema(value_type = String)]
    pub execution_mode: WorkMode,
    /// Number of tasks that may run at the same time, 1 to 16. Default: 1.
    pub parallel_tasks: u32,
    /// How many times the Architect may correct an invalid plan before Amelia shows it to you as it is. Default: 3.
    pub max_plan_revisions: u32,
    /// Reviews of a task, or consecutive failures of its checks, before Amelia asks you what to do. Default: 5.
    pub max_review_rounds: u32,
    /// Reviews in `amelia review --fix` before Amelia asks you what to do. Default: 3.
    pub max_review_passes: u32,
    #[schema(value_type = String)]
    pub clarify_with: ClarifyWith,
    pub budgets: Budgets,
    /// Commands that Amelia runs in a new worktree before the agents start, such as `npm ci`. Each may take 30 minutes.
    pub worktree_setup: Vec<String>,
    /// Files ignored by git that Amelia copies from your checkout into a new worktree: globs such as `.env` or
    /// `config/*.local`.
    pub copy_files: Vec<String>,
    /// Tools of MCP servers for the agents, as `server:tool` or `server:*`. Read-only agents get only read-only tools.
    pub mcp_tools: Vec<String>,
    pub finish: Finish,
    /// Older format: driver of every role that `agents` does not name.
    #[serde(skip_serializing)]
    #[schema(value_type = Option<String>)]
    #[schemars(with = "Option<String>", regex(pattern = DRIVER_PATTERN))]
    pub driver: Option<Driver>,
}

/// The schema of a profile in a file.
#[must_use]
pub fn profile_schema() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let mut schema = schema_of::<Profile>("Amelia profile");
        // The first version's name of a field, which is read, too.
        if let Some(Value::Object(mut older)) = schema.pointer("/properties/repo_root").cloned()
            && let Some(fields) = schema.get_mut("properties").and_then(Value::as_object_mut)
        {
            older.insert("description".to_owned(), "Older name of `repo_root`.".into());
            fields.insert("working_dir".to_owned(), older.into());
        }
        schema
    })
}

default_of_core!(Profile = core::Profile);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum StrategyType {
    #[default]
    Single,
    Competitive,
}

/// A command that Amelia runs before a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// Name of the check. Must be unique.
    pub name: String,
    /// Shell command. The check passes if its exit code is 0.
    pub command: String,
    /// Seconds that the command may take. Default: 600.
    #[serde(default = "check_timeout")]
    pub timeout: u64,
}

fn check_timeout() -> u64 {
    CheckCommand::DEFAULT_TIMEOUT
}

same_fields!(Check = CheckCommand { name, command, timeout });

/// What Amelia does outside the worktree. Everything is off by default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(default, deny_unknown_fields)]
pub struct Finish {
    /// Push the branch to the remote when the work is done.
    pub push: bool,
    /// Open a pull request. Needs `push`.
    pub pull_request: bool,
    /// Write a summary of the work as a comment on the issue.
    pub comment: bool,
    /// Report to the tracker when work starts and when it is done.
    pub status: bool,
}

same_fields!(Finish = core::FinishConfig { push, pull_request, comment, status });

/// Driver and model of a role.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct AgentConfig {
    /// `api` calls a model; `claude`, `codex` and `acp` start a program. The older form `api:openai` also sets the
    /// option `provider`.
    #[serde(serialize_with = "driver_word")]
    #[schema(value_type = String)]
    #[schemars(with = "String", regex(pattern = DRIVER_PATTERN))]
    #[cfg_attr(test, ts(as = "agent::DriverType"))]
    pub driver: Driver,
    /// Model name, as the provider or the program spells it.
    pub model: String,
    /// Options of the driver: see docs/profiles.md for `api`, and docs/programs.md for programs.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub options: Object,
    #[serde(default)]
    pub sandbox: SandboxConfig,
    /// Name of the profile. Amelia sets it; omit it.
    #[serde(default = "default_profile_name")]
    pub profile_name: String,
}

fn default_profile_name() -> String {
    "default".to_owned()
}

impl AgentConfig {
    /// Our own type. A provider is said once: by the driver's word, or as an option.
    fn into_core(self, report: &mut ProblemReport) -> agent::AgentConfig {
        let Self { driver, model, mut options, sandbox, profile_name } = self;
        let Driver { kind, provider } = driver;
        if let Some(provider) = provider {
            let named = serde_json::Value::String(provider);
            if options.get("provider").is_some_and(|other| *other != named) {
                report.refuse("driver", "names another provider than options.provider: remove one of them");
            }
            options.entry("provider").or_insert(named);
        }
        agent::AgentConfig { driver: kind, model, options, sandbox: sandbox.into(), profile_name }
    }
}

impl From<agent::AgentConfig> for AgentConfig {
    fn from(core: agent::AgentConfig) -> Self {
        let agent::AgentConfig { driver, model, options, sandbox, profile_name } = core;
        let driver = Driver { kind: driver, provider: None };
        Self { driver, model, options, sandbox: sandbox.into(), profile_name }
    }
}

fn tracker<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<TrackerType, D::Error> {
    crate::amelia::spelling::tracker(deserializer)
}

impl Incoming for Profile {
    type Core = core::Profile;

    fn into_core(self, report: &mut ProblemReport) -> core::Profile {
        let read = |(role, agent): (String, AgentConfig)| {
            let agent = report.within(format_args!("agents.{role}"), |report| agent.into_core(report));
            (role, agent)
        };
        let mut agents: BTreeMap<String, agent::AgentConfig> = self.agents.into_iter().map(read).collect();
        if let Some(driver) = self.driver {
            driver.fill(&mut agents);
        }
        core::Profile {
            name: self.name,
            tracker: self.tracker,
            repo_root: self.repo_root,
            plan_output_dir: self.plan_output_dir,
            plan_path_pattern: self.plan_path_pattern,
            commit_plan: Some(self.commit_plan),
            sign_off: self.sign_off,
            co_author: self.co_author,
            retry: self.retry.into(),
            agents,
            sandbox: self.sandbox.into(),
            checks: self.checks.into_iter().map(Into::into).collect(),
            strategy: strategy(self.strategy, &self.personas, report),
            execution_mode: self.execution_mode,
            parallel_tasks: self.parallel_tasks,
            max_plan_revisions: self.max_plan_revisions,
            max_review_rounds: self.max_review_rounds,
            max_review_passes: self.max_review_passes,
            clarify_with: self.clarify_with,
            budgets: self.budgets.into(),
            worktree_setup: self.worktree_setup,
            copy_files: self.copy_files,
            mcp_tools: self.mcp_tools,
            finish: self.finish.into(),
        }
    }

    fn explained(problem: ConfigProblem) -> ConfigProblem {
        misplaced_option(problem)
    }
}

/// An option of a driver that stands beside `options` is not just unknown: it says where it belongs. No field of an agent
/// has the name of an option, so any fault at such a path is that the field is unknown.
pub(super) fn misplaced_option(problem: ConfigProblem) -> ConfigProblem {
    let mut path = problem.path.rsplitn(3, '.');
    let (key, _, above) = (path.next().unwrap_or_default(), path.next(), path.next());
    let is_of_agent = above.is_some_and(|above| {
        above == "agents"
            || above.strip_prefix("profiles.").is_some_and(|in_profile| in_profile.ends_with(".agents"))
    });
    if is_of_agent && agent::is_driver_option(key) {
        let message =
            format!("is an option of the driver: put it under `options:`, as `options: {{ {key}: … }}`");
        return ConfigProblem { message, ..problem };
    }
    problem
}

/// The strategy with its personas; none named means the usual three.
pub(crate) fn strategy(
    kind: StrategyType,
    personas: &[String],
    report: &mut ProblemReport,
) -> ReviewStrategy {
    match kind {
        StrategyType::Single => {
            if !personas.is_empty() {
                report.refuse("personas", "are allowed only when strategy is `competitive`");
            }
            ReviewStrategy::Single
        }
        StrategyType::Competitive => {
            let named = personas.iter().map(String::as_str);
            let all: Vec<&str> = if personas.is_empty() { DEFAULT_PERSONAS.into() } else { named.collect() };
            let mut names = Vec::with_capacity(all.len());
            for (index, persona) in all.into_iter().enumerate() {
                match AgentName::new(persona) {
                    Ok(name) => names.push(name),
                    Err(bad) => report.refuse(format_args!("personas[{index}]"), bad.to_string()),
                }
            }
            ReviewStrategy::Competitive { personas: names }
        }
    }
}

impl From<core::Profile> for Profile {
    fn from(core: core::Profile) -> Self {
        let (strategy, personas) = match core.strategy {
            ReviewStrategy::Single => (StrategyType::Single, Vec::new()),
            ReviewStrategy::Competitive { personas } => {
                (StrategyType::Competitive, personas.iter().map(ToString::to_string).collect())
            }
        };
        Self {
            name: core.name,
            tracker: core.tracker,
            repo_root: core.repo_root,
            plan_output_dir: core.plan_output_dir,
            plan_path_pattern: core.plan_path_pattern,
            commit_plan: core.commit_plan.unwrap_or(false),
            sign_off: core.sign_off,
            co_author: core.co_author,
            retry: core.retry.into(),
            agents: core.agents.into_iter().map(|(role, agent)| (role, agent.into())).collect(),
            sandbox: core.sandbox.into(),
            checks: core.checks.into_iter().map(Into::into).collect(),
            strategy,
            personas,
            execution_mode: core.execution_mode,
            parallel_tasks: core.parallel_tasks,
            max_plan_revisions: core.max_plan_revisions,
            max_review_rounds: core.max_review_rounds,
            max_review_passes: core.max_review_passes,
            clarify_with: core.clarify_with,
            budgets: core.budgets.into(),
            worktree_setup: core.worktree_setup,
            copy_files: core.copy_files,
            mcp_tools: core.mcp_tools,
            finish: core.finish.into(),
            driver: None,
        }
    }
}
