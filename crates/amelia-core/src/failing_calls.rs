//! Notices an agent that makes the same failing calls again and again. Pure.

use crate::driver::DriverError;
use crate::tool::{ToolCall, ToolResult};

/// The same failing calls this often in a row are a loop.
const LOOP: u32 = 4;

/// The last failing calls of a conversation, and how often they were made in a row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FailingCalls {
    last: String,
    times: u32,
}

impl FailingCalls {
    /// Counts the calls of one turn. It counts as failing only if all of them failed.
    pub fn count<'a>(
        &mut self,
        calls: impl IntoIterator<Item = &'a ToolCall>,
        results: impl IntoIterator<Item = &'a ToolResult>,
    ) {
        let errors: Option<Vec<&str>> = results.into_iter().map(|result| result.error.as_deref()).collect();
        let calls: Vec<String> = calls.into_iter().map(words).collect();
        let Some(errors) = errors.filter(|errors| !errors.is_empty() && !calls.is_empty()) else {
            return self.forget();
        };
        let now = format!("{}: {}", calls.join("; "), errors.join("; "));
        if now != self.last {
            *self = Self { last: now, times: 0 };
        }
        self.times += 1;
    }

    /// Something else happened in between.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// The error that ends the conversation, if it is a loop.
    #[must_use]
    pub fn looped(&self) -> Option<DriverError> {
        let Self { last, times } = self;
        (*times >= LOOP).then(|| DriverError::Loop { times: *times, call: last.clone() })
    }
}

fn words(call: &ToolCall) -> String {
    format!("{} {}", call.tool, serde_json::Value::Object(call.args.clone()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::id::CallId;
    use crate::tool::{CallOptions, ToolName};

    fn call(path: &str) -> ToolCall {
        ToolCall {
            id: CallId::new("c1").unwrap(),
            tool: ToolName::builtin("submit_review"),
            args: json!({ "path": path }).as_object().unwrap().clone(),
            at: None,
            options: CallOptions::default(),
        }
    }

    fn failed(call: &ToolCall) -> ToolResult {
        ToolResult { error: Some("no".to_owned()), ..ToolResult::interrupted(call) }
    }

    #[test]
    fn only_the_same_failing_calls_in_a_row_are_a_loop() {
        let mut failing = FailingCalls::default();
        let (a, b) = (call("a"), call("b"));
        let done = ToolResult { error: None, ..ToolResult::interrupted(&a) };
        for (call, result) in [
            (&a, failed(&a)),
            (&a, failed(&a)),
            (&b, failed(&b)),
            (&a, failed(&a)),
            (&a, done.clone()),
            (&a, failed(&a)),
            (&a, failed(&a)),
            (&a, failed(&a)),
        ] {
            failing.count([call], [&result]);
            assert_eq!(failing.looped(), None);
        }
        failing.count([&a], [&failed(&a)]);
        let expected = r#"the agent made the same failing call 4 times: submit_review {"path":"a"}: no"#;
        assert_eq!(failing.looped().unwrap().to_string(), expected);
        failing.count([&a, &b], [&failed(&a), &done]);
        assert_eq!(failing.looped(), None, "one of them went well");
    }
}
