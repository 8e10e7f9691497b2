//! Time travel: any past state can be read, and a new run can begin from it, with changes.

use std::collections::BTreeSet;

use amelia_core::checkpoint::{Checkpoint, LoadedCheckpoint, Position, SavedState, Visit, VisitQuestion};
use amelia_core::clock::Clock;
use amelia_core::event::run::Steering;
use amelia_core::event::{Draft, EventKind, HumanEvent, NodeEvent, RunEvent};
use amelia_core::human::{HumanKind, HumanRequest};
use amelia_core::id::{NodeId, RequestId, RunId, Seq, Step};
use amelia_core::problem::Hinted;
use amelia_core::run::{ForkPoint, RunSpec};
use amelia_core::store::{CheckpointAt, Commit, Store, StoreError};
use serde_json::Value;

use crate::editing::{EditError, EditedState, StateEdit, edited};
use crate::graph::Graph;
use crate::position::{self, RestState};
use crate::state::{State, StateError, rebuild};

/// Why a state could not be read or forked. Nothing was written.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TravelError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("run {run} has no checkpoint {number}")]
    NoCheckpoint { run: RunId, number: u32 },
    #[error(transparent)]
    State(#[from] StateError),
    #[error(transparent)]
    Edit(#[from] EditError),
    #[error("checkpoint {0} is the end of its run: fork from an earlier one")]
    AtEnd(u32),
}

impl Hinted for TravelError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Store(error) => error.hint(),
            Self::Edit(error) => error.hint(),
            Self::NoCheckpoint { .. } | Self::State(_) | Self::AtEnd(_) => None,
        }
    }
}

/// The checkpoint `number` of a run, exactly: a damaged one is an error, not its neighbour.
pub async fn read(store: &dyn Store, run: RunId, number: u32) -> Result<LoadedCheckpoint, TravelError> {
    match store.load(run, CheckpointAt::Number(number)).await? {
        Some(loaded) if loaded.number == number => Ok(loaded),
        Some(loaded) if !loaded.damaged.is_empty() => {
            let whole = loaded.number;
            Err(TravelError::Store(StoreError::Damaged {
                what: format!("checkpoint {number} of the run"),
                detail: "its state cannot be read".to_owned(),
                hint: format!("the last intact one before it is {whole}: `--at {whole}`"),
            }))
        }
        Some(_) | None => Err(TravelError::NoCheckpoint { run, number }),
    }
}

/// Starts a new run from a checkpoint of another, with some fields of the state changed. The new run has its own
/// log and its own questions; it stands where the other one stood and continues when it is resumed.
pub async fn fork<S: State>(
    store: &dyn Store,
    clock: &dyn Clock,
    from: ForkPoint,
    edits: &[StateEdit],
) -> Result<RunId, TravelError> {
    fork_with::<S>(store, clock, from, |state| edited(state, edits), None, |_, spec| spec).await
}

/// What a fork follows in the place of what its run was started with.
#[derive(Debug, Clone)]
pub struct NewDefinition {
    pub input: Value,
    /// Of the graph that it makes.
    pub version: u32,
    pub limit: Step,
    /// What the log says about it.
    pub event: RunEvent,
}

/// What a position needs and a graph does not have, each in a few words.
#[must_use]
pub fn missing_in<S: State>(graph: &Graph<S>, position: &Position) -> BTreeSet<String> {
    let Position { ready, entered, arrived, unrouted, stopped, .. } = position;
    let here = ready.keys().chain(entered.keys()).chain(unrouted).chain(stopped.keys()).chain(arrived.keys());
    let absent = here.filter(|node| !graph.nodes.contains_key(*node));
    let absent = absent.map(|node| format!("the node `{node}`"));
    let joined = arrived.iter().flat_map(|(join, sources)| sources.keys().map(move |source| (join, source)));
    let waits = |join: &NodeId, source: &NodeId| {
        graph.joins.get(join).is_some_and(|sources| sources.contains(source))
    };
    let lost = joined.filter(|(join, source)| graph.nodes.contains_key(*join) && !waits(join, source));
    let lost = lost.map(|(join, source)| format!("the edge from `{source}` to the join `{join}`"));
    absent.chain(lost).collect()
}

/// The same, changed by `edit`, with a request that fits the state it begins with, and perhaps another definition.
pub async fn fork_with<S: State>(
    store: &dyn Store,
    clock: &dyn Clock,
    from: ForkPoint,
    edit: impl FnOnce(&S) -> Result<EditedState, EditError>,
    definition: Option<NewDefinition>,
    fit: impl FnOnce(&S, RunSpec) -> RunSpec,
) -> Result<RunId, TravelError> {
    let loaded = read(store, from.run, from.checkpoint).await?;
    if loaded.position.ended {
        return Err(TravelError::AtEnd(from.checkpoint));
    }
    let row = store.run(from.run).await?.ok_or(StoreError::NotFound(from.run))?;
    let before: S = rebuild(&loaded)?;
    let (breakpoints, budget) = (row.breakpoints().clone(), row.budget());
    let (granted, stops) = (row.view.granted, row.view.stops);
    let spec = RunSpec {
        forked_from: Some(from),
        idempotency_key: None,
        parent: None,
        // A person makes a fork to decide something in another way.
        auto_approve: false,
        breakpoints,
        // Those that it has now follow as a fact.
        stops: BTreeSet::new(),
        budget,
        ..row.run.spec
    };
    let mut spec = fit(&before, spec);
    let EditedState { state, edits } = edit(&before)?;
    let mut position = moved(loaded.position, clock);
    let mut facts: Vec<RunEvent> = granted.into_iter().map(RunEvent::PermissionGranted).collect();
    if !stops.is_empty() {
        facts.push(RunEvent::Steered(Steering::Stops(stops)));
    }
    if !edits.is_empty() {
        facts.push(RunEvent::StateEdited { edits, by: None });
    }
    let mut version = loaded.version;
    if let Some(new) = definition {
        (spec.input, version) = (new.input, new.version);
        position.limit = position.limit.max(new.limit);
        facts.insert(0, new.event);
    }
    let drafts = opening(&spec, facts, &position, clock);
    let checkpoint = Checkpoint {
        graph: loaded.graph,
        version,
        at: clock.now(),
        position,
        state: SavedState::Snapshot(state),
    };
    let run = RunId(clock.new_id());
    store
        .commit(run, Seq::START, Commit { drafts, checkpoint: Some(checkpoint), ..Commit::default() })
        .await?;
    Ok(run)
}

/// The position in a new log: journals begin anew, and questions have ids of their own.
fn moved(mut position: Position, clock: &dyn Clock) -> Position {
    let renamed = |request: &mut HumanRequest| request.id = RequestId(clock.new_id());
    // The other run was paused; this one waits to be started, and that is enough.
    position.held.take_if(|held| held.kind == HumanKind::Pause);
    position.held.iter_mut().for_each(renamed);
    for visit in position.entered.values_mut() {
        visit.since = Seq::START;
        // Its sub-agents begin anew, and ask again.
        visit.early.clear();
    }
    let visits = position.entered.values_mut().flat_map(Visit::questions_mut);
    for asking in visits.chain(position.stopped.values_mut()) {
        match asking {
            VisitQuestion::Waiting(request) => renamed(request),
            VisitQuestion::Nothing | VisitQuestion::Answered(_) => {}
        }
    }
    position
}

/// The first facts of a forked run: they say where it stands, so that its view is true from the start.
fn opening(spec: &RunSpec, facts: Vec<RunEvent>, position: &Position, clock: &dyn Clock) -> Vec<Draft> {
    let draft = |kind| Draft::of_system(clock, spec.domain, kind);
    let created = EventKind::Run(RunEvent::Created { spec: Box::new(spec.clone()) });
    // It starts when it is queued: until then it stands, and no server moves it.
    let mut drafts = vec![draft(created)];
    drafts.extend(facts.into_iter().map(|fact| draft(EventKind::Run(fact))));
    for (node, visit) in &position.entered {
        let entered = NodeEvent::Entered { node: node.clone(), step: visit.step };
        drafts.push(draft(EventKind::Node(entered)));
    }
    for request in position::requests(position) {
        drafts.push(draft(EventKind::Human(HumanEvent::Requested(request.clone()))));
    }
    match position::rest(position, &position::Joins::new()) {
        RestState::Waiting(reason) => drafts.push(draft(EventKind::Run(RunEvent::Paused { reason }))),
        RestState::Busy | RestState::Over | RestState::Starved { .. } => {}
    }
    drafts
}
