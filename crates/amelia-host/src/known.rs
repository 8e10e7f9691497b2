//! The graphs that this program knows, by name: what is needed to show, fork and move any run.

use std::sync::Arc;

use amelia_agents::pipeline::implementation::state::Implementation;
use amelia_agents::pipeline::single::{self, Single};
use amelia_agents::pipeline::{implementation, review};
use amelia_core::checkpoint::{Loaded, Position};
use amelia_core::clock::SystemClock;
use amelia_core::id::{GraphName, RunId};
use amelia_core::run::{ForkPoint, Place, RunSpec};
use amelia_core::store::Store;
use amelia_core::view::RunRow;
use amelia_graph::draw::Drawing;
use amelia_graph::state::{State, rebuild};
use amelia_graph::travel::{self, Edit};
use anyhow::Result;
use serde_json::Value;

use crate::commission::Commission;
use crate::home::Home;
use crate::synthetic;
use crate::synthetic::graph::Surroundings;
use crate::synthetic::state::Work;
use crate::workshop::input;
use amelia_orchestrator::service::ServiceError;

/// What a fork must know of the moment that it begins at.
#[derive(Debug, Default)]
pub struct Moment {
    pub last_commit: Option<String>,
    /// A task was worked on, and the work is in no commit.
    pub is_in_task: bool,
    /// Several were, each in a worktree of its own.
    pub is_divided: bool,
}

/// Nodes that look at work which is in no commit yet.
const IN_TASK: [&str; 4] = ["check", "review", "evaluate", "commit"];

fn is_in_task(state: &Implementation, position: &Position) -> bool {
    let ready = position.ready.keys().chain(position.entered.keys()).chain(position.stopped.keys());
    let mut nodes = ready.chain(&position.unrouted);
    let has_begun = state.progress.round > 0 || !state.progress.checks.is_empty();
    nodes.any(|node| IN_TASK.contains(&node.as_str()) || (has_begun && node.as_str() == "develop"))
}

/// A graph with its type of state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    Single,
    Implementation,
    Review,
    Synthetic,
}

impl Known {
    pub fn named(graph: &GraphName) -> Result<Self> {
        match graph.as_str() {
            single::NAME => Ok(Self::Single),
            implementation::NAME => Ok(Self::Implementation),
            review::NAME => Ok(Self::Review),
            synthetic::GRAPH => Ok(Self::Synthetic),
            other => {
                let message = format!(
                    "this program has no graph `{other}`\n  hint: use the version that started the run"
                );
                Err(ServiceError::conflict(message).into())
            }
        }
    }

    /// Begun by a command that stays until it is done.
    pub fn is_in_the_foreground(self) -> bool {
        match self {
            Self::Single | Self::Synthetic => true,
            Self::Implementation | Self::Review => false,
        }
    }

    /// The state at a checkpoint.
    pub fn state(self, loaded: &Loaded) -> Result<Value> {
        fn value<S: State>(loaded: &Loaded) -> Result<Value> {
            Ok(serde_json::to_value(rebuild::<S>(loaded)?)?)
        }
        match self {
            Self::Single => value::<Single>(loaded),
            Self::Implementation | Self::Review => value::<Implementation>(loaded),
            Self::Synthetic => value::<Work>(loaded),
        }
    }

    /// All nodes and edges.
    pub fn drawing(self, row: &RunRow, home: &Home) -> Result<Drawing> {
        Ok(match self {
            Self::Single => single::drawing()?,
            Self::Implementation => implementation::drawing(&input::<Commission>(row)?.profile)?,
            Self::Review => review::drawing()?,
            Self::Synthetic => synthetic::graph::graph(&Arc::new(Surroundings::quiet(home)))?.drawing(),
        })
    }

    /// How far the work of a run had come at a checkpoint.
    pub fn moment(self, loaded: &Loaded) -> Result<Moment> {
        Ok(match self {
            Self::Single | Self::Synthetic => Moment::default(),
            Self::Implementation | Self::Review => {
                let state: Implementation = rebuild(loaded)?;
                Moment {
                    last_commit: state.commits.iter().rev().find_map(|commit| commit.commit.clone()),
                    is_in_task: is_in_task(&state, &loaded.position),
                    is_divided: !state.lanes.open.is_empty(),
                }
            }
        })
    }

    /// A new run from a checkpoint of another, in this place.
    pub async fn fork(
        self,
        store: &dyn Store,
        from: ForkPoint,
        edits: &[Edit],
        place: Option<Place>,
    ) -> Result<RunId> {
        async fn at<S: State>(
            store: &dyn Store,
            from: ForkPoint,
            edits: &[Edit],
            place: Option<Place>,
        ) -> Result<RunId> {
            let fit = |_: &S, spec| RunSpec { place, ..spec };
            Ok(travel::fork_with(store, &SystemClock, from, edits, fit).await?)
        }
        match self {
            Self::Single => at::<Single>(store, from, edits, place).await,
            Self::Implementation | Self::Review => at::<Implementation>(store, from, edits, place).await,
            Self::Synthetic => at::<Work>(store, from, edits, place).await,
        }
    }
}
