//! Issues, designs, and what the plan validator said.

use amelia_core::review::PlanVerdict;
use amelia_core::tracker;
use serde::{Deserialize, Serialize};

use super::review::Severity;

/// An issue or ticket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Issue {
    pub id: String,
    pub title: String,
    pub description: String,
    #[serde(default = "open")]
    pub status: String,
}

fn open() -> String {
    "open".to_owned()
}

impl From<tracker::Issue> for Issue {
    fn from(issue: tracker::Issue) -> Self {
        let tracker::Issue { key, title, description, status } = issue;
        Self { id: key, title, description, status }
    }
}

/// A design document, with the sections that were recognised in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Design {
    pub content: String,
    #[serde(default = "import")]
    pub source: String,
    /// As the first version writes them; only shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sections: Option<Box<super::sectioned_design::SectionedDesign>>,
}

fn import() -> String {
    "import".to_owned()
}

impl From<tracker::Design> for Design {
    fn from(design: tracker::Design) -> Self {
        let sections = design.sections.is_some().then(|| Box::new(design.clone().into()));
        Self { content: design.content, source: design.source, sections }
    }
}

/// Whether a plan has the structure of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanValidationResult {
    pub valid: bool,
    pub issues: Vec<String>,
    pub severity: Severity,
}

impl From<PlanVerdict> for PlanValidationResult {
    fn from(verdict: PlanVerdict) -> Self {
        Self { valid: verdict.is_valid(), severity: verdict.severity.into(), issues: verdict.issues }
    }
}
