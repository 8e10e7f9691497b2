//! `compliance`: an expression that must be true of a text, a call or a result.

use amelia_core::event::guardrail::GuardPoint;
use amelia_core::guardrail::CheckedContent;
use serde_json::{Value, json};

use super::rule_reader::RuleReader;
use super::sample::Finding;
use crate::condition::{Condition, Variables, Verdict};

/// What an expression sees besides the state.
const OF_CONTENT: [&str; 7] = ["text", "point", "tool", "args", "risk", "result", "error"];

pub(super) struct ComplianceRule {
    text: String,
    condition: Condition,
}

impl ComplianceRule {
    pub(super) fn read(reader: &mut RuleReader<'_>) -> Option<Self> {
        if reader.has("judge") {
            let message =
                "a rule that a model judges is not supported yet: write an expression in `cel` instead";
            reader.refuse("judge", message);
            return None;
        }
        if !reader.has("cel") {
            reader.refuse("", "needs `cel`, an expression that must be true");
            return None;
        }
        let text = reader.text("cel")?;
        let condition = Condition::parse_with(&text, &OF_CONTENT)
            .map_err(|error| reader.refuse("cel", error.to_string()))
            .ok()?;
        if condition.is_label() {
            reader.refuse("cel", "column 1: must be true or false, but this is text");
            return None;
        }
        Some(Self { text, condition })
    }

    /// An expression that asks for a result is about results, one that asks for a tool about calls.
    pub(super) fn points(&self) -> (&'static [GuardPoint], &'static [GuardPoint]) {
        let needs = |names: &[&str]| names.iter().any(|name| self.condition.needs(name));
        if needs(&["result", "error"]) {
            (&[GuardPoint::ToolResult], &[GuardPoint::ToolResult])
        } else if needs(&["tool", "args", "risk"]) {
            (&[GuardPoint::ToolCall], &[GuardPoint::ToolCall, GuardPoint::ToolResult])
        } else {
            (&GuardPoint::ALL, &GuardPoint::ALL)
        }
    }

    /// What cannot be decided does not hold.
    pub(super) fn finding(
        &self,
        content: &CheckedContent<'_>,
        state: &dyn Fn(&str) -> Value,
    ) -> Option<Finding> {
        let verdict = self.condition.evaluate(&CheckedVariables { content, state });
        match verdict {
            Ok(Verdict::Bool(true)) => None,
            Ok(Verdict::Bool(false)) => {
                Some(Finding::new(format!("it does not comply with the rule `{}`", self.text)))
            }
            Ok(Verdict::Label(label)) => Some(Finding::new(format!(
                "the rule `{}` must be true, but is the text `{label}`",
                self.text
            ))),
            Err(reason) => {
                Some(Finding::new(format!("the rule `{}` cannot be evaluated: {reason}", self.text)))
            }
        }
    }
}

/// What is checked, and the state behind it.
struct CheckedVariables<'a> {
    content: &'a CheckedContent<'a>,
    state: &'a dyn Fn(&str) -> Value,
}

impl Variables for CheckedVariables<'_> {
    fn variable(&self, name: &str) -> Value {
        let call = self.content.call;
        let result = call.and_then(|call| call.result);
        match name {
            "text" => json!(self.content.text),
            "point" => json!(self.content.point),
            "agent" => json!(self.content.agent),
            "tool" => json!(call.map(|call| call.call.tool.to_string())),
            "args" => json!(call.map(|call| &call.call.args)),
            "risk" => json!(call.map(|call| call.risk)),
            "result" => json!(result.map(|result| &result.output)),
            "error" => json!(result.and_then(|result| result.error.as_ref())),
            name => (self.state)(name),
        }
    }

    fn metadata(&self, key: &str) -> Value {
        (self.state)(&format!("metadata.{key}"))
    }
}
