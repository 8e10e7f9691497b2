//! A program that is a tool of a team: what a model is offered, and how patient its caller is.

use serde_json::{Value, json};

use super::{ToolConfig, ToolSource};
use crate::config::problem::{ProblemReport, Validate, escapes};
use crate::config::retry::RetryConfig;
use crate::tool_call::{Risk, ToolSpec};

/// Keys of `config`.
const KEYS: [&str; 5] = ["description", "input_schema", "output_schema", "risk", "retry"];
const RETRY_KEYS: [&str; 3] = ["max_retries", "base_delay", "max_delay"];

impl ToolConfig {
    /// What a model is offered, if this is a program.
    #[must_use]
    pub fn program_spec(&self) -> Option<ToolSpec> {
        let ToolSource::Custom { path, .. } = &self.source else { return None };
        let description = self.config.get("description").and_then(Value::as_str);
        let description = description.map_or_else(|| format!("Runs the program {path}."), str::to_owned);
        let input_schema =
            self.config.get("input_schema").cloned().unwrap_or_else(|| json!({"type": "object"}));
        let spec = ToolSpec::builtin(&self.name, &description, self.risk(), input_schema);
        let output_schema = self.config.get("output_schema").cloned();
        let timeout_seconds = self.timeout.unwrap_or(spec.timeout_seconds);
        Some(ToolSpec { output_schema, timeout_seconds, ..spec })
    }

    /// What a program can do to the world, as its author says.
    #[must_use]
    pub fn risk(&self) -> Risk {
        let risk = self.config.get("risk").and_then(|risk| serde_json::from_value(risk.clone()).ok());
        risk.unwrap_or(Risk::Execute)
    }

    /// How often a program that failed is run again: never, unless its author says so.
    #[must_use]
    pub fn program_retry(&self) -> RetryConfig {
        let retry = self.config.get("retry").and_then(|retry| serde_json::from_value(retry.clone()).ok());
        retry.unwrap_or(RetryConfig { max_retries: 0, ..RetryConfig::default() })
    }

    pub(super) fn check_program(&self, path: &str, report: &mut ProblemReport) {
        report.filled("path", path);
        if path.starts_with('/') || escapes(path) {
            report.refuse("path", "must lie below the directory of the team file");
        }
        self.only(&KEYS, report);
        self.words("risk", &["read", "write", "execute", "external"], report);
        let kinds = [
            ("description", "text"),
            ("input_schema", "a mapping"),
            ("output_schema", "a mapping"),
            ("retry", "a mapping"),
        ];
        for (key, expected) in kinds {
            let fits = |value: &Value| if expected == "text" { value.is_string() } else { value.is_object() };
            if self.config.get(key).is_some_and(|value| !fits(value)) {
                report.refuse(format_args!("config.{key}"), format!("must be {expected}"));
            }
        }
        if let Some(Value::Object(retry)) = self.config.get("retry") {
            report.within("config.retry", |report| {
                for key in retry.keys().filter(|key| !RETRY_KEYS.contains(&key.as_str())) {
                    report.refuse(key, format!("unknown key; known keys: {}", RETRY_KEYS.join(", ")));
                }
                match serde_json::from_value::<RetryConfig>(retry.clone().into()) {
                    Ok(retry) => retry.check(report),
                    Err(error) => report.refuse("", error.to_string()),
                }
            });
        }
    }
}
