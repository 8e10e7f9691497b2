//! Whether an agent may use a tool of its own: what its role may do decides, then a person where one wants to be asked.
//! The run comes to rest; the answer is good for that very call.

use amelia_core::config::agent::{Asks, Permissions};
use amelia_core::human::{AnsweredRequest, HumanAction, HumanKind, HumanRequest};
use amelia_core::id::AgentName;
use amelia_core::message::Object;
use amelia_core::text::capped;
use amelia_core::tool::{Risk, ToolCall, ToolPermission};
use amelia_core::workplace::Rights;
use amelia_graph::node::NodeCx;
use serde_json::{Value, json};

use crate::prompt::fence;

/// Where a request keeps the call that it is about.
pub const PERMISSION: &str = "permission";
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
    if asks && !permissions.allowed.iter().any(|rule| fits(rule, call)) {
        return PermissionDecision::AskPerson;
    }
    PermissionDecision::Permit(ToolPermission::Allow { args: None })
}

/// `Bash`, `Bash(cargo test*)`, `Bash(git status)`. More than one command in a line is never fitted by its beginning.
fn fits(rule: &str, call: &ToolCall) -> bool {
    let Some((tool, pattern)) = rule.strip_suffix(')').and_then(|rule| rule.split_once('(')) else {
        return call.tool.to_string() == rule;
    };
    let Some(command) = call.args.get("command").and_then(Value::as_str) else { return false };
    let is_one = !command.contains([';', '&', '|', '\n', '`', '>', '<']) && !command.contains("$(");
    call.tool.to_string() == tool
        && match pattern.strip_suffix('*') {
            Some(beginning) => is_one && command.starts_with(beginning),
            None => command == pattern,
        }
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

/// The arguments that a person has put in the place of the agent's own.
fn changed_args(answered: &AnsweredRequest) -> Option<&Object> {
    let changed = answered.reply.updates.as_ref().filter(|_| answered.reply.action == HumanAction::Modify);
    changed.and_then(Value::as_object)
}

fn is_about(answered: &AnsweredRequest, call: &ToolCall) -> bool {
    asked(answered).is_some_and(|(tool, args)| tool == call.tool.to_string() && args == &call.args)
}

/// The call that an answer is about, when it is one about a permission.
fn asked(answered: &AnsweredRequest) -> Option<(&str, &Object)> {
    let permission = answered.request.context.get(PERMISSION)?;
    Some((permission.get("tool")?.as_str()?, permission.get("args")?.as_object()?))
}

/// What an agent is told when it goes on after an answer about a permission.
pub(crate) fn words(answered: &AnsweredRequest) -> Option<String> {
    let (tool, args) = asked(answered)?;
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
pub(crate) fn question(cx: &NodeCx, agent: &AgentName, call: &ToolCall) -> HumanRequest {
    let shown = match call.args.get("command").and_then(Value::as_str) {
        Some(command) => command.to_owned(),
        None => Value::Object(call.args.clone()).to_string(),
    };
    // In one line, and whole: nobody should allow what they have not seen.
    let shown = capped(&shown, SHOWN).replace('\n', " ⏎ ");
    let prompt = format!("{agent} wants to use {}: {shown}", call.tool);
    let context = json!({ PERMISSION: { "tool": call.tool, "args": call.args, "call": call.id } });
    HumanRequest { by: agent.clone(), context, ..cx.request(HumanKind::Approval, prompt) }
}

#[cfg(test)]
#[path = "permission_tests.rs"]
mod tests;
