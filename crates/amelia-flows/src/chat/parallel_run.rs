//! How far agents are that work at the same time: who has arrived at which point, and how the work of each has ended. Pure.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::TurnEnd;

/// Agents at work at the same time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ParallelRun {
    /// How the last part of the work of each agent has ended.
    pub ends: BTreeMap<String, TurnEnd>,
    /// Who has arrived at each point, in the order of arrival.
    pub arrivals: BTreeMap<usize, Vec<SyncArrival>>,
}

/// An agent has come to a point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SyncArrival {
    pub agent: String,
    pub summary: String,
}

/// What has happened to agents that work at the same time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParallelUpdate {
    /// All begin, perhaps once more.
    Began,
    /// A part of an agent's work has ended: at this point, or with its answer.
    PartEnded { point: Option<usize>, end: Box<TurnEnd> },
}

impl ParallelRun {
    pub(super) fn is_new(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn apply(&mut self, update: ParallelUpdate) {
        match update {
            ParallelUpdate::Began => *self = Self::default(),
            ParallelUpdate::PartEnded { point, end } => {
                if let Some(point) = point {
                    let (agent, summary) = (end.agent.clone(), end.text.clone());
                    self.arrivals.entry(point).or_default().push(SyncArrival { agent, summary });
                }
                self.ends.insert(end.agent.clone(), *end);
            }
        }
    }

    /// What an agent said when it arrived at a point.
    #[must_use]
    pub fn summary(&self, point: usize, agent: &str) -> Option<&str> {
        let arrivals = self.arrivals.get(&point)?;
        arrivals.iter().find(|arrival| arrival.agent == agent).map(|arrival| arrival.summary.as_str())
    }

    /// Who had arrived at a point when this agent did, itself included, in the order of arrival.
    #[must_use]
    pub fn arrived_with(&self, point: usize, agent: &str) -> Option<Vec<&str>> {
        let arrivals = self.arrivals.get(&point)?;
        let place = arrivals.iter().position(|arrival| arrival.agent == agent)?;
        Some(arrivals.iter().take(place.saturating_add(1)).map(|arrival| arrival.agent.as_str()).collect())
    }
}
