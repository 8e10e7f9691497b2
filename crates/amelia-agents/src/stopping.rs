//! Where a run stops inside the work of an agent: before a call, or between two turns. The question is written, the
//! conversation left; when a person lets it continue, it does so from the log, with the call that had not begun.

use std::borrow::Borrow;

use amelia_core::event::{AgentEvent, Event, EventKind};
use amelia_core::human::{AnsweredRequest, HumanKind, HumanRequest};
use amelia_core::id::AgentName;
use amelia_core::message::{Message, Part, Role};
use amelia_core::stop_rule::{STOP, StopPlace, StopRule, StopVerdict};
use amelia_core::text::capped;
use amelia_core::tool::ToolCall;
use amelia_graph::node::NodeCx;
use serde_json::{Value, json};

use crate::prompt::fence;

/// As much of a call as a person can look at.
const SHOWN: usize = 500;

/// Where a conversation stands between two turns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TurnPlace {
    /// Turns of the agent so far.
    pub(crate) turns: usize,
    /// Whether the agent has not answered yet in this visit.
    pub(crate) is_first: bool,
    /// A call of the last turn has failed.
    pub(crate) has_failed: bool,
}

impl TurnPlace {
    /// The place at which a conversation continues.
    pub(crate) fn of(messages: &[impl Borrow<Message>]) -> Self {
        let messages = || messages.iter().map(Borrow::borrow);
        let turns = messages().filter(|message: &&Message| message.role == Role::Assistant).count();
        let last = messages().rev().take_while(|message: &&Message| message.role != Role::Assistant);
        let is_failure = |part: &Part| matches!(part, Part::ToolResult(result) if !result.is_success());
        let has_failed = last.flat_map(|message| &message.parts).any(is_failure);
        let is_first = messages().next_back().is_none_or(|last: &Message| last.role == Role::User);
        Self { turns, is_first, has_failed }
    }
}

/// The question before the next turn of an agent, if a rule wants one that was not answered here.
pub(crate) fn before_turn(
    cx: &NodeCx,
    agent: &AgentName,
    place: &TurnPlace,
    recorded: &[Event],
) -> Option<HumanRequest> {
    let is_met = |rule: &StopRule| match &rule.place {
        StopPlace::Turn | StopPlace::Step => true,
        StopPlace::Agent(name) => place.is_first && agent.as_str() == name,
        StopPlace::Error => place.has_failed,
        StopPlace::Cost(_) => rule.is_reached(cx.usd()),
        StopPlace::Event(name) => {
            cx.has_happened(name)
                || since_last_turn(recorded, agent).any(|event| event.draft.kind.name() == name)
        }
        StopPlace::Node(_) | StopPlace::Tool(_) | StopPlace::Path(_) => false,
    };
    let (rule, verdict) = first_met(cx, is_met)?;
    let is_passed = |answered: &AnsweredRequest| {
        place_of(answered).and_then(|stop| stop.get("turn")) == Some(&json!(place.turns))
    };
    if cx.answered().is_some_and(is_passed) {
        return None;
    }
    if rule.holds_once() {
        cx.use_up(&rule);
    }
    if let StopPlace::Event(name) = &rule.place {
        cx.settle_event(name);
    }
    let context = json!({ STOP: { "rule": rule, "turn": place.turns } });
    let prompt = format!("{}, before the next turn of {agent}: continue?", rule.prompt(&verdict));
    Some(HumanRequest { by: agent.clone(), context, ..cx.request(rule.asks(), prompt) })
}

/// The first rule by which the run stops at a place that it has reached.
fn first_met(cx: &NodeCx, is_met: impl Fn(&StopRule) -> bool) -> Option<(StopRule, StopVerdict)> {
    let met = cx.stops().into_iter().filter(is_met);
    let mut judged = met.map(|rule| {
        let verdict = rule.verdict(|condition| cx.decide(condition));
        (rule, verdict)
    });
    judged.find(|(_, verdict)| *verdict != StopVerdict::Pass)
}

/// Whether recorded events are needed to decide.
pub(crate) fn looks_at_events(cx: &NodeCx) -> bool {
    cx.stops().iter().any(|rule| matches!(rule.place, StopPlace::Event(_)))
}

/// What happened after the agent last answered.
fn since_last_turn<'a>(recorded: &'a [Event], agent: &AgentName) -> impl Iterator<Item = &'a Event> {
    let is_turn = |event: &Event| match &event.draft.kind {
        EventKind::Agent(AgentEvent::Said(said)) => {
            said.role == Role::Assistant && event.draft.agent == *agent
        }
        _ => false,
    };
    let last = recorded.iter().rposition(is_turn).map_or(0, |place| place + 1);
    recorded.iter().skip(last)
}

/// Whether a rule wants to be asked before this call, and was not.
pub(crate) fn holds(cx: &NodeCx, call: &ToolCall, root: &str) -> Option<(StopRule, StopVerdict)> {
    let tool = call.tool.to_string();
    let found = first_met(cx, |rule| !rule.is_gate && rule.holds(&tool, &call.args, root))?;
    (!cx.answered().is_some_and(|answered| is_about(answered, call))).then_some(found)
}

/// Whether a person approves such calls before they are made, as the team wants it.
pub(crate) fn is_gated(cx: &NodeCx, call: &ToolCall) -> bool {
    let tool = call.tool.to_string();
    first_met(cx, |rule| rule.is_gate && rule.holds(&tool, &call.args, "")).is_some()
}

/// The question before a call.
pub(crate) fn before_call(
    cx: &NodeCx,
    agent: &AgentName,
    call: &ToolCall,
    (rule, verdict): &(StopRule, StopVerdict),
) -> HumanRequest {
    let shown = capped(&call.brief(), SHOWN).replace('\n', " ⏎ ");
    let context = json!({ STOP: { "rule": rule, "call": call.id, "tool": call.tool, "args": call.args } });
    let prompt = format!("breakpoint {rule}{}, before {agent} uses {shown}: continue?", verdict.remark());
    HumanRequest { by: agent.clone(), context, ..cx.request(HumanKind::Breakpoint, prompt) }
}

/// Whether a person was asked about this very call: by a stop, or for a permission. A program that continues makes the
/// same call under another id.
fn is_about(answered: &AnsweredRequest, call: &ToolCall) -> bool {
    if crate::permission::is_about_call(answered, call) {
        return true;
    }
    let Some(stop) = place_of(answered) else { return false };
    let is_same = |name: &str, value: Value| stop.get(name) == Some(&value);
    is_same("call", json!(call.id))
        || (is_same("tool", json!(call.tool)) && is_same("args", json!(call.args)))
}

fn place_of(answered: &AnsweredRequest) -> Option<&Value> {
    answered.request.context.get(STOP)
}

/// Whether an answer lets an agent continue past a stop.
pub(crate) fn is_stop(answered: &AnsweredRequest) -> bool {
    place_of(answered).is_some()
}

/// The message to an agent that continues after a stop: what the person said; and a program, whose call is not in the
/// conversation, which call it was.
pub(crate) fn words(answered: &AnsweredRequest, messages: &[impl Borrow<Message>]) -> Option<String> {
    let stop = place_of(answered)?;
    let said = answered.reply.message.clone().filter(|words| !words.trim().is_empty());
    let is_open = |call: &ToolCall| stop.get("call") == Some(&json!(call.id));
    let parts = messages.iter().flat_map(|message| &message.borrow().parts);
    let mut calls = parts.filter_map(|part| match part {
        Part::ToolCall(call) => Some(call),
        _ => None,
    });
    if stop.get("call").is_none() || calls.any(is_open) {
        return said;
    }
    let tool = stop.get("tool").and_then(Value::as_str).unwrap_or_default();
    let call = fence::untrusted(&format!("{tool} {}", stop.get("args").unwrap_or(&Value::Null)), "your call");
    let said = said.map(|words| format!("They said: {words}\n")).unwrap_or_default();
    Some(format!(
        "You were stopped before this call:\n\n{call}\n\n{said}Make exactly the same call now, then continue."
    ))
}

#[cfg(test)]
#[path = "stopping_tests.rs"]
mod tests;
