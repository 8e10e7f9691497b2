//! An agent's question whether it may: which of its options is the answer. Pure.

use amelia_core::tool::{Risk, ToolCall, ToolPermission};
use serde_json::{Value, json};

/// What is said about a refusal is heard only after the turn, and the last message of the next turn is the result.
const AND_END: &str = "end your turn once more as your instructions say, with your whole final message: only the last one is kept.";

/// A question that waits for our answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Approval {
    pub(super) id: Value,
    pub(super) call: ToolCall,
    pub(super) risk: Risk,
    pub(super) options: Vec<Value>,
}

/// Whether an agent takes a yes for one call without remembering it: then it asks each time, and our rules decide.
pub(super) fn can_allow_once(options: &[Value]) -> bool {
    let is =
        |kind: &str| options.iter().any(|option| option.get("kind").and_then(Value::as_str) == Some(kind));
    is("allow_once") || !is("allow_always")
}

impl Approval {
    /// The answer, and what the model should learn besides: the protocol has no words for a refusal. Never one for all
    /// times, if there is another: that would be remembered where we cannot see it.
    pub(super) fn answer(&self, permit: &ToolPermission) -> (Value, Option<String>) {
        match permit {
            ToolPermission::Allow { args } if args.as_ref().is_none_or(|args| *args == self.call.args) => {
                (self.chosen(["allow_once", "allow_always"]), None)
            }
            ToolPermission::Allow { args } => {
                let wanted = Value::Object(args.clone().unwrap_or_default());
                let words = format!(
                    "{} was not allowed with these arguments. It is allowed with: {wanted}\nMake the call again with exactly these arguments, if you still need it. Then {AND_END}",
                    self.call.tool
                );
                (self.chosen(["reject_once", "reject_always"]), Some(words))
            }
            ToolPermission::Deny { message } => {
                let words = format!(
                    "{} was not allowed: {message}\nIf you were not done, continue accordingly. If you were done, {AND_END}",
                    self.call.tool
                );
                (self.chosen(["reject_once", "reject_always"]), Some(words))
            }
        }
    }

    /// Without an option of that kind, the call is called off.
    fn chosen(&self, kinds: [&str; 2]) -> Value {
        let of_kind = |kind: &&str| {
            self.options.iter().find(|option| option.get("kind").and_then(Value::as_str) == Some(*kind))
        };
        match kinds.iter().find_map(of_kind).and_then(|option| option.get("optionId")) {
            Some(option) => json!({"outcome": {"outcome": "selected", "optionId": option}}),
            None => json!({"outcome": {"outcome": "cancelled"}}),
        }
    }
}
