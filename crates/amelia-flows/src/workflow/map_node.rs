//! A task for every element of a list. A fixed number of lanes take the elements one by one, so that as many are worked
//! on at the same time as the file allows, and each is a visit of its own: a crash costs only those that are under way.

use std::sync::Arc;

use amelia_core::config::workflow::{NodeDef, NodeKind};
use amelia_core::object::Object;
use amelia_graph::build::Builder;
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome, pure};
use async_trait::async_trait;
use serde_json::{Value, json};

use super::agent_node::AgentNode;
use super::tool_node::ToolNode;
use super::{FlowParts, meeting_of};
use crate::chat::{Chat, ChatUpdate, MapUpdate};

/// The element that a task works on, and its number, in the state that the task sees.
const ITEM: &str = "item";
const INDEX: &str = "index";
/// More elements than this belong into several lists.
const MAX_ITEMS: usize = 10_000;

/// Looks up the list.
pub(super) struct MapNode {
    pub(super) name: String,
    pub(super) over: String,
    pub(super) lanes: u32,
}

#[async_trait]
impl Node<Chat> for MapNode {
    async fn run(&self, _: &NodeCx, state: &Chat) -> Result<Outcome<ChatUpdate>, NodeError> {
        let refused = |message: String| {
            Err(NodeError::new("bad_list", format!("`{}` of `{}` {message}", self.over, self.name)))
        };
        let items = match state.metadata.get(&self.over) {
            Some(Value::Array(items)) => items.clone(),
            None | Some(Value::Null) => return refused("is not set, but must be a list".to_owned()),
            Some(other) => {
                let start: String = other.to_string().chars().take(80).collect();
                return refused(format!("is not a list: {start}"));
            }
        };
        if items.len() > MAX_ITEMS {
            return refused(format!("has {} elements, but at most {MAX_ITEMS} are allowed", items.len()));
        }
        let update = MapUpdate::Began { items, lanes: self.lanes };
        Ok(Outcome::Done(vec![ChatUpdate::Map { node: self.name.clone(), update }]))
    }
}

/// Who works on the elements.
pub(super) struct Lanes<'a> {
    pub(super) name: &'a str,
    pub(super) concurrency: u32,
    /// The value that takes the results.
    pub(super) output: Option<&'a str>,
    pub(super) task: &'a NodeDef,
    pub(super) parts: Option<&'a Arc<FlowParts>>,
}

impl Lanes<'_> {
    /// Adds the lanes after the node of the list, and the node in which they meet.
    pub(super) fn add(&self, graph: Builder<Chat>) -> Builder<Chat> {
        let (name, meeting) = (self.name, meeting_of(self.name));
        let node_of = |lane: u32| format!("{name}.lane.{lane}");
        let lanes: Vec<String> = (1..=self.concurrency).map(node_of).collect();
        let mut graph = graph.fork(&lanes);
        for lane in 1..=self.concurrency {
            let (node, meeting, list) = (node_of(lane), meeting.clone(), name.to_owned());
            let task = Task::new(&node, self.task, self.parts);
            let targets = [(node.clone(), Some("next element".to_owned())), (meeting.clone(), None)];
            graph = graph.node(&node, Lane { list: list.clone(), lane, task }).kind("agent").try_route(
                move |state| {
                    let has_more = state.maps.get(&list).is_some_and(|run| run.item(lane).is_some());
                    Ok(if has_more { node.clone() } else { meeting.clone() }.into())
                },
                targets,
            );
        }
        let (list, output) = (name.to_owned(), self.output.map(str::to_owned));
        let collected = move |state: &Chat| {
            let results = state.maps.get(&list).map(|run| run.results().to_vec()).unwrap_or_default();
            let set = output.clone().map(|key| ChatUpdate::Set { key, value: Value::Array(results) });
            let ended = ChatUpdate::Map { node: list.clone(), update: MapUpdate::Ended };
            set.into_iter().chain([ended]).collect()
        };
        graph.node(&meeting, pure(collected)).kind("join").join(&lanes)
    }
}

/// Works on one element after the other.
struct Lane {
    list: String,
    lane: u32,
    task: Task,
}

#[async_trait]
impl Node<Chat> for Lane {
    async fn run(&self, cx: &NodeCx, state: &Chat) -> Result<Outcome<ChatUpdate>, NodeError> {
        let Some((index, item)) = state.maps.get(&self.list).and_then(|run| run.item(self.lane)) else {
            return Ok(Outcome::Done(Vec::new()));
        };
        let updates = match self.task.run(cx, &seen_by_task(state, index, item)).await? {
            Outcome::Done(updates) => updates,
            Outcome::Wait(requests) => return Ok(Outcome::Wait(requests)),
        };
        let result = result_of(&updates);
        let finished = MapUpdate::Finished { lane: self.lane, result };
        let used = updates.into_iter().filter(|update| matches!(update, ChatUpdate::Used(_)));
        let done = ChatUpdate::Map { node: self.list.clone(), update: finished };
        Ok(Outcome::Done(used.chain([done]).collect()))
    }
}

/// What a task knows: the values of the state and its element, but not what was said.
fn seen_by_task(state: &Chat, index: usize, item: &Value) -> Chat {
    let mut metadata = state.metadata.clone();
    metadata.insert(ITEM.to_owned(), item.clone());
    metadata.insert(INDEX.to_owned(), json!(index));
    Chat { metadata, used: state.used, started_at: state.started_at, ..Chat::default() }
}

/// What a task has set: one value as it is, several as an object; or else what it said.
fn result_of(updates: &[ChatUpdate]) -> Value {
    let set: Object = updates
        .iter()
        .filter_map(|update| match update {
            ChatUpdate::Set { key, value } if !["routing_key", "next_action"].contains(&key.as_str()) => {
                Some((key.clone(), value.clone()))
            }
            _ => None,
        })
        .collect();
    let said = updates.iter().find_map(|update| match update {
        ChatUpdate::Said(message) => Some(Value::String(message.text.clone())),
        _ => None,
    });
    match set.len() {
        0 => said.unwrap_or(Value::Null),
        1 => set.into_iter().next().map_or(Value::Null, |(_, value)| value),
        _ => Value::Object(set),
    }
}

/// What runs for every element.
enum Task {
    Agent(AgentNode),
    Tool(ToolNode),
    /// Refused when the file is read.
    None,
}

impl Task {
    fn new(name: &str, def: &NodeDef, parts: Option<&Arc<FlowParts>>) -> Self {
        let (name, parts, mut def) = (name.to_owned(), parts.cloned(), def.clone());
        match def.kind.clone() {
            NodeKind::Agent { agent } => {
                if def.inputs.is_empty() {
                    def.inputs = vec![ITEM.to_owned()];
                }
                Self::Agent(AgentNode { name, agent, def, parts })
            }
            NodeKind::Tool { tool, arguments } => Self::Tool(ToolNode { name, tool, arguments, def, parts }),
            _ => Self::None,
        }
    }

    async fn run(&self, cx: &NodeCx, state: &Chat) -> Result<Outcome<ChatUpdate>, NodeError> {
        match self {
            Self::Agent(node) => node.run(cx, state).await,
            Self::Tool(node) => node.run(cx, state).await,
            Self::None => Ok(Outcome::Done(Vec::new())),
        }
    }
}
