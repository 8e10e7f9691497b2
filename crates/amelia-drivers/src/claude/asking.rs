//! What the program asks us: whether it may use a tool, and what our own tools have to say. Pure.

use std::collections::{BTreeMap, BTreeSet};

use amelia_core::tool::{Ground, Permit, Risk, ToolCall, ToolResult, ToolSpec};
use serde_json::{Value, json};

use super::parse::Request;
use super::{hands, mcp};
use crate::program::{Act, Voice};

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
        voice: &Voice,
        ground: &Ground,
        offered: &[ToolSpec],
        denied: &mut BTreeSet<String>,
    ) -> Vec<Act> {
        match request {
            Request::CanUseTool { tool_name, input, tool_use_id, blocked_path } => {
                let call = voice.call(tool_use_id.as_deref().unwrap_or(&id), &tool_name, input.clone());
                if mcp::own_name(&tool_name).is_some() {
                    return vec![success(&id, &json!({"behavior": "allow", "updatedInput": input}))];
                }
                let risk = hands::risk_of(&tool_name);
                if let Some(path) = outside(ground, &input, blocked_path.as_deref(), risk) {
                    denied.insert(call.id.to_string());
                    let message = format!("{path} is outside of {}: work only there", ground.path.display());
                    return vec![success(&id, &json!({"behavior": "deny", "message": message}))];
                }
                self.permissions.insert(id.clone(), call.clone());
                vec![Act::Permit { key: id, call, risk }]
            }
            Request::McpMessage { message } => match mcp::read(&message, offered) {
                mcp::Asked::Answer(answer) => vec![success(&id, &json!({ "mcp_response": answer }))],
                mcp::Asked::Call { id: inner, name, args, call } => {
                    let call = voice.call(call.as_deref().unwrap_or(&id), &name, args);
                    self.calls.insert(id.clone(), inner);
                    vec![Act::Call { key: id, call }]
                }
            },
            Request::HookCallback {} => vec![success(&id, &json!({}))],
            Request::Other => {
                let response = json!({"subtype": "error", "request_id": id, "error": "not known here"});
                vec![Act::Say(json!({"type": "control_response", "response": response}).to_string())]
            }
        }
    }

    pub(super) fn permitted(&mut self, key: &str, permit: Permit, denied: &mut BTreeSet<String>) -> Vec<Act> {
        let Some(call) = self.permissions.remove(key) else { return Vec::new() };
        let answer = match permit {
            Permit::Allow { args } => {
                json!({"behavior": "allow", "updatedInput": args.unwrap_or(call.args)})
            }
            Permit::Deny { message } => {
                denied.insert(call.id.to_string());
                json!({"behavior": "deny", "message": message})
            }
        };
        vec![success(key, &answer)]
    }

    pub(super) fn returned(&mut self, key: &str, result: &ToolResult) -> Vec<Act> {
        let Some(inner) = self.calls.remove(key) else { return Vec::new() };
        vec![success(key, &json!({"mcp_response": mcp::returned(&inner, result)}))]
    }
}

/// A place outside that a tool for files names. Commands name theirs in ways that nobody can read.
fn outside(ground: &Ground, input: &Value, blocked: Option<&str>, risk: Risk) -> Option<String> {
    match risk {
        Risk::Read | Risk::Write => {
            let named = hands::outside(&ground.path, input).map(str::to_owned);
            named.or_else(|| blocked.map(str::to_owned))
        }
        Risk::Execute | Risk::External => None,
    }
}

fn success(id: &str, response: &Value) -> Act {
    let response = json!({"subtype": "success", "request_id": id, "response": response});
    Act::Say(json!({"type": "control_response", "response": response}).to_string())
}
