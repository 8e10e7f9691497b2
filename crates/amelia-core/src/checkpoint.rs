//! What the engine needs to go on: a position in the graph and the state there. Pure data; the rules of
//! movement are in `amelia-graph`.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::human::{AnsweredRequest, HumanRequest};
use crate::id::{GraphName, NodeId, Seq, Step};

/// The saved result of one move. Numbered 1, 2, 3 … per run by the store.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Checkpoint {
    pub graph: GraphName,
    /// A graph that has changed shape is not resumed.
    pub version: u32,
    pub at: Timestamp,
    pub position: Position,
    pub state: SavedState,
}

/// Either the whole state, or only what changed since the checkpoint before: storage stays linear in history.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SavedState {
    Snapshot(Box<RawValue>),
    /// A JSON array of updates, to be applied in order.
    Updates(Box<RawValue>),
}

impl SavedState {
    /// The JSON text.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Snapshot(raw) | Self::Updates(raw) => raw.get(),
        }
    }
}

/// Where a run is in its graph.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Position {
    /// Arrivals at nodes that have not been entered yet, counted: no arrival is ever lost.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ready: BTreeMap<NodeId, u32>,
    /// Nodes that were entered and not left. After a crash they run again.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub entered: BTreeMap<NodeId, Visit>,
    /// Joins in progress: which sources have arrived, and how often.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub arrived: BTreeMap<NodeId, BTreeMap<NodeId, u32>>,
    /// Nodes that were left, whose route could not be followed. A retry follows it again.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub unrouted: BTreeSet<NodeId>,
    /// Breakpoints that were reached: the node is not entered until the answer comes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub stopped: BTreeMap<NodeId, VisitQuestion>,
    /// A question that holds the whole run: no node is entered until it is answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<HumanRequest>,
    /// Visits that may begin before it stops and asks; any number when nobody says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowance: Option<u32>,
    /// Visits made so far.
    #[serde(default)]
    pub steps: Step,
    /// Visits allowed; raised when a person lets a run go on past its limit.
    #[serde(default)]
    pub limit: Step,
    /// The run has ended: completed or cancelled.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ended: bool,
}

/// One visit of a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Visit {
    pub step: Step,
    /// The log had come this far when the node was entered: its journal begins after it.
    pub since: Seq,
    #[serde(default, skip_serializing_if = "VisitQuestion::is_not")]
    pub asking: VisitQuestion,
    /// What it asks besides: sub-agents that work at the same time may each have a question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also_asking: Vec<VisitQuestion>,
}

impl Visit {
    /// A visit that has asked nothing yet.
    #[must_use]
    pub fn new(step: Step, since: Seq) -> Self {
        Self { step, since, asking: VisitQuestion::Nothing, also_asking: Vec::new() }
    }

    /// Everything that it has asked.
    pub fn questions(&self) -> impl Iterator<Item = &VisitQuestion> {
        std::iter::once(&self.asking).chain(&self.also_asking)
    }

    /// The same, to be answered.
    pub fn questions_mut(&mut self) -> impl Iterator<Item = &mut VisitQuestion> {
        std::iter::once(&mut self.asking).chain(&mut self.also_asking)
    }

    /// Whether an answer is missing: the node runs again when it has all of them.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.questions().any(VisitQuestion::is_waiting)
    }

    /// The answers that it has got.
    #[must_use]
    pub fn answers(&self) -> Vec<AnsweredRequest> {
        let answers = self.questions().filter_map(|question| match question {
            VisitQuestion::Answered(answered) => Some((**answered).clone()),
            VisitQuestion::Nothing | VisitQuestion::Waiting(_) => None,
        });
        answers.collect()
    }

    /// Waits for answers to these, and no longer to what was asked before.
    pub fn ask(&mut self, requests: &[HumanRequest]) {
        let mut waiting = requests.iter().map(|request| VisitQuestion::Waiting(Box::new(request.clone())));
        self.asking = waiting.next().unwrap_or_default();
        self.also_asking = waiting.collect();
    }
}

/// Whether a visit has asked a person something.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VisitQuestion {
    #[default]
    Nothing,
    Waiting(Box<HumanRequest>),
    /// The answer came; the node runs again and reads it.
    Answered(Box<AnsweredRequest>),
}

impl VisitQuestion {
    fn is_not(&self) -> bool {
        matches!(self, Self::Nothing)
    }

    /// Whether its answer is missing.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        matches!(self, Self::Waiting(_))
    }
}

/// A checkpoint as a list shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckpointInfo {
    pub number: u32,
    pub seq: Seq,
    pub at: Timestamp,
    pub position: Position,
    pub is_snapshot: bool,
    /// Bytes stored for it.
    pub bytes: u64,
}

/// A state that can be rebuilt: the last snapshot and the updates after it.
#[derive(Debug, Clone)]
pub struct LoadedCheckpoint {
    pub number: u32,
    /// How far the log had come.
    pub seq: Seq,
    pub graph: GraphName,
    pub version: u32,
    pub at: Timestamp,
    pub position: Position,
    /// JSON text, not looked at yet: it is parsed once, as the graph's state.
    pub snapshot: String,
    /// One JSON array per checkpoint after the snapshot.
    pub updates: Vec<String>,
    /// Checkpoints that were passed over because they are damaged, newest first.
    pub damaged: Vec<u32>,
}
