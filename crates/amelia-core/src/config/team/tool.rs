//! A tool that members of a team may use.

mod program;
mod server;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::config::problem::{ProblemReport, Validate};
use crate::object::Object;

/// One tool of a team, and where it comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolConfig {
    pub name: String,
    pub source: ToolSource,
    #[serde(default)]
    pub config: Object,
    /// Seconds; for a tool that asks a person, how long the answer may take.
    #[serde(default)]
    pub timeout: Option<u64>,
}

/// Where a tool comes from, and what is needed to reach it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolSource {
    Builtin,
    /// A program of the user's.
    Custom {
        path: String,
        function: Option<String>,
    },
    /// Of an MCP server: by its address, or by its name in `config`.
    Mcp {
        server_url: Option<String>,
    },
    /// A person answers.
    Hitl {
        escalation_policy: Option<String>,
    },
}

/// What happens when a person has not answered in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EscalationRule {
    Reject,
    Approve,
    /// Asked anew, once, with this many seconds; as long as before when absent.
    Escalate(Option<u64>),
}

impl EscalationRule {
    /// Reads `reject`, `approve` or `escalate[:SECONDS]`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text.split_once(':') {
            None if text == "reject" => Some(Self::Reject),
            None if text == "approve" => Some(Self::Approve),
            None if text == "escalate" => Some(Self::Escalate(None)),
            Some(("escalate", seconds)) => seconds
                .parse()
                .ok()
                .filter(|seconds: &u64| *seconds > 0)
                .map(|seconds| Self::Escalate(Some(seconds))),
            _ => None,
        }
    }
}

impl Validate for ToolConfig {
    fn check(&self, report: &mut ProblemReport) {
        report.filled("name", &self.name);
        match &self.source {
            ToolSource::Builtin => self.only(&[], report),
            ToolSource::Hitl { escalation_policy } => {
                self.check_question(escalation_policy.as_deref(), report);
            }
            ToolSource::Custom { path, .. } => self.check_program(path, report),
            ToolSource::Mcp { server_url } => self.check_server(server_url.as_deref(), report),
        }
        // A person may have as long as they want.
        let may_be_none = matches!(self.source, ToolSource::Hitl { .. });
        if let Some(timeout) = self.timeout.as_ref().filter(|_| !may_be_none) {
            report.positive("timeout", timeout);
        }
    }
}

impl ToolConfig {
    fn check_question(&self, escalation: Option<&str>, report: &mut ProblemReport) {
        self.only(&["kind", "mode", "prompt"], report);
        self.words("kind", &["approval", "feedback", "escalation"], report);
        self.words("mode", &["synchronous", "asynchronous", "advisory"], report);
        if self.config.get("prompt").is_some_and(|prompt| !prompt.is_string()) {
            report.refuse("config.prompt", "must be text");
        }
        if escalation.is_some_and(|rule| EscalationRule::parse(rule).is_none()) {
            report.refuse("escalation_policy", "must be reject, approve, escalate or escalate:SECONDS");
        }
    }

    fn only(&self, known: &[&str], report: &mut ProblemReport) {
        for key in self.config.keys().filter(|key| !known.contains(&key.as_str())) {
            let message = match known {
                [] => "unknown key; this type has no keys".to_owned(),
                known => format!("unknown key; known keys: {}", known.join(", ")),
            };
            report.refuse(format_args!("config.{key}"), message);
        }
    }

    fn words(&self, key: &str, words: &[&str], report: &mut ProblemReport) {
        let is_one = |value: &Value| value.as_str().is_some_and(|given| words.contains(&given));
        if self.config.get(key).is_some_and(|value| !is_one(value)) {
            report.refuse(format_args!("config.{key}"), format!("must be one of {}", words.join(", ")));
        }
    }
}
