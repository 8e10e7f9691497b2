//! What the program asks us: whether it may use a tool, and what our own tools have to say. Pure.

use std::collections::{BTreeMap, BTreeSet};

use amelia_core::tool::{Risk, ToolCall, ToolPermission, ToolResult, ToolSpec, WorkArea};
use serde_json::{Value, json};

use super::parse::Request;
use super::{mcp, tool_calls};
use crate::program::{MessageFactory, ProtocolAction};

/// Requests of the program that are not answered yet.
#[derive(Debug, Default)]
pub(super) struct Asking {
    permissions: BTreeMap<String, ToolCall>,
    /// The id in the inner protocol.
    calls: BTreeMap<String, Value>,
}

impl Asking {
    pub(super) fn asked(
        &mut self,
        id: String,
        request: Request,
        factory: &MessageFactory,
        work_area: &WorkArea,
        offered: &[ToolSpec],
        denied: &mut BTreeSet<String>,
    ) -> Vec<ProtocolAction> {
        match request {
            Request::CanUseTool { tool_name, input, tool_use_id, blocked_path } => {
                let call = factory.call(tool_use_id.as_deref().unwrap_or(&id), &tool_name, input.clone());
                if mcp::own_name(&tool_name).is_some() {
                    return vec![success(&id, &json!({"behavior": "allow", "updatedInput": input}))];
                }
                let risk = tool_calls::risk_of(&tool_name);
                if let Some(path) = outside(work_area, &input, blocked_path.as_deref(), risk) {
                    denied.insert(call.id.to_string());
                    let message = tool_calls::refusal(&work_area.path, &path);
                    return vec![success(&id, &json!({"behavior": "deny", "message": message}))];
                }
                self.permissions.insert(id.clone(), call.clone());
                vec![ProtocolAction::Permit { key: id, call, risk }]
            }
            Request::McpMessage { message } => match mcp::read(&message, offered) {
                mcp::McpAction::Answer(answer) => vec![success(&id, &json!({ "mcp_response": answer }))],
                mcp::McpAction::Call { id: inner, name, args, call } => {
                    let call = factory.call(call.as_deref().unwrap_or(&id), &name, args);
                    self.calls.insert(id.clone(), inner);
                    vec![ProtocolAction::Call { key: id, call }]
                }
            },
            Request::HookCallback {} => vec![success(&id, &json!({}))],
            Request::Other => {
                let response = json!({"subtype": "error", "request_id": id, "error": "not known here"});
                vec![ProtocolAction::Say(
                    json!({"type": "control_response", "response": response}).to_string(),
                )]
            }
        }
    }

    pub(super) fn permitted(
        &mut self,
        key: &str,
        permit: ToolPermission,
        denied: &mut BTreeSet<String>,
    ) -> Vec<ProtocolAction> {
        let Some(call) = self.permissions.remove(key) else { return Vec::new() };
        let answer = match permit {
            ToolPermission::Allow { args } => {
                json!({"behavior": "allow", "updatedInput": args.unwrap_or(call.args)})
            }
            ToolPermission::Deny { message } => {
                denied.insert(call.id.to_string());
                json!({"behavior": "deny", "message": message})
            }
        };
        vec![success(key, &answer)]
    }

    pub(super) fn returned(&mut self, key: &str, result: &ToolResult) -> Vec<ProtocolAction> {
        let Some(inner) = self.calls.remove(key) else { return Vec::new() };
        vec![success(key, &json!({"mcp_response": mcp::returned(&inner, result)}))]
    }
}

/// A place outside that a tool for files names. Commands name theirs in ways that cannot be read.
fn outside(work_area: &WorkArea, input: &Value, blocked: Option<&str>, risk: Risk) -> Option<String> {
    match risk {
        Risk::Read | Risk::Write => {
            let named = tool_calls::outside(&work_area.path, input).map(str::to_owned);
            named.or_else(|| blocked.map(str::to_owned))
        }
        Risk::Execute | Risk::External => None,
    }
}

fn success(id: &str, response: &Value) -> ProtocolAction {
    let response = json!({"subtype": "success", "request_id": id, "response": response});
    ProtocolAction::Say(json!({"type": "control_response", "response": response}).to_string())
}
