//! Tools of MCP servers that a team names: a server by its name or its address, and which of its tools.

use serde_json::Value;

use super::{ToolConfig, ToolSource};
use crate::config::mcp::{McpServer, McpTransport, is_server_name};
use crate::config::problem::ProblemReport;
use crate::stop_rule::ToolPattern;

/// Stands for all tools of a server.
const ALL: &str = "*";

impl ToolConfig {
    /// The server whose tools these are: one that is configured, or one of the team itself.
    #[must_use]
    pub fn server_name(&self) -> Option<&str> {
        let ToolSource::Mcp { server_url } = &self.source else { return None };
        let configured = self.config.get("server").and_then(Value::as_str).filter(|_| server_url.is_none());
        Some(configured.unwrap_or(&self.name))
    }

    /// The server at the address that the team gives.
    #[must_use]
    pub fn own_server(&self) -> Option<McpServer> {
        let ToolSource::Mcp { server_url: Some(url) } = &self.source else { return None };
        let headers = Default::default();
        let path = url.split(['?', '#']).next().unwrap_or_default();
        let transport = match path.trim_end_matches('/').ends_with("/sse") {
            true => McpTransport::Sse { url: url.clone(), headers },
            false => McpTransport::StreamableHttp { url: url.clone(), headers },
        };
        Some(McpServer::new(&self.name, transport))
    }

    /// What an agent gets that lists `tool` of this server, or all of it: names as `server:tool`, also with globs.
    #[must_use]
    pub fn server_tools(&self, tool: Option<&str>) -> Vec<String> {
        let Some(server) = self.server_name() else { return Vec::new() };
        let patterns = self.patterns();
        let chosen: Vec<&str> = match tool {
            None | Some(ALL) if patterns.is_empty() => vec![ALL],
            None | Some(ALL) => patterns,
            Some(tool) => vec![tool],
        };
        chosen.into_iter().map(|tool| format!("{server}:{tool}")).collect()
    }

    /// Whether `config.tools` leaves this tool, or all tools of this glob.
    pub(in crate::config::team) fn leaves(&self, tool: &str) -> bool {
        let patterns = self.patterns();
        let fits = |pattern: &&str| {
            *pattern == tool || ToolPattern::parse(pattern).is_some_and(|pattern| pattern.fits(tool))
        };
        tool == ALL || patterns.is_empty() || patterns.iter().any(fits)
    }

    fn patterns(&self) -> Vec<&str> {
        let listed = self.config.get("tools").and_then(Value::as_array);
        listed.into_iter().flatten().filter_map(Value::as_str).collect()
    }

    pub(super) fn check_server(&self, server_url: Option<&str>, report: &mut ProblemReport) {
        self.only(&["server", "tools"], report);
        let server = self.config.get("server");
        match server_url {
            Some(_) if server.is_some() => {
                report.refuse("config.server", "has no effect together with server_url: remove one of them");
            }
            Some(url) => {
                report.url("server_url", url, &["https", "http"]);
                if url.contains("${") {
                    report.refuse(
                        "server_url",
                        "must not contain variables: configure the server with `amelia mcp` instead",
                    );
                }
                if !is_server_name(&self.name) {
                    report.refuse("name", "must be 1 to 40 letters, digits, `_` or `-`");
                }
            }
            None if server.is_some_and(Value::is_string) => {}
            None => report.refuse("server_url", "is required, unless config.server names an MCP server"),
        }
        let is_list = |value: &Value| value.as_array().is_some_and(|all| all.iter().all(Value::is_string));
        if self.config.get("tools").is_some_and(|value| !is_list(value)) {
            report.refuse("config.tools", "must be a list of names or globs");
        }
        for pattern in self.patterns().into_iter().filter(|pattern| ToolPattern::parse(pattern).is_none()) {
            report.refuse("config.tools", format!("`{pattern}` is not a glob"));
        }
    }
}
