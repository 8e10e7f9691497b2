//! Questions of the program whether it may: what is asked of us, and how the answer is written. Pure.

use std::path::Path;

use amelia_core::tool::{Risk, ToolCall, ToolPermission};
use serde_json::{Value, json};

use super::item::{Item, PATCH, SHELL, command_args};
use crate::program::MessageFactory;
use crate::program::rpc::text;

/// A command, also one that is to run outside the sandbox.
pub const COMMAND: &str = "item/commandExecution/requestApproval";
/// An edit.
pub const FILES: &str = "item/fileChange/requestApproval";
/// More rights for the rest of the turn.
pub const PERMISSIONS: &str = "item/permissions/requestApproval";
/// A tool of an MCP server that the user has given it, or a form of such a server.
pub const ELICITATION: &str = "mcpServer/elicitation/request";

/// Commands that only look, when nothing else is in the line.
const LOOKING: [&str; 12] =
    ["cat", "file", "grep", "head", "ls", "nl", "pwd", "stat", "tail", "wc", "which", "whoami"];

/// A question that waits for our answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Approval {
    pub(super) call: ToolCall,
    pub(super) risk: Risk,
    form: Form,
}

/// How the answer is written.
#[derive(Debug, Clone, PartialEq)]
enum Form {
    Decision,
    /// What is granted is what was wished for.
    Grant(Value),
    Action,
}

/// What is asked, if it is a question of this kind. `item` is the item that it is about, as far as it is known.
pub(super) fn read(
    method: &str,
    params: &Value,
    item: Option<&Item>,
    factory: &MessageFactory,
    work_area: &Path,
) -> Option<Approval> {
    let id = text(params, &["itemId"]).unwrap_or("approval");
    match method {
        COMMAND => Some(command(params, id, factory, work_area)),
        FILES => {
            let is_inside = match item {
                Some(Item::FileChange(changes)) => changes.is_within(work_area),
                _ => false,
            };
            let is_more = params.get("grantRoot").is_some_and(|root| !root.is_null());
            let translator = super::item::ItemTranslator { factory, work_area };
            let call = item.and_then(|item| translator.call(item));
            let call = call.unwrap_or_else(|| factory.call(id, PATCH, json!({})));
            let risk = if is_inside && !is_more { Risk::Write } else { Risk::External };
            Some(Approval { call, risk, form: Form::Decision })
        }
        PERMISSIONS => {
            let wish = params.get("permissions").cloned().unwrap_or_default();
            let call = factory.call(id, "permissions", json!({"permissions": wish}));
            Some(Approval { call, risk: Risk::External, form: Form::Grant(wish) })
        }
        ELICITATION => {
            // A form wants data that no one here has; a plain question wants a yes.
            let is_form = params.pointer("/requestedSchema/properties").and_then(Value::as_object);
            let is_plain = is_form.is_none_or(serde_json::Map::is_empty);
            let form = if is_plain { Form::Action } else { return None };
            Some(Approval { call: of_server(params, id, factory), risk: Risk::External, form })
        }
        _ => None,
    }
}

/// A call of a tool of a server, which the program wants to have allowed; or anything else that the server wants a yes for.
fn of_server(params: &Value, id: &str, factory: &MessageFactory) -> ToolCall {
    let server = text(params, &["serverName"]).unwrap_or("mcp");
    let is_call = text(params, &["_meta", "codex_approval_kind"]) == Some("mcp_tool_call");
    match text(params, &["_meta", "tool_name"]).filter(|_| is_call) {
        Some(tool) => {
            let args = params.pointer("/_meta/tool_params").cloned().unwrap_or_default();
            factory.call(id, &format!("{server}:{tool}"), args)
        }
        None => {
            let args = json!({"message": text(params, &["message"])});
            factory.call(id, &format!("{server}:request"), args)
        }
    }
}

fn command(params: &Value, id: &str, factory: &MessageFactory, work_area: &Path) -> Approval {
    let given = text(params, &["command"]).unwrap_or_default();
    let args = command_args(given, text(params, &["cwd"]), work_area);
    let is_given = |name: &str| params.get(name).is_some_and(|value| !value.is_null());
    // A reason is given for what does not stay in the sandbox.
    let is_beyond = ["reason", "networkApprovalContext", "additionalPermissions"].into_iter().any(is_given);
    let written = args.get("command").and_then(Value::as_str).unwrap_or_default();
    let risk = match is_beyond {
        true => Risk::External,
        false if is_looking(written) => Risk::Read,
        false => Risk::Execute,
    };
    Approval { call: factory.call(id, SHELL, args), risk, form: Form::Decision }
}

/// One plain command that cannot change anything.
fn is_looking(command: &str) -> bool {
    let is_plain = command.chars().all(|c| c.is_alphanumeric() || " ._-/=,:@+".contains(c));
    is_plain && command.split_whitespace().next().is_some_and(|word| LOOKING.contains(&word))
}

impl Approval {
    /// The answer, and what the model should learn besides: the protocol has no words for a refusal.
    pub(super) fn answer(&self, permit: &ToolPermission) -> (Value, Option<String>) {
        match permit {
            ToolPermission::Allow { args } if args.as_ref().is_none_or(|args| *args == self.call.args) => {
                (self.verdict(true), None)
            }
            ToolPermission::Allow { args } => {
                let wanted = Value::Object(args.clone().unwrap_or_default());
                let words = format!(
                    "{} was not allowed with these arguments. It is allowed with: {wanted}\nMake the call again with exactly these arguments.",
                    self.call.tool
                );
                (self.verdict(false), Some(words))
            }
            ToolPermission::Deny { message } => {
                (self.verdict(false), Some(format!("{} was not allowed: {message}", self.call.tool)))
            }
        }
    }

    fn verdict(&self, is_yes: bool) -> Value {
        match &self.form {
            Form::Decision => json!({"decision": if is_yes { "accept" } else { "decline" }}),
            Form::Grant(wish) => json!({
                "permissions": if is_yes { wish.clone() } else { json!({}) },
                "scope": "turn",
            }),
            Form::Action if is_yes => json!({"action": "accept", "content": {}}),
            Form::Action => json!({"action": "decline"}),
        }
    }
}
