//! How freely a team works, and when it stops.

use serde::{Deserialize, Serialize};

use crate::config::problem::{ProblemReport, Validate};
use crate::message::ExecutionMode;
use crate::stop_rule::{MAX_STOPS, StopRule, stop_parts};

pub use crate::stop_rule::stop_parts as breakpoint_parts;

/// Steps of a team that sets no limit.
pub const DEFAULT_MAX_STEPS: u32 = 100;
/// The highest limit.
const MAX_STEPS: u32 = 100_000;

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

impl Validate for ExecutionConfig {
    fn check(&self, report: &mut ProblemReport) {
        if let Some(timeout) = &self.timeout {
            report.positive("timeout", timeout);
        }
        if let Some(max_steps) = &self.max_steps {
            report.range("max_steps", max_steps, &(1..=MAX_STEPS));
        }
        for (index, breakpoint) in self.breakpoints.iter().enumerate() {
            if let Some(message) = breakpoint_problem(breakpoint) {
                report.refuse(format_args!("breakpoints[{index}]"), message);
            }
        }
        if self.breakpoints.len() > MAX_STOPS {
            report.refuse("breakpoints", format!("has more than {MAX_STOPS} entries"));
        }
        for (index, point) in self.human_intervention_points.iter().enumerate() {
            if let Err(message) = InterventionPoint::parse(point) {
                report.refuse(format_args!("human_intervention_points[{index}]"), message);
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

/// A place where a person is asked for approval first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InterventionPoint {
    Node(String),
    Agent(String),
    /// Calls of tools whose names match.
    Tool(String),
    Handoff,
    Plan,
    Error,
    End,
}

impl InterventionPoint {
    /// Reads a point: `node:NAME`, `agent:NAME`, `tool:GLOB`, `handoff`, `plan`, `error` or `end`. `before_NAME` and `on_error`
    /// are older words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        match text {
            "handoff" => return Ok(Self::Handoff),
            "plan" => return Ok(Self::Plan),
            "error" | "on_error" => return Ok(Self::Error),
            "end" => return Ok(Self::End),
            _ => {}
        }
        let older = text.strip_prefix("before_").map(|node| ("node", node));
        match text.split_once(':').or(older).map(|(kind, name)| (kind, name.trim())) {
            Some((kind @ ("node" | "agent" | "tool"), "")) => {
                Err(format!("`{kind}:` has nothing after the colon"))
            }
            Some(("node", name)) => Ok(Self::Node(name.to_owned())),
            Some(("agent", name)) => Ok(Self::Agent(name.to_owned())),
            Some(("tool", glob)) => {
                StopRule::parse(text).map_err(|problem| problem.message)?;
                Ok(Self::Tool(glob.to_owned()))
            }
            _ => Err(format!(
                "`{text}` is not one of node:NAME, agent:NAME, tool:GLOB, handoff, plan, error, end"
            )),
        }
    }
}

fn breakpoint_problem(text: &str) -> Option<String> {
    let (place, _) = stop_parts(text);
    let Some((kind, rest)) = place.split_once(':') else {
        return place.is_empty().then(|| "must not be empty".to_owned());
    };
    match kind {
        "node" => rest.trim().is_empty().then(|| format!("`{place}` has nothing after the colon")),
        "agent" | "tool" | "path" | "cost" | "event" => {
            StopRule::parse(place).err().map(|problem| problem.message)
        }
        _ => Some(format!("`{kind}` is not one of node, agent, tool, path, cost, event")),
    }
}
