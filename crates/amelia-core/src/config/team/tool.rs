//! A tool that members of a team may use.

use serde::{Deserialize, Serialize};

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

impl Validate for ToolConfig {
    fn check(&self, report: &mut ProblemReport) {
        report.filled("name", &self.name);
        match &self.source {
            ToolSource::Builtin | ToolSource::Hitl { .. } => {}
            ToolSource::Custom { path, .. } => report.filled("path", path),
            ToolSource::Mcp { server_url: Some(url) } => report.url("server_url", url, &["https", "http"]),
            ToolSource::Mcp { server_url: None } => {
                if !self.config.contains_key("server") {
                    report.refuse("server_url", "is required, unless config.server names an MCP server");
                }
            }
        }
        if let Some(timeout) = &self.timeout {
            report.positive("timeout", timeout);
        }
    }
}
