//! Changes of a workflow's state that come with a person's answer: which may be made. Messages are only added. Pure.

use serde_json::Value;

use crate::human::{HumanAction, HumanKind, HumanReply, HumanRequest};
use crate::object::Object;

/// Why the changes in this answer to a checkpoint of a workflow cannot be made, as far as the state that was shown with the
/// question tells.
#[must_use]
pub fn refusal(request: &HumanRequest, reply: &HumanReply) -> Option<String> {
    let metadata = request.context.pointer("/state/metadata")?.as_object()?;
    let is_change = request.kind == HumanKind::Approval && reply.action == HumanAction::Modify;
    let given = reply.updates.as_ref().filter(|given| is_change && !given.is_null())?;
    check(given, metadata).err()
}

/// Returns the changes, by the name of their field, unless one does not fit the state, whose other values are `metadata`.
pub fn check<'v>(given: &'v Value, metadata: &Object) -> Result<&'v Object, String> {
    let given = given.as_object().ok_or("`state_updates` must be an object")?;
    for (key, value) in given {
        match (key.as_str(), value) {
            ("messages", _) => {
                return Err("messages can only be added: send it as the message of the answer".to_owned());
            }
            ("current_agent", Value::String(_))
            | ("routing_key" | "next_action", Value::String(_) | Value::Null)
            | ("metadata", Value::Object(_)) => {}
            ("current_agent" | "routing_key" | "next_action", _) => {
                return Err(format!("`{key}` must be text"));
            }
            ("metadata", _) => return Err("`metadata` must be an object".to_owned()),
            (key, value) => {
                if let Some(before) = metadata.get(key).filter(|before| !is_same_type(before, value)) {
                    return Err(format!("`{key}` must be {}, but {value} is not", type_name(before)));
                }
            }
        }
    }
    Ok(given)
}

/// Whether a value may take the place of another. Nothing may be anything.
fn is_same_type(before: &Value, after: &Value) -> bool {
    before.is_null() || after.is_null() || type_name(before) == type_name(after)
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
