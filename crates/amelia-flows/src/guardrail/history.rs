//! What policies would have said about a run of the past, as its log tells it. Texts that were withheld then are not in the log.

use std::collections::BTreeMap;

use amelia_core::config::team::TEAM_TOOLS;
use amelia_core::event::guardrail::GuardPoint;
use amelia_core::event::{AgentEvent, Event, EventKind, HumanEvent, RunEvent};
use amelia_core::guardrail::{CheckedCall, CheckedContent, Guardrails as _, MadeCall, Violation};
use amelia_core::id::{AgentName, CallId, Seq};
use amelia_core::message::{Message, Object, Part, Role};
use amelia_core::tool::{Risk, ToolCall};
use amelia_graph::state::State as _;
use serde_json::Value;

use super::PolicySet;
use crate::chat::Chat;

/// A violation, and the event in which it was found.
#[derive(Debug, Clone, PartialEq)]
pub struct PastViolation {
    pub seq: Seq,
    pub agent: AgentName,
    pub tool: Option<String>,
    pub violation: Violation,
}

impl PolicySet {
    /// Everything that these policies would have found in a log, from its beginning. Expressions see the state with which a run
    /// begins. How risky a call was is not in the log: it counts as `execute`.
    #[must_use]
    pub fn check_history(&self, events: &[Event]) -> Vec<PastViolation> {
        let mut history =
            History { rules: self, found: Vec::new(), calls: BTreeMap::new(), made: BTreeMap::new() };
        events.iter().for_each(|event| history.read(event));
        history.found
    }
}

struct History<'a> {
    rules: &'a PolicySet,
    found: Vec<PastViolation>,
    calls: BTreeMap<&'a CallId, &'a ToolCall>,
    made: BTreeMap<&'a AgentName, Vec<MadeCall>>,
}

impl<'a> History<'a> {
    fn read(&mut self, event: &'a Event) {
        match &event.draft.kind {
            EventKind::Run(RunEvent::Created { spec }) => {
                let prompt = spec.input.get("prompt").and_then(Value::as_str).unwrap_or_default();
                self.check(event, GuardPoint::UserInput, prompt, None);
            }
            EventKind::Human(HumanEvent::Intervened(words)) => {
                let text = words.details.get("message").and_then(Value::as_str).unwrap_or_default();
                self.check(event, GuardPoint::UserInput, text, None);
            }
            EventKind::Human(HumanEvent::Replied(reply)) => {
                self.check(event, GuardPoint::UserInput, reply.message.as_deref().unwrap_or_default(), None);
            }
            EventKind::Agent(AgentEvent::Said(said)) => match said.role {
                Role::User => self.check(event, GuardPoint::Prompt, &said.text(), None),
                Role::Assistant => self.check(event, GuardPoint::Answer, &answer_text(said), None),
                Role::System | Role::Tool => {}
            },
            EventKind::Agent(AgentEvent::Called(call)) => {
                let earlier = self.made.get(&event.draft.agent).cloned().unwrap_or_default();
                let text = Value::Object(call.args.clone()).to_string();
                let checked = checked(call, &earlier);
                self.check(event, GuardPoint::ToolCall, &text, Some(checked));
                let made = MadeCall { tool: call.tool.clone(), at: event.draft.at };
                self.made.entry(&event.draft.agent).or_default().push(made);
                self.calls.insert(&call.id, call);
            }
            EventKind::Agent(AgentEvent::Returned(result)) => {
                let Some(call) = self.calls.get(&result.call).copied() else { return };
                let text = match &result.error {
                    Some(error) => format!("{}\n{error}", result.output),
                    None => result.output.clone(),
                };
                let checked = CheckedCall { result: Some(result), ..checked(call, &[]) };
                if !checked.ends_turn {
                    self.check(event, GuardPoint::ToolResult, text.trim_start(), Some(checked));
                }
            }
            _ => {}
        }
    }

    fn check(&mut self, event: &Event, point: GuardPoint, text: &str, call: Option<CheckedCall<'_>>) {
        if text.trim().is_empty() {
            return;
        }
        let is_person = point == GuardPoint::UserInput;
        let agent = if is_person { "" } else { event.draft.agent.as_str() };
        let content = CheckedContent { point, agent, text, call, at: event.draft.at };
        let begin = Chat::default();
        let found = self.rules.check(&content, &|name| begin.value(name));
        let tool = call.map(|call| call.call.tool.to_string());
        self.found.extend(found.into_iter().map(|violation| PastViolation {
            seq: event.seq,
            agent: event.draft.agent.clone(),
            tool: tool.clone(),
            violation,
        }));
    }
}

fn checked<'c>(call: &'c ToolCall, earlier: &'c [MadeCall]) -> CheckedCall<'c> {
    CheckedCall { call, risk: Risk::Execute, result: None, ends_turn: ends_turn(call), earlier }
}

/// Tools of teams by which a turn ends; those for plans do not.
fn ends_turn(call: &ToolCall) -> bool {
    let name = call.tool.name.as_str();
    call.tool.server.is_none()
        && TEAM_TOOLS.contains(&name)
        && !name.starts_with("plan_")
        && name != "delegate"
}

fn answer_text(said: &Message) -> String {
    let mut texts = vec![said.text()];
    for part in &said.parts {
        if let Part::ToolCall(call) = part
            && ends_turn(call)
        {
            collect(&call.args, &mut texts);
        }
    }
    texts.retain(|text| !text.is_empty());
    texts.join("\n\n")
}

fn collect(fields: &Object, texts: &mut Vec<String>) {
    for value in fields.values() {
        match value {
            Value::String(text) => texts.push(text.clone()),
            Value::Object(fields) => collect(fields, texts),
            _ => {}
        }
    }
}
