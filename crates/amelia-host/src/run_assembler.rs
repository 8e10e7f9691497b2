//! From what is stored of a run to everything that it needs: its pipeline, with drivers, a workplace and budgets.

use std::sync::Arc;

use amelia_agents::live::Live;
use amelia_core::checkpoint::LoadedCheckpoint;
use amelia_core::event::EventKind;
use amelia_core::event::run::{MISSING_KEY, RunFailure, WORKTREE_LOST};
use amelia_core::guardrail::CheckedInput;
use amelia_core::human::HumanReply;
use amelia_core::problem::Problem;
use amelia_core::recording::Tape;
use amelia_core::run::RunSpec;
use amelia_core::store::Store;
use amelia_core::view::RunRow;
use amelia_graph::editing::{EditedState, StateEdit};
use amelia_orchestrator::orchestrator::{Assembler, RunnableGraph};
use amelia_wire::read::without_type_names;
use anyhow::Result;
use async_trait::async_trait;

use crate::assemble::ModelAccess;
use crate::error::problem_of;
use crate::guardrails;
use crate::home::Home;
use crate::keys::{Keys, missing_in, named_in};
use crate::limits::SpendLimits;
use crate::mcp_servers::McpServers;
use crate::memory::SharedMemory;
use crate::pipelines;
use crate::run_environment::RunEnvironment;
use crate::run_parts::{RunParts, SharedParts, current_input};
use crate::workplace::{LostCommit, LostWorktree};

/// Assembles the runs of a process.
#[derive(Clone)]
pub(crate) struct RunAssembler {
    shared: SharedParts,
}

impl RunAssembler {
    pub(crate) fn new(
        home: &Home,
        model_access: ModelAccess,
        limits: SpendLimits,
        mcp: &Arc<McpServers>,
    ) -> Self {
        let shared = SharedParts {
            home: home.clone(),
            making: Arc::default(),
            model_access,
            limits,
            run_environment: RunEnvironment::Live,
            mcp: Arc::clone(mcp),
            store: None,
            memory: None,
        };
        Self { shared }
    }

    /// With the logs of the runs, which tell of their artifacts.
    pub(crate) fn with_logs(self, store: Arc<dyn Store>) -> Self {
        Self { shared: SharedParts { store: Some(store), ..self.shared } }
    }

    /// With what agents remember.
    pub(crate) fn with_memory(self, memory: SharedMemory) -> Self {
        Self { shared: SharedParts { memory: Some(memory), ..self.shared } }
    }

    /// For runs that meet something else than the world.
    pub(crate) fn of(home: &Home, run_environment: RunEnvironment) -> Self {
        let mcp = Arc::new(McpServers::of(home));
        let live = Self::new(home, ModelAccess::default(), SpendLimits::default(), &mcp);
        Self { shared: SharedParts { run_environment, ..live.shared } }
    }

    /// A run with everything that it needs.
    pub(crate) async fn build(
        &self,
        row: &RunRow,
        live: Live,
        tape: Arc<dyn Tape>,
    ) -> Result<Box<dyn RunnableGraph>> {
        // Processes that an earlier life of this run left behind must not work beside this one. A run that never
        // started has none, and looking through all processes takes long on a busy machine.
        if row.view.started_at.is_some() && !self.shared.run_environment.is_played() {
            let owner = row.run.id.to_string();
            tokio::task::spawn_blocking(move || amelia_process::end_leftovers(&owner)).await?;
        }
        if !self.shared.run_environment.is_played() {
            self.shared.mcp.load_stored().await?;
        }
        pipelines::of(row)?.assemble(&RunParts { row, live, tape, shared: &self.shared }).await
    }

    fn keys(&self, row: &RunRow) -> Result<Keys, RunFailure> {
        Keys::gather(&self.shared.home, &named_in(&current_input(row))).map_err(|error| not_set_up(&error))
    }
}

#[async_trait]
impl Assembler for RunAssembler {
    async fn assemble(
        &self,
        row: &RunRow,
        live: Live,
        tape: Arc<dyn Tape>,
    ) -> Result<Box<dyn RunnableGraph>, RunFailure> {
        self.build(row, live, tape).await.map_err(|error| resumable(not_set_up(&error), row))
    }

    fn clean_text(&self, row: &RunRow, text: &str) -> Result<String, RunFailure> {
        Ok(self.keys(row)?.redactor().text(text).into_owned())
    }

    fn found_in_request(&self, spec: &RunSpec) -> Vec<EventKind> {
        guardrails::found_in(spec)
    }

    fn check_input(&self, row: &RunRow, text: &str) -> Result<CheckedInput, RunFailure> {
        guardrails::check_words(&row.run.spec, text).map_err(|error| RunFailure::new("guardrail", error))
    }

    async fn edit(
        &self,
        row: &RunRow,
        saved: &LoadedCheckpoint,
        edits: Vec<StateEdit>,
    ) -> Result<EditedState, Problem> {
        let keys = self.keys(row).map_err(|failure| Problem::parse(&failure.message))?;
        let clean = |edit: StateEdit| StateEdit { value: keys.redactor().clean(edit.value), ..edit };
        let edits: Vec<StateEdit> = edits.into_iter().map(clean).collect();
        let (row, saved) = (row.clone(), saved.clone());
        // A long state takes its time, which runs at work do not have.
        let edited = tokio::task::spawn_blocking(move || pipelines::of(&row)?.edited(&row, &saved, &edits));
        let edited = edited.await.unwrap_or_else(|error| Err(error.into()));
        edited.map_err(|error| {
            let problem = problem_of(&error);
            Problem { message: without_type_names(&problem.message), ..problem }
        })
    }

    fn lift(&self, account: &str) {
        self.shared.model_access.quotas.lift(account);
    }

    fn clean(&self, row: &RunRow, reply: HumanReply) -> Result<HumanReply, RunFailure> {
        Ok(self.keys(row)?.redactor().clean(reply))
    }
}

fn not_set_up(error: &anyhow::Error) -> RunFailure {
    let code = if error.is::<LostCommit>() {
        "commit_lost"
    } else if error.is::<LostWorktree>() {
        WORKTREE_LOST
    } else {
        "setup"
    };
    RunFailure::new(code, problem_of(error))
}

/// A run without its key has lost nothing: says so, and how it continues.
fn resumable(failure: RunFailure, row: &RunRow) -> RunFailure {
    let run = row.run.number;
    let Some(name) = missing_in(&failure.message) else { return failure };
    let problem = Problem::new(format!(
        "the variable `{name}` is not set where the run is to continue; it keeps its position"
    ));
    let hint = format!(
        "set it and run `amelia server restart`, or write {name}=… into config/keys.env in the home; then amelia resume {run}"
    );
    RunFailure::new(MISSING_KEY, problem.with_hint(hint))
}

#[cfg(test)]
#[path = "run_assembler_tests.rs"]
mod tests;
