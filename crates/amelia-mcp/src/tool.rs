//! A tool of a server: what is known of it, and how it is called.

use std::collections::BTreeMap;
use std::sync::Arc;

use amelia_core::config::mcp::{McpServer, ToolOverride};
use amelia_core::object::Object;
use amelia_core::text::capped;
use amelia_core::tool::{DEFAULT_TIMEOUT, Risk, Tool, ToolCx, ToolName, ToolOutput, ToolSpec};
use amelia_core::tool_failure::RetryableFailure;
use async_trait::async_trait;
use serde_json::Value;

use crate::slot::Slot;

/// Every model is sent every description with every call.
const LONGEST_DESCRIPTION: usize = 4_000;

pub(crate) struct McpTool {
    pub(crate) spec: ToolSpec,
    pub(crate) slot: Arc<Slot>,
}

#[async_trait]
impl Tool for McpTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, cx: &ToolCx, args: &Object) -> ToolOutput {
        self.slot.call(cx, &self.spec.name.name, args).await
    }
}

/// A tool as it is offered.
pub(crate) fn spec_of(
    server: &McpServer,
    tool: &rmcp::model::Tool,
    overrides: &BTreeMap<String, ToolOverride>,
) -> ToolSpec {
    let over = overrides.get(&format!("{}:{}", server.name, tool.name));
    let says_it_reads = tool.annotations.as_ref().and_then(|notes| notes.read_only_hint).unwrap_or_default();
    let risk = match over.and_then(|over| over.risk) {
        Some(risk) => risk,
        None if server.trusted && says_it_reads => Risk::Read,
        None => Risk::External,
    };
    let retry_on = over.map(|over| over.retry_on_errors.clone()).filter(|kinds| !kinds.is_empty());
    ToolSpec {
        name: ToolName { server: Some(server.name.clone()), name: tool.name.to_string() },
        description: capped(tool.description.as_deref().unwrap_or_default(), LONGEST_DESCRIPTION),
        input_schema: Value::Object((*tool.input_schema).clone()),
        output_schema: tool.output_schema.as_ref().map(|schema| Value::Object((**schema).clone())),
        risk,
        timeout_seconds: over.and_then(|over| over.timeout_seconds).unwrap_or(DEFAULT_TIMEOUT.as_secs()),
        fallbacks: over
            .map(|over| over.fallback_tools.iter().map(|name| ToolName::repaired(name)).collect())
            .unwrap_or_default(),
        retry_on: retry_on.unwrap_or_else(|| RetryableFailure::ALL.to_vec()),
    }
}

#[cfg(test)]
mod tests {
    use amelia_core::config::mcp::McpTransport;
    use rmcp::model::ToolAnnotations;

    use super::*;

    #[test]
    fn only_a_trusted_server_or_a_person_says_that_a_tool_reads() {
        let transport = McpTransport::Sse { url: "http://x".into(), headers: BTreeMap::new() };
        let mut server = McpServer::new("web", transport);
        let mut tool = rmcp::model::Tool::default();
        tool.name = "get".into();
        tool.annotations = Some(ToolAnnotations::new().read_only(true));
        let risk = |server: &McpServer, overrides: &BTreeMap<String, ToolOverride>| {
            spec_of(server, &tool, overrides).risk
        };
        let mut overrides = BTreeMap::new();
        assert_eq!(risk(&server, &overrides), Risk::External);
        server.trusted = true;
        assert_eq!(risk(&server, &overrides), Risk::Read);
        let over = ToolOverride { risk: Some(Risk::Write), ..ToolOverride::default() };
        overrides.insert("web:get".to_owned(), over);
        assert_eq!(risk(&server, &overrides), Risk::Write);
    }
}
