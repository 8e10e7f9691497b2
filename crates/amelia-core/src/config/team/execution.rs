//! How freely a team works, and when it stops.

use serde::{Deserialize, Serialize};

use crate::config::problem::{ProblemReport, Validate};
use crate::message::ExecutionMode;

/// Mode, limits and stops.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExecutionConfig {
    pub mode: ExecutionMode,
    /// Seconds.
    pub timeout: Option<u64>,
    pub max_steps: Option<u32>,
    /// `node:<name>`, `agent:<name>`, `tool:<glob>`, `path:<glob>`, `handoff`, `error`, `cost:<usd>`,
    /// `event:<type>`; a bare name is a node. After ` if ` an expression may follow.
    pub breakpoints: Vec<String>,
    pub human_intervention_points: Vec<String>,
    pub success_criteria: Vec<String>,
    pub failure_criteria: Vec<String>,
    pub stop_on: Vec<StopOn>,
}

/// A condition that ends the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopOn {
    TextMention(String),
    MaxMessages(u32),
}

impl ExecutionConfig {
    /// Something other than the agents' own judgement ends the run.
    #[must_use]
    pub fn is_bounded(&self) -> bool {
        self.max_steps.is_some() || !self.stop_on.is_empty()
    }
}

impl Validate for ExecutionConfig {
    fn check(&self, report: &mut ProblemReport) {
        if let Some(timeout) = &self.timeout {
            report.positive("timeout", timeout);
        }
        if let Some(max_steps) = &self.max_steps {
            report.positive("max_steps", max_steps);
        }
        for (index, breakpoint) in self.breakpoints.iter().enumerate() {
            if let Some(message) = breakpoint_problem(breakpoint) {
                report.refuse(format_args!("breakpoints[{index}]"), message);
            }
        }
        for (index, stop) in self.stop_on.iter().enumerate() {
            let is_empty = match stop {
                StopOn::TextMention(text) => text.is_empty(),
                StopOn::MaxMessages(count) => *count == 0,
            };
            if is_empty {
                report.refuse(format_args!("stop_on[{index}]"), "would stop at once");
            }
        }
    }
}

fn breakpoint_problem(text: &str) -> Option<String> {
    let place = text.split_once(" if ").map_or(text, |(place, _)| place).trim();
    let Some((kind, rest)) = place.split_once(':') else {
        return place.is_empty().then(|| "must not be empty".to_owned());
    };
    match kind {
        "cost" => (!rest.parse::<f64>().is_ok_and(|usd| usd > 0.0))
            .then(|| format!("`{rest}` is not an amount in USD greater than 0")),
        "node" | "agent" | "tool" | "path" | "event" => {
            rest.is_empty().then(|| format!("`{place}` names nothing"))
        }
        _ => Some(format!("`{kind}` is not one of node, agent, tool, path, handoff, error, cost, event")),
    }
}
