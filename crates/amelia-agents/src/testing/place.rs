//! A workplace without git: it answers what a test has put in, and keeps what it was asked to do.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex};

use amelia_core::budget::{Account, Budget, BudgetGate, BudgetScope, Spend};
use amelia_core::check::CheckCommand;
use amelia_core::check::CheckResult;
use amelia_core::config::agent::DriverType;
use amelia_core::config::profile::Profile;
use amelia_core::id::AgentName;
use amelia_core::survey::Survey;
use amelia_core::tool::{ToolBox, ToolCx};
use amelia_core::tracker::{Issue, Tracker, TrackerAction, TrackerError};
use amelia_core::workplace::{
    CommitOutcome, ConflictedMerge, ContentHashes, MergeOutcome, PushedBranch, Rights, UncommittedWork,
    Workplace, WorkplaceError, WorktreeDiff,
};
use async_trait::async_trait;
use serde_json::Value;

use super::{NoTools, ScriptedDriver, member};
use crate::pipeline::implementation::deps::Deps;
use crate::prompt::Prompts;
use crate::roles::Roles;

/// What it answers, and what was done. Its parts are places of their own, without answers.
#[derive(Default)]
pub(crate) struct FakeWorkplace {
    pub(crate) commits: Mutex<VecDeque<CommitOutcome>>,
    pub(crate) merges: Mutex<VecDeque<MergeOutcome>>,
    pub(crate) contents: ContentHashes,
    pub(crate) patch: WorktreeDiff,
    /// Checks that fail, by name.
    pub(crate) failing: Vec<String>,
    pub(crate) actions: Mutex<Vec<String>>,
}

impl FakeWorkplace {
    pub(crate) fn done(&self) -> Vec<String> {
        self.actions.lock().unwrap().clone()
    }

    fn does(&self, what: String) {
        self.actions.lock().unwrap().push(what);
    }
}

fn unused<T>() -> Result<T, WorkplaceError> {
    Err(WorkplaceError("not in this test".into()))
}

#[async_trait]
impl Workplace for FakeWorkplace {
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

    async fn missing_files(&self, _: &[String]) -> Result<Vec<String>, WorkplaceError> {
        Ok(Vec::new())
    }

    async fn write(&self, path: &str, _: &str) -> Result<(), WorkplaceError> {
        self.does(format!("write {path}"));
        Ok(())
    }

    async fn keep_plan_uncommitted(&self, _: &str, _: &str) -> Result<(), WorkplaceError> {
        Ok(())
    }

    async fn changes(&self, without: &[String], _: usize) -> Result<WorktreeDiff, WorkplaceError> {
        self.does(format!("changes without {without:?}"));
        Ok(self.patch.clone())
    }

    async fn contents(&self) -> Result<ContentHashes, WorkplaceError> {
        Ok(self.contents.clone())
    }

    async fn check(&self, _: &ToolCx, check: &CheckCommand) -> CheckResult {
        let passed = !self.failing.contains(&check.name);
        CheckResult { name: check.name.clone(), passed, ..CheckResult::default() }
    }

    async fn commit(&self, message: &str, _: &str) -> Result<CommitOutcome, WorkplaceError> {
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

    async fn merge(&self, _: &dyn Workplace, message: &str, _: &str) -> Result<MergeOutcome, WorkplaceError> {
        self.does(message.to_owned());
        self.merges.lock().unwrap().pop_front().map_or_else(unused, Ok)
    }

    async fn start_conflicted_merge(&self, _: &dyn Workplace) -> Result<ConflictedMerge, WorkplaceError> {
        Ok(ConflictedMerge { files: vec!["a.rs".to_owned()], text: String::new() })
    }

    async fn close(&self, key: &str, unsaved: UncommittedWork) -> Result<(), WorkplaceError> {
        self.does(format!("close {key} {unsaved:?}"));
        Ok(())
    }

    async fn push(&self) -> Result<PushedBranch, WorkplaceError> {
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

    async fn send(&self, _: &TrackerAction, _: &str) -> Result<Value, TrackerError> {
        Ok(Value::Null)
    }

    async fn find(&self, _: &TrackerAction, _: &str) -> Result<Option<Value>, TrackerError> {
        Ok(None)
    }
}

/// What nodes need, with `place` to work in and `script` for every role that is asked.
pub(crate) fn deps(place: &Arc<FakeWorkplace>, script: &Arc<ScriptedDriver>, profile: Profile) -> Arc<Deps> {
    let of = |name: &str| member(script, DriverType::Api).called(AgentName::new(name).unwrap());
    let (architect, developer) = (of("architect"), of("developer"));
    let (reviewer, evaluator) = (of("reviewer"), of("evaluator"));
    Arc::new(Deps {
        profile,
        roles: Roles { architect, developer, reviewer, evaluator },
        place: Arc::clone(place) as Arc<dyn Workplace>,
        tracker: Arc::new(NoTracker),
        prompts: Prompts::default(),
        budget_gate: BudgetGate::live(BudgetScope::new(Account::new(Budget::default(), Spend::default()))),
        date: "2026-03-01".to_owned(),
    })
}
