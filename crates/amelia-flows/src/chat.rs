//! The state of a run that is made from a file: what was said in public, and what agents and people have set. Tool
//! calls are in the log, not here.

mod consensus_run;
mod editing;
mod map_run;
mod parallel_run;
mod pattern_run;
mod team_run;

use std::collections::BTreeMap;

use amelia_core::object::Object;
use amelia_graph::state::State;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::condition::{Condition, Variables, Verdict};
use crate::plan_values::shown_tasks;

pub use consensus_run::{CastVote, CastingVote, ConsensusRun, ConsensusUpdate, Proposal, Vote, VoteCount};
pub use editing::edited;
pub use map_run::{MapRun, MapUpdate};
pub use parallel_run::{ParallelRun, ParallelUpdate, SyncArrival};
pub use pattern_run::{Idea, PatternRun, PatternUpdate, best};
pub use team_run::{Handoff, TeamRun, TeamUpdate, TurnEnd, TurnOutcome};

/// As many messages as conditions and templates see: the newest.
pub(crate) const VISIBLE: usize = 1_000;

/// What a run knows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Chat {
    pub messages: Vec<ChatMessage>,
    #[serde(default)]
    pub current_agent: Option<String>,
    #[serde(default)]
    pub next_action: Option<String>,
    #[serde(default)]
    pub routing_key: Option<String>,
    /// Everything else that agents, tools and people have set.
    #[serde(default)]
    pub metadata: Object,
    /// How often each node was visited, and how many messages it had seen then.
    #[serde(default)]
    pub visits: BTreeMap<String, NodeVisits>,
    /// How far patterns are, by node.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub patterns: BTreeMap<String, PatternRun>,
    /// How far lists are, by node.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub maps: BTreeMap<String, MapRun>,
    /// How far a team is.
    #[serde(default, skip_serializing_if = "TeamRun::is_new")]
    pub team: TeamRun,
    /// How far the teams inside it are, by the path of their nodes (`press/`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub teams: BTreeMap<String, TeamRun>,
    #[serde(default)]
    pub used: Used,
    #[serde(default)]
    pub started_at: Option<Timestamp>,
}

/// One public message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatMessage {
    pub role: ChatRole,
    /// Who said it; `None` for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The node in which it was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    pub text: String,
    pub at: Timestamp,
}

/// In whose name a message was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChatRole {
    User,
    Assistant,
    Tool,
}

impl ChatMessage {
    /// What an agent said at a node.
    #[must_use]
    pub fn of_agent(agent: &str, node: &str, text: String, at: Timestamp) -> Self {
        let (agent, node) = (Some(agent.to_owned()), Some(node.to_owned()));
        Self { role: ChatRole::Assistant, agent, node, text, at }
    }

    /// As conditions see it.
    pub(crate) fn seen(&self) -> Value {
        json!({"role": self.role.as_str(), "agent": self.agent, "text": self.text})
    }
}

impl ChatRole {
    fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

/// What became of a node so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeVisits {
    pub count: u32,
    /// Messages that its agent has seen.
    pub seen: usize,
    /// Visits that a person has allowed beyond the limit.
    #[serde(default)]
    pub granted: u32,
}

/// What the agents of a run have used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Used {
    pub turns: u64,
    pub steps: u64,
    pub tokens: u64,
    /// Nothing while no price is known.
    #[serde(default)]
    pub cost_usd: Option<f64>,
    /// When the last turn ended.
    #[serde(default)]
    pub at: Option<Timestamp>,
}

impl Used {
    /// Adds what is known; what is not known changes nothing.
    pub(crate) fn add_cost(&mut self, more: Option<f64>) {
        if let Some(more) = more {
            self.cost_usd = Some(self.cost_usd.unwrap_or(0.0) + more);
        }
    }
}

/// One change of the state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChatUpdate {
    Said(ChatMessage),
    /// `routing_key`, `next_action`, or a key of `metadata`.
    Set {
        key: String,
        value: Value,
    },
    Current {
        agent: String,
    },
    Visited {
        node: String,
        seen: usize,
    },
    Granted {
        node: String,
        visits: u32,
    },
    /// What one turn has used.
    Used(Used),
    Pattern {
        node: String,
        update: PatternUpdate,
    },
    Map {
        node: String,
        update: MapUpdate,
    },
    Team(TeamUpdate),
    InnerTeam {
        path: String,
        update: TeamUpdate,
    },
}

impl State for Chat {
    type Update = ChatUpdate;

    fn apply(&mut self, update: ChatUpdate) {
        match update {
            ChatUpdate::Said(message) => self.messages.push(message),
            ChatUpdate::Set { key, value } => match key.as_str() {
                "routing_key" => self.routing_key = text_of(value),
                "next_action" => self.next_action = text_of(value),
                _ => drop(self.metadata.insert(key, value)),
            },
            ChatUpdate::Current { agent } => self.current_agent = Some(agent),
            ChatUpdate::Visited { node, seen } => {
                let visits = self.visits.entry(node).or_default();
                visits.count = visits.count.saturating_add(1);
                visits.seen = seen;
            }
            ChatUpdate::Granted { node, visits } => {
                let kept = self.visits.entry(node).or_default();
                kept.granted = kept.granted.saturating_add(visits);
            }
            ChatUpdate::Used(more) => {
                let used = &mut self.used;
                used.turns = used.turns.saturating_add(more.turns);
                used.steps = used.steps.saturating_add(more.steps);
                used.tokens = used.tokens.saturating_add(more.tokens);
                used.add_cost(more.cost_usd);
                used.at = more.at.or(used.at);
            }
            ChatUpdate::Pattern { node, update } => self.patterns.entry(node).or_default().apply(update),
            ChatUpdate::Map { node, update } => self.maps.entry(node).or_default().apply(update),
            ChatUpdate::Team(update) => self.team.apply(update),
            ChatUpdate::InnerTeam { path, update } => self.teams.entry(path).or_default().apply(update),
        }
    }

    /// The result of a team, or the last word of an agent.
    fn summary(&self) -> Option<String> {
        if let Some(result) = &self.team.result {
            return Some(result.clone());
        }
        let last = self.messages.iter().rev().find(|message| message.role != ChatRole::User);
        last.map(|message| message.text.clone())
    }

    fn check_condition(condition: &str) -> Result<(), String> {
        let parsed = Condition::parse(condition).map_err(|error| error.to_string())?;
        match parsed.is_label() {
            true => Err("must be true or false, but this is text".to_owned()),
            false => Ok(()),
        }
    }

    fn value(&self, name: &str) -> Value {
        match name.strip_prefix("metadata.") {
            Some(key) => self.metadata(key),
            None => self.variable(name),
        }
    }

    fn decide(&self, condition: &str) -> Result<bool, String> {
        let parsed = Condition::parse(condition).map_err(|error| error.to_string())?;
        match parsed.evaluate(self)? {
            Verdict::Bool(is_true) => Ok(is_true),
            Verdict::Label(label) => Err(format!("it is the text `{label}`, and must be true or false")),
        }
    }
}

fn text_of(value: Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    }
}

impl Chat {
    /// A run that begins with what a person wants.
    #[must_use]
    pub fn begin(prompt: &str, metadata: Object, at: Timestamp) -> Self {
        let opening =
            ChatMessage { role: ChatRole::User, agent: None, node: None, text: prompt.to_owned(), at };
        let messages = if prompt.trim().is_empty() { Vec::new() } else { vec![opening] };
        Self { messages, metadata, started_at: Some(at), ..Self::default() }
    }

    /// The newest messages.
    #[must_use]
    pub fn visible(&self) -> &[ChatMessage] {
        let hidden = self.messages.len().saturating_sub(VISIBLE);
        self.messages.get(hidden..).unwrap_or_default()
    }

    /// The tasks of the team's plan, or else of the value `plan`: a list, or a plan whose `tasks` are one; none where there is
    /// no plan.
    fn planned_tasks(&self) -> Value {
        if !self.team.plan.tasks.is_empty() {
            return shown_tasks(&self.team.plan);
        }
        let plan = self.metadata.get("plan");
        let tasks = plan.and_then(|plan| plan.get("tasks")).or(plan);
        tasks.filter(|tasks| tasks.is_array()).cloned().unwrap_or_else(|| json!([]))
    }

    /// What expressions and templates see as `state`.
    #[must_use]
    pub fn seen(&self) -> Object {
        let mut state = self.metadata.clone();
        for field in ["messages", "next_action", "current_agent", "routing_key"] {
            state.insert(field.to_owned(), self.variable(field));
        }
        state
    }
}

impl Variables for Chat {
    fn variable(&self, name: &str) -> Value {
        match name {
            "messages" => self.visible().iter().map(ChatMessage::seen).collect(),
            "last" => json!(self.messages.last().map_or("", |message| message.text.as_str())),
            "agent" => json!(self.current_agent.as_deref().unwrap_or_default()),
            "current_agent" => json!(self.current_agent),
            "routing_key" => json!(self.routing_key),
            "next_action" => json!(self.next_action),
            "turns" => json!(self.used.turns),
            "steps" => json!(self.used.steps),
            "tokens" => json!(self.used.tokens),
            "cost_usd" => json!(self.used.cost_usd.unwrap_or(0.0)),
            "elapsed_seconds" => {
                let times = self.used.at.zip(self.started_at);
                json!(times.map_or(0.0, |(at, start)| at.duration_since(start).as_secs_f64()))
            }
            "plan" => self.planned_tasks(),
            _ => Value::Null,
        }
    }

    fn metadata(&self, key: &str) -> Value {
        self.metadata.get(key).cloned().unwrap_or(Value::Null)
    }
}
