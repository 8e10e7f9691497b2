//! Notices an agent that makes the same failing call again and again. Pure.

use amelia_core::driver::DriverError;
use amelia_core::tool::{ToolCall, ToolResult};

/// The same failing call this often in a row is a loop.
const LOOP: u32 = 4;

/// The last failing call of a conversation, and how often it was made in a row.
#[derive(Debug, Default)]
pub(crate) struct FailingCalls {
    last: String,
    times: u32,
}

impl FailingCalls {
    /// Counts a result; an error if the call is now a loop.
    pub(crate) fn count(&mut self, call: &ToolCall, result: &ToolResult) -> Option<DriverError> {
        let Some(error) = &result.error else {
            *self = Self::default();
            return None;
        };
        let now = format!("{} {}: {error}", call.tool, serde_json::Value::Object(call.args.clone()));
        if now != self.last {
            *self = Self { last: now, times: 0 };
        }
        self.times += 1;
        let (times, call) = (self.times, &self.last);
        (times >= LOOP).then(|| DriverError::Loop { times, call: call.clone() })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing;

    #[test]
    fn only_the_same_failing_call_in_a_row_is_a_loop() {
        let call = |path: &str| testing::call("c1", "submit_review", json!({"path": path}));
        let failed =
            |call: &ToolCall| ToolResult { error: Some("no".to_owned()), ..ToolResult::interrupted(call) };
        let mut failing = FailingCalls::default();
        let (a, b) = (call("a"), call("b"));
        let done = ToolResult { error: None, ..ToolResult::interrupted(&a) };
        for (call, result) in [
            (&a, failed(&a)),
            (&a, failed(&a)),
            (&b, failed(&b)),
            (&a, failed(&a)),
            (&a, done),
            (&a, failed(&a)),
            (&a, failed(&a)),
            (&a, failed(&a)),
        ] {
            assert_eq!(failing.count(call, &result), None);
        }
        let looped = failing.count(&a, &failed(&a)).unwrap();
        let expected = r#"the agent made the same failing call 4 times: submit_review {"path":"a"}: no"#;
        assert_eq!(looped.to_string(), expected);
    }
}
