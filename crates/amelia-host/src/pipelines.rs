//! Every pipeline, by name. A pipeline is a kind of run: what it is started with, its state, and its graph. To add one,
//! write it in a file below and add it to [`all`]; `docs/extending.md` shows how.

mod consolidation;
pub(crate) mod implementation;
mod review;
mod single;
mod synthetic;
pub(crate) mod team;
mod workflow;

use std::collections::BTreeSet;
use std::sync::Arc;

use amelia_agents::pipeline::implementation::state::Implementation;
use amelia_core::checkpoint::{LoadedCheckpoint, Position};
use amelia_core::clock::SystemClock;
use amelia_core::event::{EventKind, TeamEvent};
use amelia_core::id::{GraphName, RunId};
use amelia_core::problem::Problem;
use amelia_core::run::{ForkPoint, RunLocation, RunSpec};
use amelia_core::store::Store;
use amelia_core::view::RunRow;
use amelia_graph::draw::Drawing;
use amelia_graph::editing::{self, EditError, EditedState, StateEdit};
use amelia_graph::state::{State, rebuild};
use amelia_graph::travel::{self, NewDefinition};
use amelia_orchestrator::orchestrator::RunnableGraph;
use amelia_orchestrator::service::{InterventionEffect, InterventionPlace, ServiceError};
use amelia_wire::read::without_type_names;
use anyhow::Result;
use async_trait::async_trait;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::to_raw_value;

use crate::run_parts::{PreparedRun, RunParts, current_input, input};

/// A kind of run.
#[async_trait]
pub trait Pipeline: Send + Sync + 'static {
    /// What a run is started with. Stored with the run, so fields are only added.
    type Input: Serialize + DeserializeOwned + Send + Sync;
    /// What its nodes change. Stored with every checkpoint, so fields are only added.
    type State: State;

    /// The name of the graph. Stored with every run, so it never changes.
    fn name(&self) -> &'static str;

    /// Whether a run is started by the name of its pipeline (`amelia start --pipeline`), with its input as JSON. A
    /// pipeline with a command of its own is not: that command checks what a person asks for.
    fn starts_by_name(&self) -> bool {
        false
    }

    /// The state that a run begins with.
    fn initial(&self, input: &Self::Input) -> Self::State;

    /// The graph with everything that its nodes work with.
    async fn graph(&self, input: Self::Input, parts: &RunParts<'_>) -> Result<PreparedRun<Self::State>>;

    /// The graph to look at.
    fn drawing(&self, input: &Self::Input) -> Result<Drawing>;

    /// How far the work had come at a checkpoint, for a fork that begins there.
    fn progress(&self, state: &Self::State, position: &Position) -> ForkProgress {
        let _ = (state, position);
        ForkProgress::default()
    }

    /// The state as that of an implementation, for pipelines that plan and commit like one.
    fn implementation(&self, state: Self::State) -> Option<Implementation> {
        let _ = state;
        None
    }

    /// The state with fields that a person has changed, checked.
    fn edited(
        &self,
        input: &Self::Input,
        state: &Self::State,
        edits: &[StateEdit],
    ) -> Result<EditedState, EditError> {
        let _ = input;
        editing::edited(state, edits)
    }

    /// Where a run continues when a person has said which agent takes the next turn.
    fn overridden(
        &self,
        input: &Self::Input,
        state: &Self::State,
        position: &Position,
        next_agent: &str,
    ) -> Result<AgentOverride<Self::State>, ServiceError> {
        let _ = (input, state, position, next_agent);
        Err(ServiceError::invalid("you can choose the next agent only in a run of a team"))
    }

    /// The version of the graph.
    fn version(&self, input: &Self::Input) -> Result<u32> {
        let _ = input;
        Err(ServiceError::invalid("you can change the team only in a run of a team").into())
    }

    /// The agents and tools of a run, where all of them are known.
    fn names(&self, input: &Self::Input) -> Result<Option<RunNames>> {
        let _ = input;
        Ok(None)
    }

    /// Whether a run has a plan that people see, and ends with everything committed.
    fn has_plan(&self) -> bool {
        false
    }

    /// Whether the command that starts a run stays until it is done.
    fn runs_in_foreground(&self) -> bool {
        false
    }

    /// Whether a run with this input works in a worktree.
    fn needs_worktree(&self, input: &Self::Input) -> bool {
        let _ = input;
        true
    }
}

/// A run whose next agent a person has chosen.
pub struct AgentOverride<S> {
    pub position: Position,
    pub state: S,
    /// The move, if it happens at once.
    pub handoff: Option<TeamEvent>,
    /// What a person should know.
    pub note: Option<String>,
}

/// The agents and tools of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunNames {
    pub agents: BTreeSet<String>,
    /// Those of MCP servers, as `server:tool`.
    pub tools: BTreeSet<String>,
    /// Some of its agents are programs, which have tools of their own.
    pub has_programs: bool,
}

/// How far the work of a run had come.
#[derive(Debug, Default)]
pub struct ForkProgress {
    pub last_commit: Option<String>,
    /// A task was worked on, and the work is in no commit.
    pub is_in_task: bool,
    /// Several were, each in a worktree of its own.
    pub is_divided: bool,
}

/// A pipeline without its types.
#[async_trait]
pub trait AnyPipeline: Send + Sync {
    fn name(&self) -> &'static str;
    fn runs_in_foreground(&self) -> bool;
    fn has_plan(&self) -> bool;

    fn starts_by_name(&self) -> bool;

    /// The input of a run that is started by name, as it is stored.
    fn read_input(&self, given: Value) -> Result<Value>;

    /// The state at a checkpoint, as JSON.
    fn state(&self, loaded: &LoadedCheckpoint) -> Result<Value>;

    /// All nodes and edges.
    fn drawing(&self, row: &RunRow) -> Result<Drawing>;

    /// The agents and tools of a run, where all of them are known.
    fn names(&self, row: &RunRow) -> Result<Option<RunNames>>;

    /// Whether a breakpoint of such a run can have this condition; `Err` says why not.
    fn check_condition(&self, condition: &str) -> Result<(), String>;

    fn progress(&self, loaded: &LoadedCheckpoint) -> Result<ForkProgress>;

    /// Whether a run with this input works in a worktree.
    fn needs_worktree(&self, input: Value) -> Result<bool>;

    fn implementation(&self, loaded: &LoadedCheckpoint) -> Result<Option<Implementation>>;

    /// The state of a run at a checkpoint, with fields that a person has changed.
    fn edited(&self, row: &RunRow, loaded: &LoadedCheckpoint, edits: &[StateEdit]) -> Result<EditedState>;

    /// Where a run continues from a checkpoint when a person has said which agent takes the next turn, and what that leads to.
    fn overridden(
        &self,
        row: &RunRow,
        loaded: &LoadedCheckpoint,
        next_agent: &str,
    ) -> Result<InterventionEffect>;

    /// Where a run continues from a checkpoint with the team that it has now.
    fn with_new_team(&self, row: &RunRow, loaded: &LoadedCheckpoint) -> Result<InterventionPlace>;

    /// A new run from a checkpoint of another, in this place.
    async fn fork(
        &self,
        store: &dyn Store,
        row: &RunRow,
        checkpoint: u32,
        edits: &[StateEdit],
        definition: Option<NewDefinition>,
        place: Option<RunLocation>,
    ) -> Result<RunId>;

    /// The run with everything that it needs.
    async fn assemble(&self, parts: &RunParts<'_>) -> Result<Box<dyn RunnableGraph>>;
}

#[async_trait]
impl<P: Pipeline> AnyPipeline for P {
    fn name(&self) -> &'static str {
        Pipeline::name(self)
    }

    fn runs_in_foreground(&self) -> bool {
        Pipeline::runs_in_foreground(self)
    }

    fn has_plan(&self) -> bool {
        Pipeline::has_plan(self)
    }

    fn starts_by_name(&self) -> bool {
        Pipeline::starts_by_name(self)
    }

    fn read_input(&self, given: Value) -> Result<Value> {
        let name = Pipeline::name(self);
        if !Pipeline::starts_by_name(self) {
            return Err(ServiceError::invalid(format!("runs of `{name}` have their own command")).into());
        }
        let is_missing = given.is_null();
        let read: P::Input = serde_json::from_value(given).map_err(|error| match is_missing {
            true => ServiceError::Invalid(
                Problem::new(format!("the pipeline `{name}` needs an input"))
                    .with_hint("write it as JSON into a file, and name the file with --input"),
            ),
            false => {
                let reason = without_type_names(&error.to_string());
                ServiceError::invalid(format!("the input of `{name}` cannot be used: {reason}"))
            }
        })?;
        Ok(serde_json::to_value(read)?)
    }

    fn state(&self, loaded: &LoadedCheckpoint) -> Result<Value> {
        Ok(serde_json::to_value(rebuild::<P::State>(loaded)?)?)
    }

    fn drawing(&self, row: &RunRow) -> Result<Drawing> {
        Pipeline::drawing(self, &input(row)?)
    }

    fn names(&self, row: &RunRow) -> Result<Option<RunNames>> {
        Pipeline::names(self, &input(row)?)
    }

    fn check_condition(&self, condition: &str) -> Result<(), String> {
        P::State::check_condition(condition)
    }

    fn progress(&self, loaded: &LoadedCheckpoint) -> Result<ForkProgress> {
        Ok(Pipeline::progress(self, &rebuild(loaded)?, &loaded.position))
    }

    fn needs_worktree(&self, input: Value) -> Result<bool> {
        Ok(Pipeline::needs_worktree(self, &serde_json::from_value(input)?))
    }

    fn implementation(&self, loaded: &LoadedCheckpoint) -> Result<Option<Implementation>> {
        Ok(Pipeline::implementation(self, rebuild(loaded)?))
    }

    fn edited(&self, row: &RunRow, loaded: &LoadedCheckpoint, edits: &[StateEdit]) -> Result<EditedState> {
        Ok(Pipeline::edited(self, &input(row)?, &rebuild(loaded)?, edits)?)
    }

    fn overridden(
        &self,
        row: &RunRow,
        loaded: &LoadedCheckpoint,
        next_agent: &str,
    ) -> Result<InterventionEffect> {
        let state: P::State = rebuild(loaded)?;
        let changed = Pipeline::overridden(self, &input(row)?, &state, &loaded.position, next_agent)?;
        let AgentOverride { position, state, handoff, note } = changed;
        let (state, version) = (to_raw_value(&state)?, loaded.version);
        Ok(InterventionEffect {
            place: InterventionPlace { position, state, version },
            facts: handoff.map(EventKind::Team).into_iter().collect(),
            notes: note.into_iter().collect(),
        })
    }

    fn with_new_team(&self, row: &RunRow, loaded: &LoadedCheckpoint) -> Result<InterventionPlace> {
        let state: P::State = rebuild(loaded)?;
        Ok(InterventionPlace {
            position: loaded.position.clone(),
            state: to_raw_value(&state)?,
            version: Pipeline::version(self, &input(row)?)?,
        })
    }

    async fn fork(
        &self,
        store: &dyn Store,
        row: &RunRow,
        checkpoint: u32,
        edits: &[StateEdit],
        definition: Option<NewDefinition>,
        place: Option<RunLocation>,
    ) -> Result<RunId> {
        let from = ForkPoint { run: row.run.id, checkpoint };
        let input: P::Input = match &definition {
            Some(new) => serde_json::from_value(new.input.clone())?,
            None => input(row)?,
        };
        let edit = |state: &P::State| Pipeline::edited(self, &input, state, edits);
        let fit = |_: &P::State, spec| RunSpec { place, input: current_input(row), ..spec };
        Ok(travel::fork_with(store, &SystemClock, from, edit, definition, fit).await?)
    }

    async fn assemble(&self, parts: &RunParts<'_>) -> Result<Box<dyn RunnableGraph>> {
        Ok(Box::new(self.graph(input(parts.row)?, parts).await?))
    }
}

/// What is said when nothing is called `name`; `known` are the pipelines of this program.
pub(crate) fn unknown(name: &str, known: &[Arc<dyn AnyPipeline>]) -> Problem {
    let startable = known.iter().filter(|pipeline| pipeline.starts_by_name());
    let names: Vec<&str> = startable.map(|pipeline| pipeline.name()).collect();
    let hint = match names.is_empty() {
        true => "every pipeline of this program has its own command (see `amelia help --all`)".to_owned(),
        false => format!("pipelines that can be started: {}", names.join(", ")),
    };
    Problem::new(format!("there is no pipeline `{name}`")).with_hint(hint)
}

/// Every pipeline that this program has.
#[must_use]
pub fn all() -> Vec<Arc<dyn AnyPipeline>> {
    vec![
        Arc::new(consolidation::ConsolidationPipeline),
        Arc::new(implementation::ImplementationPipeline),
        Arc::new(review::ReviewPipeline),
        Arc::new(single::SingleAgentPipeline),
        Arc::new(synthetic::SyntheticPipeline),
        Arc::new(team::TeamPipeline),
        Arc::new(workflow::WorkflowPipeline),
    ]
}

/// The pipeline of a run.
pub fn of(row: &RunRow) -> Result<Arc<dyn AnyPipeline>> {
    named(&row.run.spec.graph)
}

/// The pipeline of this name.
pub fn named(graph: &GraphName) -> Result<Arc<dyn AnyPipeline>> {
    all().into_iter().find(|pipeline| pipeline.name() == graph.as_str()).ok_or_else(|| {
        let problem = Problem::new(format!("this program has no graph `{graph}`"));
        ServiceError::conflict(problem.with_hint("use the version that started the run")).into()
    })
}

#[cfg(test)]
#[path = "pipelines_tests.rs"]
mod tests;
