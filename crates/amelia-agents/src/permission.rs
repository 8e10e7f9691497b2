//! Whether an agent may make a call: what its role may do decides, then a person where one wants to be asked. The run
//! comes to rest; the answer is good for that very call, and for later ones if the person has granted a rule.

use amelia_core::config::agent::{Asks, Permissions};
use amelia_core::event::{AgentEvent, Event, EventKind};
use amelia_core::human::{AnsweredRequest, HumanAction, HumanKind, HumanRequest};
use amelia_core::id::AgentName;
use amelia_core::message::{Object, Part};
use amelia_core::permission::{BEYOND_RULES, PERMISSION, fits, is_beyond_rules, narrowest_rule};
use amelia_core::text::capped;
use amelia_core::tool::{Risk, ToolCall, ToolName, ToolPermission};
use amelia_core::workplace::Rights;
use amelia_graph::node::NodeCx;
use serde_json::{Value, json};

use crate::prompt::fence;

/// As much of a call as a person can look at.
const SHOWN: usize = 2000;

/// What is to be done about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PermissionDecision {
    Permit(ToolPermission),
    AskPerson,
}

/// Decides by the role alone. A person cannot let a reader write: that is what the role is for.
pub(crate) fn decide(
    permissions: &Permissions,
    rights: Option<Rights>,
    call: &ToolCall,
    risk: Risk,
) -> PermissionDecision {
    let is_held_to_reading = !matches!(rights, Some(Rights::Work));
    if is_held_to_reading && risk != Risk::Read {
        let message =
            "this role is read-only: it may not change files, run commands or use the network. Use your tools for reading and searching instead".to_owned();
        return PermissionDecision::Permit(ToolPermission::Deny { message });
    }
    let asks = match (permissions.asks, risk) {
        (Asks::Never, _) | (_, Risk::Read) => false,
        (Asks::Commands, Risk::Write) => false,
        (Asks::Commands, Risk::Execute | Risk::External) | (Asks::Changes, _) => true,
    };
    let tool = call.tool.to_string();
    let is_allowed =
        !is_beyond_rules(&tool, risk) && permissions.allowed.iter().any(|rule| fits(rule, &tool, &call.args));
    if asks && !is_allowed {
        return PermissionDecision::AskPerson;
    }
    PermissionDecision::Permit(ToolPermission::Allow { args: None })
}

/// What a person said about this very call, if they were asked.
pub(crate) fn answer(cx: &NodeCx, call: &ToolCall) -> Option<ToolPermission> {
    let answered = cx.answered().filter(|answered| is_about(answered, call))?;
    let words = answered.reply.message.clone().filter(|words| !words.trim().is_empty());
    if !answered.is_approval() {
        let message = words.unwrap_or_else(|| {
            "a person did not allow it: do not do the same by other means, continue without it".to_owned()
        });
        return Some(ToolPermission::Deny { message });
    }
    Some(ToolPermission::Allow { args: changed_args(answered).cloned() })
}

/// The same for a tool that we run ourselves, whose calls the log knows: an answer is used up when the call was made, also
/// over crashes. A call that the conversation does not have was made before a fork, and is made anew.
pub(crate) fn answer_of_log(cx: &NodeCx, call: &ToolCall, past: &[Event]) -> Option<ToolPermission> {
    let asked = cx.answered().and_then(asked_id)?;
    let is_same_call = |event: &Event| match &event.draft.kind {
        EventKind::Agent(AgentEvent::Called(made)) => made.tool == call.tool && made.args == call.args,
        EventKind::Agent(AgentEvent::Said(said)) => {
            said.parts.iter().any(|part| matches!(part, Part::ToolCall(made) if made.id.as_str() == asked))
        }
        _ => false,
    };
    let is_meant = asked == call.id.as_str() || !past.iter().any(is_same_call);
    let words = cx.answered().and_then(|answered| answered.reply.message.as_deref());
    Some(match (answer(cx, call).filter(|_| is_meant)?, words.filter(|words| !words.trim().is_empty())) {
        (ToolPermission::Deny { .. }, Some(words)) => {
            ToolPermission::Deny { message: format!("a person did not allow it and said: {words}") }
        }
        (permit, _) => permit,
    })
}

/// The same for a program, which makes the call again itself, with another id: a yes is used up when such a call was made
/// `since` the program got it.
pub(crate) fn answer_to_program(cx: &NodeCx, call: &ToolCall, since: &[Event]) -> Option<ToolPermission> {
    let is_made = |event: &Event| match &event.draft.kind {
        EventKind::Agent(AgentEvent::Called(made)) => made.tool == call.tool && made.args == call.args,
        _ => false,
    };
    match answer(cx, call)? {
        ToolPermission::Allow { .. } if since.iter().any(is_made) => None,
        permit => Some(permit),
    }
}

/// What a person said beside their yes, for the model that reads the result of the call.
pub(crate) fn note(cx: &NodeCx, changed: Option<&Object>) -> Option<String> {
    let answered = cx.answered().filter(|answered| answered.is_approval())?;
    let words = answered.reply.message.as_deref().filter(|words| !words.trim().is_empty());
    let changed = changed.map(|args| format!("with other arguments: {}", Value::Object(args.clone())));
    match (changed, words) {
        (None, None) => None,
        (Some(changed), None) => Some(format!("A person allowed this call {changed}")),
        (None, Some(words)) => Some(format!("A person allowed this call and said: {words}")),
        (Some(changed), Some(words)) => {
            Some(format!("A person allowed this call {changed}\nThey said: {words}"))
        }
    }
}

/// Whether an answer is about this call of the conversation: then it is made, or not, and needs no words.
pub(crate) fn is_about_call(answered: &AnsweredRequest, call: &ToolCall) -> bool {
    asked_id(answered) == Some(call.id.as_str())
}

fn asked_id(answered: &AnsweredRequest) -> Option<&str> {
    answered.request.context.get(PERMISSION)?.get("call")?.as_str()
}

/// The arguments that a person has put in the place of the agent's own.
fn changed_args(answered: &AnsweredRequest) -> Option<&Object> {
    let changed = answered.reply.updates.as_ref().filter(|_| answered.reply.action == HumanAction::Modify);
    changed.and_then(Value::as_object)
}

fn is_about(answered: &AnsweredRequest, call: &ToolCall) -> bool {
    let asked = answered.request.asked_call();
    asked.is_some_and(|(tool, args)| tool == call.tool.to_string() && args == &call.args)
}

/// The message to an agent that continues after an answer about a permission.
pub(crate) fn words(answered: &AnsweredRequest) -> Option<String> {
    let (tool, args) = answered.request.asked_call()?;
    let tool = ToolName::repaired(tool).for_models();
    let call = fence::untrusted(&format!("{tool} {}", Value::Object(args.clone())), "your call");
    let with_others = changed_args(answered).map(|args| {
        let args = Value::Object(args.clone());
        format!("Make exactly the same call again: it is run with {args} in the place of your arguments. Then continue.")
    });
    let (decision, then) = match (answered.is_approval(), &answered.reply.message) {
        (true, _) => match &with_others {
            Some(then) => ("A person has allowed this call with other arguments:", then.as_str()),
            None => ("A person has allowed this call:", "Make exactly the same call again, then continue."),
        },
        (false, None) => (
            "A person did not allow this call:",
            "Do not do the same by other means. Continue without it, and say in your result what is missing.",
        ),
        (false, Some(_)) => ("A person did not allow this call:", "Continue accordingly."),
    };
    let words = answered.reply.message.as_ref().map(|words| format!("They said: {words}\n"));
    Some(format!("{decision}\n\n{call}\n\n{}{then}", words.unwrap_or_default()))
}

/// The question to a person.
pub(crate) fn question(cx: &NodeCx, agent: &AgentName, call: &ToolCall, risk: Risk) -> HumanRequest {
    let shown = match call.args.get("command").and_then(Value::as_str) {
        Some(command) => command.to_owned(),
        None => Value::Object(call.args.clone()).to_string(),
    };
    // In one line, and whole: no one should allow what they have not seen.
    let shown = capped(&shown, SHOWN).replace('\n', " ⏎ ");
    let prompt = format!("{} wants to use {}: {shown}", agent.label(), call.tool);
    let tool = call.tool.to_string();
    let is_beyond = is_beyond_rules(&tool, risk);
    let rule = narrowest_rule(&tool, &call.args).filter(|_| !is_beyond);
    let context = json!({ PERMISSION: {
        "tool": call.tool, "args": call.args, "call": call.id, "rule": rule, BEYOND_RULES: is_beyond,
    } });
    HumanRequest { by: agent.clone(), context, ..cx.request(HumanKind::Approval, prompt) }
}

#[cfg(test)]
#[path = "permission_tests.rs"]
mod tests;
