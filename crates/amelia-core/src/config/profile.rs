//! A profile: the repository, the tracker, the agents, and the limits of the work.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::agent::AgentConfig;
use super::problem::{ProblemReport, Validate, escapes};
use super::retry::RetryConfig;
use super::role;
use super::sandbox::SandboxConfig;
use crate::budget::Budget;
use crate::check::CheckCommand;
use crate::review::ReviewStrategy;

/// Where issues come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "config/"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TrackerType {
    Jira,
    Github,
    #[default]
    Noop,
}

/// Who runs the steps of a task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "config/"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum WorkMode {
    /// The Developer runs all of them (default).
    #[default]
    Agentic,
    /// Amelia runs steps that have a command, and compares the results. The Developer does the other steps and the
    /// fixes.
    Structured,
}

/// Who explains an unclear finding: the Reviewer (default), or you.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "config/"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ClarifyWith {
    #[default]
    Reviewer,
    Person,
}

/// Where plans are saved unless the profile says otherwise.
pub const DEFAULT_PLAN_OUTPUT_DIR: &str = "docs/plans";

/// The file of a plan in its directory unless the profile says otherwise.
const DEFAULT_PLAN_FILE: &str = "{date}-{issue_key}.md";

/// More tasks than this at the same time are too many to follow.
pub const MAX_PARALLEL_TASKS: u32 = 16;

/// The longest name of a profile, in characters.
const MAX_NAME_CHARS: usize = 100;

/// The runtime environment and its constraints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Profile {
    pub name: String,
    pub tracker: TrackerType,
    pub repo_root: String,
    /// Holds the plans, unless `plan_path_pattern` names a directory of its own.
    pub plan_output_dir: String,
    /// With the placeholders `{date}` and `{issue_key}`; see [`Profile::plan_path`].
    pub plan_path_pattern: String,
    /// Whether the plan is committed with the work; else git does not see it. Nothing in runs from before there was a
    /// choice: they commit it, and do nothing that their recordings do not know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit_plan: Option<bool>,
    /// `Signed-off-by` at the end of every commit message.
    pub sign_off: bool,
    /// `Co-authored-by` at the end of every commit message: `Name <address>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub co_author: Option<String>,
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
    /// Of `amelia review`, which repairs without asking between the passes. A task of a plan has `max_review_rounds`.
    pub max_review_passes: u32,
    pub clarify_with: ClarifyWith,
    pub budgets: Budgets,
    /// Commands that make a new worktree usable.
    pub worktree_setup: Vec<String>,
    /// Files that git does not track but a new worktree needs.
    pub copy_files: Vec<String>,
    /// Tools of MCP servers that the agents have, as `server:tool` or `server:*`.
    pub mcp_tools: Vec<String>,
    pub finish: FinishConfig,
}

impl Profile {
    /// A profile with everything else at its default.
    #[must_use]
    pub fn new(name: impl Into<String>, repo_root: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            tracker: TrackerType::Noop,
            repo_root: repo_root.into(),
            plan_output_dir: DEFAULT_PLAN_OUTPUT_DIR.to_owned(),
            plan_path_pattern: default_plan_path_pattern(),
            commit_plan: Some(false),
            sign_off: false,
            co_author: None,
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
            mcp_tools: Vec::new(),
            finish: FinishConfig::default(),
        }
    }

    /// The path of plans inside the repository, placeholders included. `plan_path_pattern` decides the file, and the
    /// directory too when it names one other than the default; else the plan is in `plan_output_dir`.
    #[must_use]
    pub fn plan_path(&self) -> String {
        let directory = self.plan_output_dir.trim_end_matches('/');
        if self.plan_path_pattern == default_plan_path_pattern() {
            format!("{directory}/{DEFAULT_PLAN_FILE}")
        } else if self.plan_path_pattern.contains('/') {
            self.plan_path_pattern.trim_start_matches("./").to_owned()
        } else {
            format!("{directory}/{}", self.plan_path_pattern)
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

fn default_plan_path_pattern() -> String {
    format!("{DEFAULT_PLAN_OUTPUT_DIR}/{DEFAULT_PLAN_FILE}")
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
pub struct FinishConfig {
    pub push: bool,
    pub pull_request: bool,
    pub comment: bool,
    pub status: bool,
}

impl Validate for Profile {
    fn check(&self, report: &mut ProblemReport) {
        self.check_name(report);
        report.filled("repo_root", &self.repo_root);
        self.check_plan_paths(report);
        if self.co_author.as_deref().is_some_and(|author| !is_author(author)) {
            report.refuse("co_author", "must be `Name <address>`");
        }
        report.part("retry", &self.retry);
        self.check_agents(report);
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
        for (index, command) in self.worktree_setup.iter().enumerate() {
            report.filled(format_args!("worktree_setup[{index}]"), command);
        }
        for (index, path) in self.copy_files.iter().enumerate() {
            report.filled(format_args!("copy_files[{index}]"), path);
            if path.starts_with('/') || escapes(path) {
                report.refuse(format_args!("copy_files[{index}]"), "must stay inside the repository");
            }
        }
        for (index, tool) in self.mcp_tools.iter().enumerate() {
            let is_of_server =
                tool.split_once(':').is_some_and(|(server, name)| !server.is_empty() && !name.is_empty());
            if !is_of_server {
                let message = "must be a tool of an MCP server, such as `files:read_file` or `files:*`";
                report.refuse(format_args!("mcp_tools[{index}]"), message);
            }
        }
        report.unique("mcp_tools", "", self.mcp_tools.iter().map(String::as_str));
        if self.finish.pull_request && !self.finish.push {
            report.refuse("finish.pull_request", "needs `finish.push`");
        }
    }
}

impl Profile {
    /// A name is part of addresses and of messages: it must not be taken for a path.
    fn check_name(&self, report: &mut ProblemReport) {
        report.filled("name", &self.name);
        let is_path = self.name.starts_with('.') || self.name.contains(['/', '\\']);
        if is_path || self.name.trim() != self.name || self.name.contains(char::is_control) {
            report.refuse(
                "name",
                "must not begin with a dot, begin or end with a space, or contain slashes or control characters",
            );
        }
        if self.name.chars().count() > MAX_NAME_CHARS {
            report.refuse("name", format!("must have {MAX_NAME_CHARS} characters at most"));
        }
    }

    fn check_agents(&self, report: &mut ProblemReport) {
        for (role, agent) in &self.agents {
            report.within(format_args!("agents.{role}"), |report| {
                role::check(role, report);
                agent.check(report);
                if ![AgentConfig::DEFAULT_PROFILE_NAME, &self.name].contains(&agent.profile_name.as_str()) {
                    report.refuse("profile_name", "is set by the profile itself: remove it");
                }
            });
        }
    }

    fn check_plan_paths(&self, report: &mut ProblemReport) {
        for (field, path) in
            [("plan_output_dir", &self.plan_output_dir), ("plan_path_pattern", &self.plan_path_pattern)]
        {
            report.filled(field, path);
            if path.starts_with('/') || escapes(path) {
                report.refuse(field, "must stay inside the repository");
            }
        }
        let directory = self.plan_output_dir.trim_end_matches('/');
        if directory != DEFAULT_PLAN_OUTPUT_DIR && !self.plan_path().starts_with(&format!("{directory}/")) {
            report.refuse(
                "plan_output_dir",
                "has no effect with a plan_path_pattern that has a directory: remove the directory from the pattern",
            );
        }
        let rest = self.plan_path_pattern.replace("{date}", "").replace("{issue_key}", "");
        if rest.contains(['{', '}']) {
            report.refuse("plan_path_pattern", "may contain only the placeholders {date} and {issue_key}");
        }
    }

    fn check_limits(&self, report: &mut ProblemReport) {
        report.range("parallel_tasks", &self.parallel_tasks, &(1..=MAX_PARALLEL_TASKS));
        report.at_least("max_review_rounds", &self.max_review_rounds, &1);
        report.at_least("max_review_passes", &self.max_review_passes, &1);
        report.part("budgets", &self.budgets);
        if !self.budgets.per_day.is_unlimited() {
            report.refuse(
                "budgets.per_day",
                "can be set only for the server: it applies to all profiles together",
            );
        }
    }
}

/// `Name <address>`, in one line.
fn is_author(text: &str) -> bool {
    let parts = text.trim().strip_suffix('>').and_then(|text| text.split_once('<'));
    let is_one_line = !text.contains(char::is_control);
    is_one_line
        && parts.is_some_and(|(name, address)| {
            !name.trim().is_empty() && address.contains('@') && !address.contains(['<', '>', ' '])
        })
}

impl Validate for CheckCommand {
    fn check(&self, report: &mut ProblemReport) {
        report.filled("name", &self.name);
        report.filled("command", &self.command);
        report.positive("timeout", &self.timeout);
    }
}

impl Validate for Budgets {
    fn check(&self, report: &mut ProblemReport) {
        report.part("per_run", &self.per_run);
        report.part("per_agent", &self.per_agent);
        report.part("per_day", &self.per_day);
        for (field, budget) in [("per_agent", self.per_agent), ("per_day", self.per_day)] {
            if budget.wall_seconds.is_some() {
                report.refuse(format_args!("{field}.wall_seconds"), "can be limited only per run");
            }
        }
    }
}

impl Validate for Budget {
    fn check(&self, report: &mut ProblemReport) {
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

#[cfg(test)]
#[path = "profile_tests.rs"]
mod tests;
