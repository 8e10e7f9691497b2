//! How several members work on one thing.

mod check;
pub mod settings;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

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
    /// Which keys there are follows from the kind; see [`settings`].
    #[serde(default)]
    pub config: Object,
}

/// The shape of working together.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PatternKind {
    /// One after the other.
    Sequential,
    /// All at the same time.
    Parallel,
    /// A coordinator delegates tasks.
    Hierarchical,
    /// One agent proposes, and the others vote.
    Consensus,
    /// Steps that you define in `config.workflow`.
    Custom,
}

impl CollaborationPattern {
    /// `config`, read as the settings of its kind. What has been checked can be read.
    pub fn settings<T: DeserializeOwned>(&self) -> Result<T, String> {
        let read = serde_json::from_value(self.config.clone().into());
        read.map_err(|error| format!("the config of pattern `{}` cannot be read: {error}", self.name))
    }

    /// All that take part.
    pub fn members(&self) -> impl Iterator<Item = &str> {
        let coordinator = self.coordination_agent.iter().filter(|name| !self.agents.contains(name));
        self.agents.iter().chain(coordinator).map(String::as_str)
    }
}

impl Validate for CollaborationPattern {
    fn check(&self, report: &mut ProblemReport) {
        report.filled("name", &self.name);
        if self.agents.is_empty() {
            report.refuse("agents", "must not be empty");
        }
        report.unique("agents", "", self.agents.iter().map(String::as_str));
        if self.kind == PatternKind::Hierarchical {
            self.check_coordinator("when type is `hierarchical`", report);
        }
        check::config(self, report);
    }
}

impl CollaborationPattern {
    fn check_coordinator(&self, when: &str, report: &mut ProblemReport) {
        if self.coordination_agent.is_none() {
            report.refuse("coordination_agent", format!("is required {when}"));
        }
    }
}
