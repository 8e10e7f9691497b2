//! A tool of a team: one flat shape whose `type` decides which fields it may have.

use amelia_core::config::problem::ProblemReport;
use amelia_core::config::team::tool::{self as core, ToolSource};
use amelia_core::message::Object;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};

use super::parts::older_words;

/// A tool of the team. Its `type` determines which other fields it can have.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolConfig {
    /// Name of the tool. Must be unique, and not that of a built-in tool.
    pub name: String,
    /// Where the tool comes from.
    #[serde(rename = "type")]
    pub kind: ToolType,
    /// Settings of the type. `custom`: `description`, `input_schema`, `output_schema`, `risk`, `retry`. `mcp`: `server`, `tools`.
    /// `hitl`: `kind`, `mode`, `prompt`. Settings of `builtin` tools are not supported yet.
    #[serde(default)]
    pub config: Object,
    /// For `custom`: the program, below the directory of the team file.
    #[serde(default)]
    pub path: Option<String>,
    /// For `custom`: the first argument of the program; in a `.py` file, the function to call.
    #[serde(default)]
    pub function: Option<String>,
    /// For `mcp`: the address of the server. Not needed with `config.server`.
    #[serde(default)]
    pub server_url: Option<String>,
    /// Seconds that a call may take; for `hitl`, the seconds that an answer may take.
    #[serde(default)]
    pub timeout: Option<u64>,
    /// For `hitl`: what happens if no answer arrives in time: `reject` (default), `approve`, `escalate` or `escalate:SECONDS`.
    #[serde(default, alias = "on_timeout")]
    pub escalation_policy: Option<String>,
}

/// Where a tool comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = with_older_types)]
pub enum ToolType {
    #[default]
    Builtin,
    #[serde(alias = "python_function", alias = "shell_script")]
    Custom,
    #[serde(alias = "mcp_tool")]
    Mcp,
    Hitl,
}

fn with_older_types(schema: &mut Schema) {
    older_words(schema, &["python_function", "shell_script", "mcp_tool"]);
}

impl ToolConfig {
    pub(super) fn into_core(self, report: &mut ProblemReport) -> core::ToolConfig {
        let custom = [("path", self.path.is_some()), ("function", self.function.is_some())];
        let mcp = [("server_url", self.server_url.is_some())];
        let hitl = [("escalation_policy", self.escalation_policy.is_some())];
        let mut only_for = |kind: &str, fields: &[(&str, bool)]| {
            for (field, _) in fields.iter().filter(|(_, given)| *given) {
                report.refuse(field, format!("is allowed only when type is `{kind}`"));
            }
        };
        let source = match self.kind {
            ToolType::Builtin => {
                only_for("custom", &custom);
                only_for("mcp", &mcp);
                only_for("hitl", &hitl);
                ToolSource::Builtin
            }
            ToolType::Custom => {
                only_for("mcp", &mcp);
                only_for("hitl", &hitl);
                ToolSource::Custom { path: self.path.unwrap_or_default(), function: self.function }
            }
            ToolType::Mcp => {
                only_for("custom", &custom);
                only_for("hitl", &hitl);
                ToolSource::Mcp { server_url: self.server_url }
            }
            ToolType::Hitl => {
                only_for("custom", &custom);
                only_for("mcp", &mcp);
                ToolSource::Hitl { escalation_policy: self.escalation_policy }
            }
        };
        core::ToolConfig { name: self.name, source, config: self.config, timeout: self.timeout }
    }
}

impl From<core::ToolConfig> for ToolConfig {
    fn from(tool: core::ToolConfig) -> Self {
        let empty = Self { name: tool.name, config: tool.config, timeout: tool.timeout, ..Self::default() };
        match tool.source {
            ToolSource::Builtin => Self { kind: ToolType::Builtin, ..empty },
            ToolSource::Custom { path, function } => {
                Self { kind: ToolType::Custom, path: Some(path), function, ..empty }
            }
            ToolSource::Mcp { server_url } => Self { kind: ToolType::Mcp, server_url, ..empty },
            ToolSource::Hitl { escalation_policy } => {
                Self { kind: ToolType::Hitl, escalation_policy, ..empty }
            }
        }
    }
}
