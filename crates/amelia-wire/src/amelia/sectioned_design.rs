//! A design as the first version of the data model wrote it: in sections.

use amelia_core::tracker;
use serde::{Deserialize, Serialize};

/// A design with its sections.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SectionedDesign {
    pub title: String,
    pub goal: String,
    pub architecture: String,
    pub tech_stack: Vec<String>,
    pub components: Vec<String>,
    #[serde(default)]
    pub data_flow: Option<String>,
    #[serde(default)]
    pub error_handling: Option<String>,
    #[serde(default)]
    pub testing_strategy: Option<String>,
    #[serde(default)]
    pub relevant_files: Vec<String>,
    #[serde(default)]
    pub conventions: Option<String>,
    pub raw_content: String,
}

impl From<SectionedDesign> for tracker::Design {
    fn from(design: SectionedDesign) -> Self {
        let sections = tracker::DesignSections {
            title: design.title,
            goal: design.goal,
            architecture: design.architecture,
            tech_stack: design.tech_stack,
            components: design.components,
            data_flow: design.data_flow,
            error_handling: design.error_handling,
            testing_strategy: design.testing_strategy,
            relevant_files: design.relevant_files,
            conventions: design.conventions,
        };
        Self { content: design.raw_content, source: "import".to_owned(), sections: Some(sections) }
    }
}

impl From<tracker::Design> for SectionedDesign {
    /// A design without sections has empty ones.
    fn from(design: tracker::Design) -> Self {
        let sections = design.sections.unwrap_or_default();
        Self {
            title: sections.title,
            goal: sections.goal,
            architecture: sections.architecture,
            tech_stack: sections.tech_stack,
            components: sections.components,
            data_flow: sections.data_flow,
            error_handling: sections.error_handling,
            testing_strategy: sections.testing_strategy,
            relevant_files: sections.relevant_files,
            conventions: sections.conventions,
            raw_content: design.content,
        }
    }
}
