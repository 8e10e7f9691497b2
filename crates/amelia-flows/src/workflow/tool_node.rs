//! A tool is called with arguments from the state.

use std::sync::Arc;

use amelia_agents::pipeline::limits;
use amelia_core::config::workflow::{FailureRule, NodeDef};
use amelia_core::elicitation::ELICITATION;
use amelia_core::human::{AnsweredRequest, HumanKind, HumanRequest};
use amelia_core::id::CallId;
use amelia_core::object::Object;
use amelia_core::tool::{CallOptions, ToolCall, ToolName};
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;
use serde_json::{Value, json};

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
            match cx.answered().filter(|answered| asked(answered)) {
                Some(answered) if !answered.is_approval() => {
                    return Err(NodeError::new("interrupted", format!("`{}` was not run again", self.name)));
                }
                None if !may_repeat => {
                    let prompt = format!(
                        "`{}` was interrupted while `{}` ran, and may have done its work: run it again?",
                        self.name, self.tool
                    );
                    let request = cx.request(HumanKind::Escalation, prompt);
                    let context = json!({"call": call.id, "tool": self.tool, "args": call.args});
                    return Ok(NextCall::Ask(Box::new(HumanRequest { context, ..request })));
                }
                Some(_) | None => call.id = self.id(cx, number),
            }
        }
        Ok(NextCall::Make(call))
    }

    /// The same in every try of this visit.
    fn id(&self, cx: &NodeCx, number: u32) -> CallId {
        CallId::repaired(&format!("{}-{}-{number}", self.name, cx.step()))
    }
}
