//! A new run for a program that asks for one, as `amelia start` and `amelia do` make it.

use std::path::PathBuf;

use amelia_core::id::RunId;
use amelia_core::text::{LONGEST_TITLE, first_line};
use amelia_wire::amelia::config::budget::Budget;
use amelia_wire::rest::request::{ModelWanted, NewSingle, NewWorkflow};
use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::which_profile::profile_of_repository;
use crate::cli::Global;
use crate::cli_error::{CliError, Exit};
use crate::client::Client;

/// As many turns as `amelia do` allows.
const MAX_TURNS: u32 = 100;

/// How the work is done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RunMode {
    /// Planned, approved, implemented and reviewed.
    #[default]
    Start,
    /// By one agent, at once.
    Do,
}

/// What is to be done, and where.
#[derive(Debug, Clone, Default)]
pub(super) struct NewRun {
    pub(super) mode: RunMode,
    /// In words; may be empty if there is an issue.
    pub(super) task: String,
    pub(super) issue: Option<String>,
    pub(super) directory: PathBuf,
    pub(super) profile: Option<String>,
    pub(super) base: Option<String>,
    pub(super) read_only: bool,
    pub(super) max_usd: Option<f64>,
}

impl NewRun {
    pub(super) async fn create(mut self, client: &Client, global: &Global) -> Result<RunId> {
        self.check()?;
        if self.profile.is_none() {
            self.profile = profile_of_repository(client, &self.directory, global).await?;
        }
        match self.mode {
            RunMode::Start => client.create("/workflows", &self.workflow(), None).await,
            RunMode::Do => client.create("/workflows/single", &self.single(), None).await,
        }
    }

    fn check(&self) -> Result<(), CliError> {
        let refuse = |message: &str, hint: &str| Err(CliError::new(Exit::Usage, message).with_hint(hint));
        match self {
            Self { mode: RunMode::Do, issue: Some(_), .. } => {
                refuse("the mode `do` needs a task in words, not an issue", "describe the task instead")
            }
            Self { mode: RunMode::Start, read_only: true, .. } => {
                refuse("a run that changes code cannot be read-only", "use the mode `do`")
            }
            Self { issue: None, task, .. } if task.trim().is_empty() => {
                refuse("the task is missing", "say in a few words what should be done")
            }
            _ => Ok(()),
        }
    }

    /// The first line of a task is its title; all of it is the description, if there is more.
    fn workflow(&self) -> NewWorkflow {
        let task = self.task.trim();
        let title = first_line(task, LONGEST_TITLE);
        let has_more = title != task;
        NewWorkflow {
            issue_id: self.issue.clone(),
            title: (!title.is_empty()).then_some(title),
            description: has_more.then(|| task.to_owned()),
            profile: self.profile.clone(),
            worktree_path: self.directory.clone(),
            base: self.base.clone(),
            budget: self.budget(),
            ..NewWorkflow::default()
        }
    }

    fn single(&self) -> NewSingle {
        NewSingle {
            prompt: self.task.trim().to_owned(),
            worktree_path: self.directory.clone(),
            profile: self.profile.clone(),
            model: ModelWanted::default(),
            in_place: false,
            base: self.base.clone(),
            read_only: self.read_only,
            max_turns: MAX_TURNS,
            budget: self.budget(),
            retention_days: None,
            label: None,
        }
    }

    fn budget(&self) -> Option<Budget> {
        self.max_usd.map(|usd| Budget { usd: Some(usd), ..Budget::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_in_one_line_is_a_title_and_a_longer_one_is_described() {
        let of = |task: &str| {
            let new = NewRun { task: task.to_owned(), ..NewRun::default() }.workflow();
            (new.title, new.description)
        };
        assert_eq!(of(" Add a flag \n"), (Some("Add a flag".to_owned()), None));
        let long = "Add a flag\n\nIt is called --version.";
        assert_eq!(of(long), (Some("Add a flag".to_owned()), Some(long.to_owned())));
        let (title, description) = of(&"word ".repeat(60));
        let title = title.unwrap();
        assert!(title.ends_with('…') && title.chars().count() == LONGEST_TITLE + 1, "{title}");
        assert!(description.is_some());
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        let refused = |run: NewRun| run.check().unwrap_err().to_string();
        assert_eq!(refused(NewRun::default()), "the task is missing");
        let task = || "x".to_owned();
        let read_only = NewRun { task: task(), read_only: true, ..NewRun::default() };
        assert!(refused(read_only).contains("read-only"));
        let issue =
            NewRun { mode: RunMode::Do, task: task(), issue: Some("S-1".to_owned()), ..NewRun::default() };
        assert!(refused(issue).contains("issue"));
    }
}
