//! A workplace without git: it answers what a test has put in, and keeps what it was asked to do.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex};

use amelia_core::budget::{Account, Budget, BudgetGate, BudgetScope, Spend};
use amelia_core::check::CheckResult;
use amelia_core::config::agent::DriverType;
use amelia_core::config::profile::{CheckCommand, Profile};
use amelia_core::id::AgentName;
use amelia_core::survey::Survey;
use amelia_core::tool::{ToolBox, ToolCx};
use amelia_core::tracker::{Issue, Outgoing, Tracker, TrackerError};
use amelia_core::workplace::{
    Commit, Contents, Merge, Patch, Pushed, Rights, Torn, Unsaved, Workplace, WorkplaceError,
};
use async_trait::async_trait;
use serde_json::Value;

use super::{NoTools, Script, member};
use crate::pipeline::implementation::deps::Deps;
use crate::prompt::Prompts;
use crate::roles::Roles;

/// What it answers, and what was done. Its parts are places of their own, without answers.
#[derive(Default)]
pub(crate) struct Place {
    pub(crate) commits: Mutex<VecDeque<Commit>>,
    pub(crate) merges: Mutex<VecDeque<Merge>>,
    pub(crate) contents: Contents,
    pub(crate) patch: Patch,
    /// Checks that fail, by name.
    pub(crate) failing: Vec<String>,
    pub(crate) actions: Mutex<Vec<String>>,
}

impl Place {
    pub(crate) fn done(&self) -> Vec<String> {
        self.actions.lock().unwrap().clone()
    }

    fn does(&self, what: String) {
        self.actions.lock().unwrap().push(what);
    }
}

fn unused<T>() -> Result<T, WorkplaceError> {
    Err(WorkplaceError("not in this test".to_owned()))
}

#[async_trait]
impl Workplace for Place {
    fn path(&self) -> &Path {
        Path::new("/tree")
    }

    fn base(&self) -> &str {
        "0123"
    }

    fn branch(&self) -> Option<&str> {
        None
    }

    fn tools(&self, _: Rights) -> Result<Arc<dyn ToolBox>, WorkplaceError> {
        Ok(Arc::new(NoTools))
    }

    async fn prepare(&self) -> Result<(), WorkplaceError> {
        Ok(())
    }

    async fn survey(&self) -> Result<Survey, WorkplaceError> {
        Ok(Survey::default())
    }

    async fn read(&self, _: &str) -> Result<Option<String>, WorkplaceError> {
        Ok(None)
    }

    async fn write(&self, path: &str, _: &str) -> Result<(), WorkplaceError> {
        self.does(format!("write {path}"));
        Ok(())
    }

    async fn changes(&self, without: &[String], _: usize) -> Result<Patch, WorkplaceError> {
        self.does(format!("changes without {without:?}"));
        Ok(self.patch.clone())
    }

    async fn contents(&self) -> Result<Contents, WorkplaceError> {
        Ok(self.contents.clone())
    }

    async fn check(&self, _: &ToolCx, check: &CheckCommand) -> CheckResult {
        let passed = !self.failing.contains(&check.name);
        CheckResult { name: check.name.clone(), passed, ..CheckResult::default() }
    }

    async fn commit(&self, message: &str, _: &str) -> Result<Commit, WorkplaceError> {
        self.does(format!("commit {message}"));
        self.commits.lock().unwrap().pop_front().map_or_else(unused, Ok)
    }

    async fn branch_off(&self, key: &str) -> Result<Arc<dyn Workplace>, WorkplaceError> {
        self.does(format!("branch off {key}"));
        Ok(Arc::new(Self::default()))
    }

    async fn part(&self, key: &str) -> Result<Option<Arc<dyn Workplace>>, WorkplaceError> {
        self.does(format!("part {key}"));
        Ok(Some(Arc::new(Self::default())))
    }

    async fn merge(&self, _: &dyn Workplace, message: &str, _: &str) -> Result<Merge, WorkplaceError> {
        self.does(message.to_owned());
        self.merges.lock().unwrap().pop_front().map_or_else(unused, Ok)
    }

    async fn tear(&self, _: &dyn Workplace) -> Result<Torn, WorkplaceError> {
        Ok(Torn { files: vec!["a.rs".to_owned()], text: String::new() })
    }

    async fn close(&self, key: &str, unsaved: Unsaved) -> Result<(), WorkplaceError> {
        self.does(format!("close {key} {unsaved:?}"));
        Ok(())
    }

    async fn push(&self) -> Result<Pushed, WorkplaceError> {
        unused()
    }
}

/// Nothing is sent and nothing is found.
struct NoTracker;

#[async_trait]
impl Tracker for NoTracker {
    async fn issue(&self, key: &str) -> Result<Issue, TrackerError> {
        let (tracker, detail) = ("none".to_owned(), String::new());
        Err(TrackerError::NotFound { tracker, what: key.to_owned(), detail })
    }

    async fn send(&self, _: &Outgoing, _: &str) -> Result<Value, TrackerError> {
        Ok(Value::Null)
    }

    async fn find(&self, _: &Outgoing, _: &str) -> Result<Option<Value>, TrackerError> {
        Ok(None)
    }
}

/// What nodes need, with `place` to work in and `script` for every role that is asked.
pub(crate) fn deps(place: &Arc<Place>, script: &Arc<Script>, profile: Profile) -> Arc<Deps> {
    let of = |name: &str| member(script, DriverType::Api).called(AgentName::new(name).unwrap());
    let (architect, developer) = (of("architect"), of("developer"));
    let (reviewer, evaluator) = (of("reviewer"), of("evaluator"));
    Arc::new(Deps {
        profile,
        crew: Roles { architect, developer, reviewer, evaluator },
        place: Arc::clone(place) as Arc<dyn Workplace>,
        tracker: Arc::new(NoTracker),
        prompts: Prompts::default(),
        budget_gate: BudgetGate::live(BudgetScope::new(Account::new(Budget::default(), Spend::default()))),
        date: "2026-03-01".to_owned(),
    })
}
