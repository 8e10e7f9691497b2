//! A tool is called with arguments from the state.

use std::sync::Arc;

use amelia_agents::pipeline::limits;
use amelia_core::config::workflow::{FailureRule, NodeDef};
use amelia_core::elicitation::ELICITATION;
use amelia_core::human::{AnsweredRequest, HumanAction, HumanKind, HumanRequest, asks};
use amelia_core::id::CallId;
use amelia_core::object::Object;
use amelia_core::tool::{CallOptions, ToolCall, ToolName};
use amelia_core::yes_or_no::is_yes;
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;
use serde_json::{Value, json};

use super::human_node::words;
use super::visit_limit::{VisitLimit, visit_limit};
use super::{FlowParts, parts};
use crate::chat::{Chat, ChatMessage, ChatRole, ChatUpdate};
use crate::template::{command_line, fill_object};

/// Built-in tools that may run twice: the second time changes nothing. Tools that only read are repeated anyway.
const REPEATABLE: [&str; 1] = ["write_file"];

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
        let granted = match visit_limit(cx, &self.name, &self.def, state).await? {
            VisitLimit::Within(granted) => granted.map(|granted| *granted),
            VisitLimit::Asks(request) => return Ok(Outcome::ask(*request)),
        };
        let parts = parts(self.parts.as_ref())?;
        let args = self.arguments(state).map_err(|error| {
            NodeError::new(
                "bad_template",
                format!("the arguments of `{}` cannot be filled in: {error}", self.name),
            )
        })?;
        let call = match self.call(cx, parts, args).await? {
            NextCall::Make(call) => call,
            NextCall::Ask(request) => return Ok(Outcome::ask(*request)),
            NextCall::Skip { is_done } => {
                let skipped = self.skipped(cx, state, is_done);
                return Ok(Outcome::Done(skipped.into_iter().chain(granted).collect()));
            }
        };
        let result = match parts.tools.call(cx, &call).await {
            Ok(result) => result,
            Err(stop) => return limits::stopped(cx, stop),
        };
        let continues = self.def.config.on_failure == FailureRule::Continue;
        if let Some(error) = result.error.as_ref().filter(|_| !continues) {
            let message = format!("the tool `{}` of `{}` failed: {error}", self.tool, self.name);
            return Err(NodeError::new("tool_failed", message));
        }
        let outcome = if result.error.is_none() { "success" } else { "failure" };
        let output = match result.error {
            None => result.output,
            Some(error) => format!("{}\n{error}", result.output).trim_start().to_owned(),
        };
        let mut updates = vec![
            ChatUpdate::Said(ChatMessage {
                role: ChatRole::Tool,
                agent: None,
                node: Some(self.name.clone()),
                text: output.clone(),
                at: cx.now(),
            }),
            ChatUpdate::Visited { node: self.name.clone(), seen: state.messages.len() },
        ];
        if let Some(key) = self.def.outputs.first() {
            let value = serde_json::from_str(&output).unwrap_or(Value::String(output));
            updates.push(ChatUpdate::Set { key: key.clone(), value });
        }
        if continues {
            updates.push(ChatUpdate::Set { key: "routing_key".to_owned(), value: json!(outcome) });
        }
        updates.extend(granted);
        Ok(Outcome::Done(updates))
    }
}

/// What comes next in a visit.
enum NextCall {
    Make(ToolCall),
    Ask(Box<HumanRequest>),
    /// It was interrupted, and a person does not want it again.
    Skip {
        is_done: bool,
    },
}

/// What a person wants of a call that was interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AfterInterruption {
    Repeat,
    /// It has done its work.
    Done,
    /// It may have, or not.
    Leave,
}

/// Only a clear yes makes the call again: a second call may do harm, and the run can be cancelled or forked instead.
fn after_interruption(answered: &AnsweredRequest) -> AfterInterruption {
    let reply = &answered.reply;
    let is_accepted =
        reply.updates.as_ref().is_some_and(|updates| updates.get("accept") == Some(&json!(true)));
    match reply.action {
        HumanAction::Modify if is_accepted => AfterInterruption::Done,
        HumanAction::Approve
            if reply.message.as_deref().is_none_or(|words| words.trim().is_empty() || is_yes(words)) =>
        {
            AfterInterruption::Repeat
        }
        HumanAction::Approve | HumanAction::Reject | HumanAction::Modify | HumanAction::TimedOut => {
            AfterInterruption::Leave
        }
    }
}

impl ToolNode {
    /// The arguments with values of the state. What stands in a command is data: it cannot become a command itself.
    fn arguments(&self, state: &Chat) -> Result<Object, String> {
        let mut arguments = self.arguments.clone();
        let command = match ToolName::repaired(&self.tool) == ToolName::builtin("shell") {
            true => arguments.remove("command"),
            false => None,
        };
        let mut filled = fill_object(&arguments, state)?;
        if let Some(command) = command {
            let line = command.as_str().map(|template| command_line(template, state));
            let line = line.transpose().map_err(|error| format!("command: {error}"))?;
            filled.insert("command".to_owned(), line.map_or(command, Value::String));
        }
        Ok(filled)
    }

    /// The call of this visit. One that was interrupted may have happened: it is made again by itself only where that
    /// changes nothing.
    async fn call(&self, cx: &NodeCx, parts: &FlowParts, args: Object) -> Result<NextCall, NodeError> {
        let tool = ToolName::repaired(&self.tool);
        let may_repeat = REPEATABLE.iter().any(|name| tool == ToolName::builtin(*name));
        let mut call =
            ToolCall { id: self.id(cx, 1), tool, args, at: Some(cx.now()), options: CallOptions::default() };
        for number in 2.. {
            if !parts.tools.is_interrupted(cx, &call).await? {
                break;
            }
            let asked = |answered: &AnsweredRequest| {
                let context = &answered.request.context;
                context.get("call") == Some(&json!(call.id)) && context.get(ELICITATION).is_none()
            };
            match cx.answered().filter(|answered| asked(answered)).map(after_interruption) {
                Some(AfterInterruption::Done) => return Ok(NextCall::Skip { is_done: true }),
                Some(AfterInterruption::Leave) => return Ok(NextCall::Skip { is_done: false }),
                None if !may_repeat => {
                    let prompt = format!(
                        "`{}` was interrupted while `{}` ran, and may have done its work: run it again?",
                        self.name, self.tool
                    );
                    let request = cx.request(HumanKind::Escalation, prompt);
                    let context = json!({
                        "asks": asks::INTERRUPTED_CALL,
                        "call": call.id,
                        "tool": self.tool,
                        "args": call.args,
                    });
                    return Ok(NextCall::Ask(Box::new(HumanRequest { context, ..request })));
                }
                Some(AfterInterruption::Repeat) | None => call.id = self.id(cx, number),
            }
        }
        Ok(NextCall::Make(call))
    }

    /// The run continues without a result of the tool; the agents after it read why.
    fn skipped(&self, cx: &NodeCx, state: &Chat, is_done: bool) -> Vec<ChatUpdate> {
        let why = if is_done { "a person says that it has done its work" } else { "a person decided so" };
        let text = format!("`{}` was interrupted and was not run again: {why}.", self.tool);
        let (role, node) = (ChatRole::Tool, Some(self.name.clone()));
        let mut updates = vec![ChatUpdate::Said(ChatMessage { role, agent: None, node, text, at: cx.now() })];
        updates.extend(cx.answered().and_then(|answered| words(cx, answered, &self.name)));
        updates.push(ChatUpdate::Visited { node: self.name.clone(), seen: state.messages.len() });
        if self.def.config.on_failure == FailureRule::Continue {
            let outcome = if is_done { "success" } else { "failure" };
            updates.push(ChatUpdate::Set { key: "routing_key".to_owned(), value: json!(outcome) });
        }
        updates
    }

    /// The same in every try of this visit.
    fn id(&self, cx: &NodeCx, number: u32) -> CallId {
        CallId::repaired(&format!("{}-{}-{number}", self.name, cx.step()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(action: &str, message: Option<&str>, updates: &Value) -> AnsweredRequest {
        let id = "00000000-0000-0000-0000-000000000000";
        serde_json::from_value(json!({
            "request": {"id": id, "kind": "escalation", "by": "system", "at": "2026-01-01T00:00:00Z", "prompt": ""},
            "reply": {"request": id, "action": action, "at": "2026-01-01T00:00:00Z", "message": message,
                      "updates": updates},
        }))
        .unwrap()
    }

    #[test]
    fn only_a_clear_yes_runs_an_interrupted_tool_again() {
        let none = Value::Null;
        for (action, message, updates, expected) in [
            ("approve", None, &none, AfterInterruption::Repeat),
            ("approve", Some("yes"), &none, AfterInterruption::Repeat),
            ("approve", Some("no"), &none, AfterInterruption::Leave),
            ("approve", Some("no, do not"), &none, AfterInterruption::Leave),
            ("approve", Some("yes, it is done"), &none, AfterInterruption::Leave),
            ("reject", None, &none, AfterInterruption::Leave),
            ("modify", Some("yes"), &none, AfterInterruption::Leave),
            ("modify", None, &json!({"accept": true}), AfterInterruption::Done),
            ("timed_out", None, &none, AfterInterruption::Leave),
        ] {
            assert_eq!(
                after_interruption(&answered(action, message, updates)),
                expected,
                "{action} {message:?}"
            );
        }
    }
}
