//! A tool with which an agent of a team asks a person: for an approval, for feedback, or for help. The run, the agent or nothing
//! waits for the answer, which is the result of the call or, when nothing waits, a message. Silence is an answer, too.

use std::sync::Arc;

use amelia_core::config::team::tool::EscalationRule;
use amelia_core::event::{Event, EventKind, HumanEvent};
use amelia_core::human::{HumanRequest, OnTimeout, WaitMode};
use amelia_core::human_tool::{
    CALL, ESCALATE_SECONDS, HUMAN_TOOL, HumanToolCall, HumanToolKind, asked_text, deadline,
};
use amelia_core::id::AgentName;
use amelia_core::redact::Redactor;
use amelia_core::tool::{Risk, ToolCall, ToolResult, ToolSpec};
use amelia_graph::node::NodeCx;
use async_trait::async_trait;
use serde_json::{Value, json};

use crate::asking;
use crate::own_tool::{OwnStop, OwnTool};

/// Seconds until silence is the answer, when neither the call nor the team says so.
pub const DEFAULT_TIMEOUT: u64 = 86_400;

/// A tool of one agent that asks a person.
pub struct HumanTool {
    pub agent: AgentName,
    pub name: String,
    pub kind: HumanToolKind,
    pub mode: WaitMode,
    /// What the person is asked, before what the agent says.
    pub prompt: Option<String>,
    /// Seconds; 0 for no deadline.
    pub timeout: u64,
    pub on_timeout: EscalationRule,
    pub redactor: Arc<Redactor>,
}

#[async_trait]
impl OwnTool for HumanTool {
    fn spec(&self) -> ToolSpec {
        let (what, properties, required) = match self.kind {
            HumanToolKind::Approval => (
                "Ask a person to approve an action before you take it. Take the action only if `approved` is true in the result.",
                json!({
                    "action": {"type": "string", "minLength": 1, "description": "What you want to do, in one sentence"},
                    "context": {"description": "What the person needs to know to decide"},
                }),
                json!(["action"]),
            ),
            HumanToolKind::Feedback => (
                "Ask a person for feedback on something that you have made.",
                json!({
                    "artifact": {"type": "string", "minLength": 1, "description": "The file, or the text itself"},
                    "questions": {
                        "type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 10,
                        "description": "What you want to know"
                    },
                }),
                json!(["artifact", "questions"]),
            ),
            HumanToolKind::Escalation => (
                "Tell a person about a problem that you cannot solve, and ask how to continue.",
                json!({
                    "issue": {"type": "string", "minLength": 1, "description": "The problem, and what you have tried"},
                    "urgency": {"type": "string", "enum": ["low", "normal", "high"]},
                }),
                json!(["issue"]),
            ),
        };
        let later = match self.mode {
            WaitMode::Synchronous | WaitMode::Asynchronous => "The result is the answer.",
            WaitMode::Advisory => "You continue at once; the answer comes later, as a message.",
        };
        let prompt = self.prompt.as_ref().map(|prompt| format!(" The person is asked: {prompt}"));
        let description = format!("{what} {later}{}", prompt.unwrap_or_default());
        let mut properties = properties;
        let timeout = json!({
            "type": "integer", "minimum": 0,
            "description": format!("Seconds to wait for an answer; 0 for as long as it takes. Default: {}", self.timeout)
        });
        if let Some(properties) = properties.as_object_mut() {
            properties.insert("timeout".to_owned(), timeout);
        }
        let schema = json!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": false
        });
        // External: it does not run at the same time as other calls.
        let spec = ToolSpec::builtin(&self.name, &description, Risk::External, schema);
        ToolSpec { timeout_seconds: u64::MAX, ..spec }
    }

    async fn call(&self, cx: &NodeCx, call: &ToolCall) -> Result<ToolResult, OwnStop> {
        if let Some(answer) = asking::answer(cx, call) {
            return Ok(answer);
        }
        let asked = match HumanToolCall::read(self.kind, &call.args) {
            Ok(asked) => asked,
            Err(problem) => {
                return Ok(ToolResult { error: Some(problem), ..ToolResult::interrupted(call) });
            }
        };
        if self.mode != WaitMode::Advisory {
            return Err(OwnStop::Asks(vec![self.request(cx, call, asked)]));
        }
        // Killed between the question and the result of the call.
        let before = cx.recorded().await?;
        let request = match before.iter().find_map(|event| asked_by(event, call)) {
            Some(request) => request.clone(),
            None => {
                let request = self.redactor.clean(self.request(cx, call, asked));
                cx.ask_for_advice(request.clone()).await?;
                request
            }
        };
        Ok(ToolResult { output: asked_text(&request), error: None, ..ToolResult::interrupted(call) })
    }
}

impl HumanTool {
    fn request(&self, cx: &NodeCx, call: &ToolCall, asked: HumanToolCall) -> HumanRequest {
        let HumanToolCall { prompt, timeout, args } = asked;
        let prompt = match &self.prompt {
            Some(own) => format!("{}: {prompt}", own.trim_end()),
            None => prompt,
        };
        let request = cx.request(self.kind.asks(), prompt);
        let (on_timeout, seconds) = match self.on_timeout {
            EscalationRule::Reject => (OnTimeout::Reject, None),
            EscalationRule::Approve => (OnTimeout::Approve, None),
            EscalationRule::Escalate(seconds) => (OnTimeout::Escalate, seconds),
        };
        let mut context = args;
        let own = [(HUMAN_TOOL, json!(self.kind.name())), ("tool", json!(self.name)), (CALL, json!(call.id))];
        context.extend(own.map(|(name, value)| (name.to_owned(), value)));
        context.extend(seconds.map(|seconds| (ESCALATE_SECONDS.to_owned(), json!(seconds))));
        HumanRequest {
            by: self.agent.clone(),
            context: Value::Object(context),
            deadline: deadline(request.at, timeout.unwrap_or(self.timeout)),
            on_timeout,
            mode: Some(self.mode),
            ..request
        }
    }
}

/// The question that this call has asked before, if this event says so.
fn asked_by<'e>(event: &'e Event, call: &ToolCall) -> Option<&'e HumanRequest> {
    match &event.draft.kind {
        EventKind::Human(HumanEvent::Requested(request)) => {
            Some(request).filter(|request| request.context.get(CALL) == Some(&json!(call.id)))
        }
        _ => None,
    }
}

#[cfg(test)]
#[path = "human_tool_tests.rs"]
mod tests;
