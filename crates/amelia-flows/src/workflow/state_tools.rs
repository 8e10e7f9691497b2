//! `update_state`: the tool with which an agent sets values for the nodes after it. What it sets is read from the log when
//! the visit ends, so a call that was made before a crash counts, too.

use std::collections::BTreeMap;
use std::sync::Arc;

use amelia_core::event::{AgentEvent, Event, EventKind};
use amelia_core::id::CallId;
use amelia_core::object::Object;
use amelia_core::tool::{Risk, ToolBox, ToolCall, ToolCx, ToolLayer, ToolResult, ToolSpec};
use async_trait::async_trait;
use serde_json::{Value, json};

const NAME: &str = "update_state";
/// A value that is larger belongs into a file.
const MAX_BYTES: usize = 256 * 1024;

/// Tools of an agent, and `update_state`.
pub(super) struct StateTools {
    pub(super) inner: Arc<dyn ToolBox>,
    /// The keys that its node may set.
    pub(super) allowed: Vec<String>,
}

impl StateTools {
    fn spec(&self) -> ToolSpec {
        let schema = json!({
            "type": "object",
            "properties": {"updates": {
                "type": "object",
                "description": format!("The values to set, by name: {}", self.allowed.join(", "))
            }},
            "required": ["updates"],
            "additionalProperties": false
        });
        let description = "Set values that the next steps of this workflow read.";
        ToolSpec::builtin(NAME, description, Risk::Read, schema)
    }

    fn take(&self, call: &ToolCall) -> ToolResult {
        let problem = match updates_of(call) {
            None => Some("`updates` is missing: call again with {\"updates\": {\"name\": value}}".to_owned()),
            Some(updates) => {
                let unknown = updates.keys().find(|key| !self.allowed.contains(key));
                let is_large = Value::Object(updates.clone()).to_string().len() > MAX_BYTES;
                match unknown {
                    Some(key) => {
                        Some(format!("`{key}` cannot be set here; possible: {}", self.allowed.join(", ")))
                    }
                    None => is_large.then(|| format!("the values are larger than {} KB", MAX_BYTES / 1024)),
                }
            }
        };
        let output = if problem.is_none() { "Set.".to_owned() } else { String::new() };
        ToolResult { output, error: problem, ..ToolResult::interrupted(call) }
    }
}

fn is_ours(call: &ToolCall) -> bool {
    call.tool.server.is_none() && call.tool.name == NAME
}

fn updates_of(call: &ToolCall) -> Option<&Object> {
    call.args.get("updates").and_then(Value::as_object)
}

/// What was set by calls that succeeded, the last value of each key.
pub(super) fn set_in(events: &[Event]) -> Object {
    let mut calls: BTreeMap<&CallId, &ToolCall> = BTreeMap::new();
    let mut set = Object::new();
    for event in events {
        match &event.draft.kind {
            EventKind::Agent(AgentEvent::Called(call)) if is_ours(call) => {
                calls.insert(&call.id, call);
            }
            EventKind::Agent(AgentEvent::Returned(result)) if result.is_success() => {
                let updates = calls.get(&result.call).and_then(|call| updates_of(call));
                set.extend(updates.cloned().unwrap_or_default());
            }
            _ => {}
        }
    }
    set
}

#[async_trait]
impl ToolLayer for StateTools {
    fn inner(&self) -> &dyn ToolBox {
        &*self.inner
    }

    fn specs(&self) -> Vec<ToolSpec> {
        self.inner.specs().into_iter().chain([self.spec()]).collect()
    }

    fn extras(&self) -> Vec<ToolSpec> {
        self.inner.extras().into_iter().chain([self.spec()]).collect()
    }

    async fn refresh(&self, recorded: Option<&[ToolSpec]>) -> Option<Vec<ToolSpec>> {
        let inner = self.inner.refresh(recorded).await?;
        Some(inner.into_iter().chain([self.spec()]).collect())
    }

    async fn call(&self, cx: &ToolCx, call: &ToolCall) -> ToolResult {
        match is_ours(call) {
            true => self.take(call),
            false => self.inner.call(cx, call).await,
        }
    }
}
