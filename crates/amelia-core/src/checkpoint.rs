//! What the engine needs to continue: a position in the graph and the state there. Pure data; the rules of
//! movement are in `amelia-graph`.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::human::{AnsweredRequest, HumanRequest};
use crate::id::{GraphName, NodeId, RunId, Seq, Step};

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
    /// Visits that may begin before it stops and asks; without a limit by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowance: Option<u32>,
    /// Visits made so far.
    #[serde(default)]
    pub steps: Step,
    /// Visits allowed; raised when a person allows more than the limit.
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
    /// What sub-agents ask while others of the visit are still at work: people see it, and the visit does not wait yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub early: Vec<VisitQuestion>,
}

impl Visit {
    /// A visit that has asked nothing yet.
    #[must_use]
    pub fn new(step: Step, since: Seq) -> Self {
        Self { step, since, asking: VisitQuestion::Nothing, also_asking: Vec::new(), early: Vec::new() }
    }

    /// Everything that it has asked.
    pub fn questions(&self) -> impl Iterator<Item = &VisitQuestion> {
        std::iter::once(&self.asking).chain(&self.also_asking).chain(&self.early)
    }

    /// The same, to be answered.
    pub fn questions_mut(&mut self) -> impl Iterator<Item = &mut VisitQuestion> {
        std::iter::once(&mut self.asking).chain(&mut self.also_asking).chain(&mut self.early)
    }

    /// Whether an answer is missing: the node runs again when it has all of them.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.asking.is_waiting() || self.also_asking.iter().any(VisitQuestion::is_waiting)
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

    /// Waits for answers to these, and no longer to what was asked before. Returns those that people do not see yet: what a
    /// sub-agent has asked early stays as it is, and may have its answer.
    pub fn ask(&mut self, requests: Vec<HumanRequest>) -> Vec<HumanRequest> {
        let (mut questions, mut new) = (Vec::new(), Vec::new());
        for request in requests {
            match self.early.iter().position(|question| question.is_of_sub_agent(request.session)) {
                Some(place) => questions.push(self.early.remove(place)),
                None => {
                    questions.push(VisitQuestion::Waiting(Box::new(request.clone())));
                    new.push(request);
                }
            }
        }
        let mut questions = questions.into_iter();
        self.asking = questions.next().unwrap_or_default();
        self.also_asking = questions.collect();
        new
    }

    /// Takes what sub-agents ask while others are at work. Returns what is new: a sub-agent has one open question, and asks
    /// it again when the visit is repeated after a crash.
    pub fn ask_early(&mut self, requests: Vec<HumanRequest>) -> Vec<HumanRequest> {
        let is_known = |visit: &Self, request: &HumanRequest| {
            let is_early = visit.early.iter().any(|question| question.is_of_sub_agent(request.session));
            is_early
                || visit
                    .questions()
                    .any(|question| question.request().map(|asked| asked.id) == Some(request.id))
        };
        let mut new = Vec::new();
        for request in requests {
            if request.session.is_none() || is_known(self, &request) {
                continue;
            }
            // It has used the answer to what it asked before.
            if self.asking.is_of_sub_agent(request.session) {
                self.asking = VisitQuestion::Nothing;
            }
            self.also_asking.retain(|question| !question.is_of_sub_agent(request.session));
            self.early.push(VisitQuestion::Waiting(Box::new(request.clone())));
            new.push(request);
        }
        new
    }

    /// The visit runs, with the answers that it has got: what is asked early from now on is another question.
    pub fn begin_try(&mut self) -> Vec<AnsweredRequest> {
        let (open, given) = std::mem::take(&mut self.early).into_iter().partition(VisitQuestion::is_waiting);
        self.early = open;
        self.also_asking.extend::<Vec<_>>(given);
        self.answers()
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

    /// What is asked, answered or not.
    #[must_use]
    pub fn request(&self) -> Option<&HumanRequest> {
        match self {
            Self::Nothing => None,
            Self::Waiting(request) => Some(request),
            Self::Answered(answered) => Some(&answered.request),
        }
    }

    fn is_of_sub_agent(&self, session: Option<RunId>) -> bool {
        session.is_some() && self.request().is_some_and(|request| request.session == session)
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
    /// Whether its state cannot be read, because it or a checkpoint that it builds on is damaged.
    #[serde(default)]
    pub is_damaged: bool,
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

impl LoadedCheckpoint {
    /// A checkpoint in the same position, with this state.
    #[must_use]
    pub fn with_state(self, state: Box<RawValue>, at: Timestamp) -> Checkpoint {
        let Self { graph, version, position, .. } = self;
        Checkpoint { graph, version, at, position, state: SavedState::Snapshot(state) }
    }
}
