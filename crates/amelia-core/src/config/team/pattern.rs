//! How several members work on one thing.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::config::problem::{ProblemReport, Validate};
use crate::object::Object;

/// A named way of working together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CollaborationPattern {
    pub name: String,
    pub kind: PatternKind,
    pub agents: Vec<String>,
    #[serde(default)]
    pub coordination_agent: Option<String>,
    /// By kind: `sync_points`; `quorum`, `rule`, `timeout`, `tie`; `workflow`.
    #[serde(default)]
    pub config: Object,
}

/// The shape of working together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PatternKind {
    Sequential,
    Parallel,
    Hierarchical,
    Consensus,
    /// Steps of the user's own.
    Custom,
}

impl Validate for CollaborationPattern {
    fn check(&self, report: &mut ProblemReport) {
        report.filled("name", &self.name);
        if self.agents.is_empty() {
            report.refuse("agents", "must not be empty");
        }
        report.unique("agents", "", self.agents.iter().map(String::as_str));
        match self.kind {
            PatternKind::Sequential | PatternKind::Parallel => {}
            PatternKind::Hierarchical => self.check_coordinator("when type is `hierarchical`", report),
            PatternKind::Consensus => self.check_consensus(report),
            PatternKind::Custom => {
                if !self.config.get("workflow").is_some_and(Value::is_array) {
                    report.refuse("config.workflow", "must be a list of steps when type is `custom`");
                }
            }
        }
    }
}

impl CollaborationPattern {
    fn check_coordinator(&self, when: &str, report: &mut ProblemReport) {
        if self.coordination_agent.is_none() {
            report.refuse("coordination_agent", format!("is required {when}"));
        }
    }

    fn check_consensus(&self, report: &mut ProblemReport) {
        let word = |field: &str| self.config.get(field).map(|value| value.as_str().unwrap_or_default());
        for (field, allowed) in
            [("rule", ["majority", "unanimous", "weighted"]), ("tie", ["human", "coordinator", "reject"])]
        {
            if word(field).is_some_and(|given| !allowed.contains(&given)) {
                report
                    .refuse(format_args!("config.{field}"), format!("must be one of {}", allowed.join(", ")));
            }
        }
        for field in ["quorum", "timeout"] {
            if let Some(value) = self.config.get(field) {
                report.positive(&format!("config.{field}"), &value.as_f64().unwrap_or(0.0));
            }
        }
        if word("tie") == Some("coordinator") {
            self.check_coordinator("when config.tie is `coordinator`", report);
        }
    }
}
