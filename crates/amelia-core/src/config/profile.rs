//! A profile: the repository, the tracker, the agents, and the limits of the work.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::agent::AgentConfig;
use super::problem::{Checked, Report, escapes};
use super::retry::RetryConfig;
use super::sandbox::SandboxConfig;
use crate::budget::Budget;
use crate::review::ReviewStrategy;

/// Where issues come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "config/"))]
#[serde(rename_all = "snake_case")]
pub enum TrackerType {
    Jira,
    Github,
    #[default]
    Noop,
}

/// Who does the steps of a task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "config/"))]
#[serde(rename_all = "snake_case")]
pub enum WorkMode {
    /// The Developer decides.
    #[default]
    Agentic,
    /// Steps with a command are run and compared; the Developer does the rest and repairs.
    Structured,
}

/// Who is asked when a review comment is not clear.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "config/"))]
#[serde(rename_all = "snake_case")]
pub enum ClarifyWith {
    #[default]
    Reviewer,
    Person,
}

/// The runtime environment and its constraints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Profile {
    pub name: String,
    pub tracker: TrackerType,
    pub repo_root: String,
    pub plan_output_dir: String,
    /// With the placeholders `{date}` and `{issue_key}`.
    pub plan_path_pattern: String,
    pub retry: RetryConfig,
    /// By role: `architect`, `developer`, …
    pub agents: BTreeMap<String, AgentConfig>,
    pub sandbox: SandboxConfig,
    /// What the orchestrator itself runs before a review.
    pub checks: Vec<CheckCommand>,
    pub strategy: ReviewStrategy,
    pub execution_mode: WorkMode,
    /// Tasks of a plan that may be worked on at the same time, each in its own worktree.
    pub parallel_tasks: u32,
    pub max_plan_revisions: u32,
    /// Per task.
    pub max_review_rounds: u32,
    /// In auto mode.
    pub max_review_passes: u32,
    pub clarify_with: ClarifyWith,
    pub budgets: Budgets,
    /// Commands that make a new worktree usable.
    pub worktree_setup: Vec<String>,
    /// Files that git does not track but a new worktree needs.
    pub copy_files: Vec<String>,
    pub finish: Finish,
}

impl Profile {
    /// A profile with everything else at its default.
    #[must_use]
    pub fn new(name: impl Into<String>, repo_root: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            tracker: TrackerType::Noop,
            repo_root: repo_root.into(),
            plan_output_dir: "docs/plans".to_owned(),
            plan_path_pattern: "docs/plans/{date}-{issue_key}.md".to_owned(),
            retry: RetryConfig::default(),
            agents: BTreeMap::new(),
            sandbox: SandboxConfig::default(),
            checks: Vec::new(),
            strategy: ReviewStrategy::Single,
            execution_mode: WorkMode::Agentic,
            parallel_tasks: 1,
            max_plan_revisions: 3,
            max_review_rounds: 5,
            max_review_passes: 3,
            clarify_with: ClarifyWith::Reviewer,
            budgets: Budgets::default(),
            worktree_setup: Vec::new(),
            copy_files: Vec::new(),
            finish: Finish::default(),
        }
    }

    /// The role's configuration with the profile's name and sandbox in it.
    #[must_use]
    pub fn agent(&self, role: &str) -> Option<AgentConfig> {
        let config = self.agents.get(role)?.clone();
        Some(AgentConfig { sandbox: self.sandbox.clone(), profile_name: self.name.clone(), ..config })
    }
}

impl Default for Profile {
    fn default() -> Self {
        Self::new("", "")
    }
}

/// One check of the repository, such as its tests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckCommand {
    pub name: String,
    pub command: String,
    /// Seconds.
    #[serde(default = "default_check_timeout")]
    pub timeout: u64,
}

impl CheckCommand {
    /// Seconds a check may take when nobody says otherwise.
    pub const DEFAULT_TIMEOUT: u64 = 600;
}

fn default_check_timeout() -> u64 {
    CheckCommand::DEFAULT_TIMEOUT
}

/// Limits by what they count. Per day is the server's alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Budgets {
    pub per_run: Budget,
    pub per_agent: Budget,
    pub per_day: Budget,
}

/// What happens outside the worktree at the end. Nothing, unless asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Finish {
    pub push: bool,
    pub pull_request: bool,
    pub comment: bool,
    pub status: bool,
}

impl Checked for Profile {
    fn check(&self, report: &mut Report) {
        report.filled("name", &self.name);
        report.filled("repo_root", &self.repo_root);
        self.check_plan_paths(report);
        report.part("retry", &self.retry);
        report.map("agents", &self.agents);
        report.part("sandbox", &self.sandbox);
        report.list("checks", &self.checks);
        report.unique("checks", "name", self.checks.iter().map(|check| check.name.as_str()));
        match &self.strategy {
            ReviewStrategy::Single => {}
            ReviewStrategy::Competitive { personas } => {
                report.unique("personas", "", personas.iter().map(crate::id::AgentName::as_str));
            }
        }
        self.check_limits(report);
        for (index, path) in self.copy_files.iter().enumerate() {
            if path.starts_with('/') || escapes(path) {
                report.refuse(format_args!("copy_files[{index}]"), "must stay inside the repository");
            }
        }
        if self.finish.pull_request && !self.finish.push {
            report.refuse("finish.pull_request", "needs `finish.push`");
        }
    }
}

impl Profile {
    fn check_plan_paths(&self, report: &mut Report) {
        for (field, path) in
            [("plan_output_dir", &self.plan_output_dir), ("plan_path_pattern", &self.plan_path_pattern)]
        {
            report.filled(field, path);
            if escapes(path) {
                report.refuse(field, "must stay inside the repository");
            }
        }
        let rest = self.plan_path_pattern.replace("{date}", "").replace("{issue_key}", "");
        if rest.contains(['{', '}']) {
            report.refuse("plan_path_pattern", "may hold only the placeholders {date} and {issue_key}");
        }
    }

    fn check_limits(&self, report: &mut Report) {
        report.at_least("parallel_tasks", &self.parallel_tasks, &1);
        report.at_least("max_review_rounds", &self.max_review_rounds, &1);
        report.at_least("max_review_passes", &self.max_review_passes, &1);
        report.part("budgets", &self.budgets);
        if !self.budgets.per_day.is_unlimited() {
            report.refuse("budgets.per_day", "is the server's: it counts over all profiles");
        }
    }
}

impl Checked for CheckCommand {
    fn check(&self, report: &mut Report) {
        report.filled("name", &self.name);
        report.filled("command", &self.command);
        report.positive("timeout", &self.timeout);
    }
}

impl Checked for Budgets {
    fn check(&self, report: &mut Report) {
        report.part("per_run", &self.per_run);
        report.part("per_agent", &self.per_agent);
        report.part("per_day", &self.per_day);
        for (field, budget) in [("per_agent", self.per_agent), ("per_day", self.per_day)] {
            if budget.wall_seconds.is_some() {
                report.refuse(format_args!("{field}.wall_seconds"), "time at work is limited per run");
            }
        }
    }
}

impl Checked for Budget {
    fn check(&self, report: &mut Report) {
        if let Some(usd) = &self.usd {
            report.positive("usd", usd);
        }
        for (field, limit) in
            [("tokens", self.tokens), ("calls", self.calls), ("wall_seconds", self.wall_seconds)]
        {
            if let Some(limit) = limit {
                report.positive(field, &limit);
            }
        }
    }
}
