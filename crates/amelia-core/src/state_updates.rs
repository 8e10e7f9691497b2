//! Changes of a workflow's state that come with a person's answer: which may be made. Messages are only added. Pure.

use serde_json::Value;

use crate::human::{HumanAction, HumanKind, HumanReply, HumanRequest};
use crate::message::Role;
use crate::object::Object;

/// Why the changes in this answer to a checkpoint of a workflow cannot be made, as far as the state that was shown with the
/// question tells.
#[must_use]
pub fn refusal(request: &HumanRequest, reply: &HumanReply) -> Option<String> {
    let metadata = request.context.pointer("/state/metadata")?.as_object()?;
    if request.kind != HumanKind::Approval || reply.action != HumanAction::Modify {
        return None;
    }
    let given = reply.updates.as_ref().filter(|given| !given.is_null());
    if let Some(why) = given.and_then(|given| check(given, metadata).err()) {
        return Some(why);
    }
    // A change may set the label itself.
    let has_label = given.is_some_and(|given| given.get("routing_key").is_some());
    let why = || "only approve and reject are answers here: no edge of the node is for `modify`".to_owned();
    (request.refuses_modify() && !has_label).then(why)
}

/// Returns the changes, by the name of their field, unless one does not fit the state, whose other values are `metadata`.
pub fn check<'v>(given: &'v Value, metadata: &Object) -> Result<&'v Object, String> {
    let given = given.as_object().ok_or("`state_updates` must be an object")?;
    for (key, value) in given {
        match (key.as_str(), value) {
            ("messages", value) => drop(added_messages(value)?),
            ("metadata", Value::Object(values)) => {
                values.iter().try_for_each(|(key, value)| check_value(key, value, metadata))?;
            }
            ("current_agent", Value::String(_))
            | ("routing_key" | "next_action", Value::String(_) | Value::Null) => {}
            ("current_agent" | "routing_key" | "next_action", _) => {
                return Err(format!("`{key}` must be text"));
            }
            ("metadata", _) => return Err("`metadata` must be an object".to_owned()),
            (key, value) => check_value(key, value, metadata)?,
        }
    }
    Ok(given)
}

fn check_value(key: &str, value: &Value, metadata: &Object) -> Result<(), String> {
    match metadata.get(key).filter(|before| !is_same_type(before, value)) {
        Some(before) => Err(format!("`{key}` must be {}, but {value} is not", type_name(before))),
        None => Ok(()),
    }
}

/// A message that comes with an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedMessage {
    /// Never that of the system: it is not a message of the state.
    pub role: Role,
    /// In whose name, other than a person's.
    pub agent: Option<String>,
    pub text: String,
}

/// The messages that are added by this value of `messages`, in their order. There is no way to change or remove one.
pub fn added_messages(value: &Value) -> Result<Vec<AddedMessage>, String> {
    let all = value.as_array().filter(|all| !all.is_empty()).ok_or(
        "`messages` must be a list of {role, content}; messages can only be added to those that there are",
    )?;
    all.iter()
        .enumerate()
        .map(|(index, one)| added_message(one).map_err(|why| format!("`messages[{index}]` {why}")))
        .collect()
}

fn added_message(value: &Value) -> Result<AddedMessage, String> {
    let fields = value.as_object().ok_or("must be {role, content}")?;
    let known = ["role", "agent", "content", "text"];
    if let Some(key) = fields.keys().find(|key| !known.contains(&key.as_str())) {
        return Err(format!("has the unknown key `{key}`; there are role, agent and content"));
    }
    let text = |key: &str| match fields.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str())),
        Some(_) => Err(format!("must have text as its `{key}`")),
    };
    let role = match text("role")?.unwrap_or("user") {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        other => return Err(format!("has the role `{other}`; it must be user, assistant or tool")),
    };
    // As in the state itself, and in document 004.
    let said = text("content")?.or(text("text")?).unwrap_or_default().trim();
    if said.is_empty() {
        return Err("has no content".to_owned());
    }
    let agent = text("agent")?.filter(|_| role != Role::User).map(str::to_owned);
    Ok(AddedMessage { role, agent, text: said.to_owned() })
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_does_not_fit_the_state_is_refused_with_its_name() {
        let metadata =
            Object::from_iter([("score".to_owned(), json!(0.4)), ("topic".to_owned(), Value::Null)]);
        let only_added = "`messages` must be a list of {role, content}; messages can only be added to those that there are";
        for (given, expected) in [
            (json!({"score": 1, "topic": "rivers", "other": [1], "routing_key": null}), Ok(())),
            (json!({"metadata": {"score": 1, "other": {}}, "current_agent": "writer"}), Ok(())),
            (json!({"messages": [{"role": "user", "content": "Shorter"}]}), Ok(())),
            (json!([1]), Err("`state_updates` must be an object")),
            (json!({"score": "high"}), Err("`score` must be a number, but \"high\" is not")),
            (json!({"metadata": {"score": "high"}}), Err("`score` must be a number, but \"high\" is not")),
            (json!({"metadata": 7}), Err("`metadata` must be an object")),
            (json!({"routing_key": 7}), Err("`routing_key` must be text")),
            (json!({"current_agent": null}), Err("`current_agent` must be text")),
            (json!({"messages": []}), Err(only_added)),
            (json!({"messages": "Shorter"}), Err(only_added)),
            (json!({"messages": ["Shorter"]}), Err("`messages[0]` must be {role, content}")),
            (json!({"messages": [{"content": "a"}, {"content": " "}]}), Err("`messages[1]` has no content")),
            (json!({"messages": [{"content": 7}]}), Err("`messages[0]` must have text as its `content`")),
            (
                json!({"messages": [{"content": "a", "role": "system"}]}),
                Err("`messages[0]` has the role `system`; it must be user, assistant or tool"),
            ),
            (
                json!({"messages": [{"content": "a", "at": 1}]}),
                Err("`messages[0]` has the unknown key `at`; there are role, agent and content"),
            ),
        ] {
            let checked = check(&given, &metadata).map(|_| ());
            assert_eq!(checked, expected.map_err(str::to_owned), "{given}");
        }
    }

    #[test]
    fn added_messages_keep_their_order_and_only_agents_have_a_name() {
        let given = json!([
            {"role": "user", "agent": "writer", "content": "Shorter "},
            {"role": "assistant", "agent": "writer", "text": "As you like"},
            {"text": "Thanks"},
        ]);
        let message = |role, agent: Option<&str>, text: &str| AddedMessage {
            role,
            agent: agent.map(str::to_owned),
            text: text.to_owned(),
        };
        let expected = [
            message(Role::User, None, "Shorter"),
            message(Role::Assistant, Some("writer"), "As you like"),
            message(Role::User, None, "Thanks"),
        ];
        assert_eq!(added_messages(&given).unwrap(), expected);
    }

    #[test]
    fn a_change_is_refused_where_no_edge_takes_it() {
        let refused = |modify: bool, action: &str, updates: Value| {
            let id = "00000000-0000-0000-0000-000000000000";
            let request = json!({
                "id": id, "kind": "approval", "by": "system", "at": "2026-01-01T00:00:00Z", "prompt": "",
                "context": {"state": {"metadata": {}}, "modify": modify},
            });
            let reply =
                json!({"request": id, "action": action, "at": "2026-01-01T00:00:00Z", "updates": updates});
            let (request, reply) = (serde_json::from_value(request), serde_json::from_value(reply));
            refusal(&request.unwrap(), &reply.unwrap()).is_some()
        };
        assert!(refused(false, "modify", Value::Null));
        assert!(refused(false, "modify", json!({"score": 1})));
        assert!(!refused(false, "modify", json!({"routing_key": "approve"})));
        assert!(!refused(false, "approve", Value::Null));
        assert!(!refused(true, "modify", Value::Null));
    }
}
