//! A tool is called with arguments from the state.

use std::sync::Arc;

use amelia_agents::pipeline::limits;
use amelia_core::config::workflow::NodeDef;
use amelia_core::id::CallId;
use amelia_core::object::Object;
use amelia_core::tool::{CallOptions, ToolCall, ToolName};
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;
use serde_json::Value;

use super::agent_node::{Limit, over_limit};
use super::{FlowParts, parts};
use crate::chat::{Chat, ChatMessage, ChatRole, ChatUpdate};
use crate::template::fill_object;

pub(super) struct ToolNode {
    pub(super) name: String,
    pub(super) tool: String,
    pub(super) arguments: Object,
    pub(super) def: NodeDef,
    pub(super) parts: Option<Arc<FlowParts>>,
}

#[async_trait]
impl Node<Chat> for ToolNode {
    async fn run(&self, cx: &NodeCx, state: &Chat) -> Result<Outcome<ChatUpdate>, NodeError> {
        limits::check_answer(cx)?;
        let granted = match over_limit(cx, &self.name, &self.def, state) {
            Limit::Within(granted) => granted,
            Limit::Asks(request) => return Ok(Outcome::Wait(*request)),
        };
        let parts = parts(self.parts.as_ref())?;
        let args = fill_object(&self.arguments, state).map_err(|error| {
            NodeError::new(
                "bad_template",
                format!("the arguments of `{}` cannot be filled in: {error}", self.name),
            )
        })?;
        let call = ToolCall {
            // The same in every try of this visit.
            id: CallId::repaired(&format!("{}-{}", self.name, cx.step())),
            tool: tool_name(&self.tool),
            args,
            at: Some(cx.now()),
            options: CallOptions::default(),
        };
        let result = match parts.tools.call(cx, &call).await {
            Ok(result) => result,
            Err(stop) => return limits::stopped(cx, stop),
        };
        if let Some(error) = &result.error {
            let message = format!("the tool `{}` of `{}` failed: {error}", self.tool, self.name);
            return Err(NodeError::new("tool_failed", message));
        }
        let mut updates = vec![
            ChatUpdate::Said(ChatMessage {
                role: ChatRole::Tool,
                agent: None,
                node: Some(self.name.clone()),
                text: result.output.clone(),
                at: cx.now(),
            }),
            ChatUpdate::Visited { node: self.name.clone(), seen: state.messages.len() },
        ];
        if let Some(key) = self.def.outputs.first() {
            let value = serde_json::from_str(&result.output).unwrap_or(Value::String(result.output));
            updates.push(ChatUpdate::Set { key: key.clone(), value });
        }
        updates.extend(granted);
        Ok(Outcome::Done(updates))
    }
}

/// `server:tool`, `server.tool`, or the name of a built-in one.
pub(super) fn tool_name(text: &str) -> ToolName {
    match text.split_once(':') {
        Some((server, name)) => ToolName { server: Some(server.to_owned()), name: name.to_owned() },
        None => ToolName::repaired(text),
    }
}
