//! Issues and designs: what work starts from.

use serde::{Deserialize, Serialize};

/// An issue or ticket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Issue {
    /// As the tracker writes it: `PROJ-12`, `#34`.
    pub key: String,
    pub title: String,
    pub description: String,
    pub status: String,
}

/// A design document: raw text, and the sections that were recognised in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Design {
    pub content: String,
    /// Where it came from: `import`, `file`, `brainstorm`, …
    pub source: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sections: Option<DesignSections>,
}

/// The structure a design may have.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DesignSections {
    pub title: String,
    pub goal: String,
    pub architecture: String,
    pub tech_stack: Vec<String>,
    pub components: Vec<String>,
    pub data_flow: Option<String>,
    pub error_handling: Option<String>,
    pub testing_strategy: Option<String>,
    pub relevant_files: Vec<String>,
    pub conventions: Option<String>,
}
