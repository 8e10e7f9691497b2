//! Definitions and MCP servers of the toy machine: one workflow, one agent, one server with one tool.

use amelia_core::definition::DefinitionKind;
use amelia_orchestrator::service::ServiceError;
use amelia_server::{DefinitionReader, McpAccess};
use amelia_wire::rest::definition::{
    AgentDetail, AgentSummary, CheckedAgent, CheckedGraph, CheckedPolicy, CheckedTeam, DefinitionOrigin,
    DefinitionPlace, DefinitionProblem, DefinitionQuery, DefinitionText, GraphDetail, GraphSummary,
    PolicyDetail, PolicySummary, TeamDetail, TeamSummary,
};
use amelia_wire::rest::mcp::{McpCall, McpCallResult, McpServerShown, McpStatus, McpToolList, McpToolShown};
use async_trait::async_trait;
use serde_json::json;

use crate::toys::ToyRunService;

fn place(query: &DefinitionQuery) -> DefinitionPlace {
    let path = query.worktree_path.clone().unwrap_or_default();
    DefinitionPlace { name: "toy".to_owned(), source: DefinitionOrigin::Home, path }
}

/// Every text has a problem, but an empty one.
fn problems(text: &str) -> Vec<DefinitionProblem> {
    let message = format!("`{text}` is no toy");
    let problem =
        DefinitionProblem { file: None, line: 2, column: 3, path: "nodes.write".to_owned(), message };
    if text.is_empty() { Vec::new() } else { vec![problem] }
}

/// One is a file, one is gone, and all others have been sent.
fn sent(name: &str, query: &DefinitionQuery) -> Result<DefinitionPlace, ServiceError> {
    let place = place(query);
    match name {
        "toy" => Ok(place),
        "gone" => Err(ServiceError::not_found("there is no `gone`")),
        name => Ok(DefinitionPlace { name: name.to_owned(), source: DefinitionOrigin::Api, ..place }),
    }
}

#[async_trait]
impl DefinitionReader for ToyRunService {
    async fn agents(&self, query: &DefinitionQuery) -> Result<Vec<AgentSummary>, ServiceError> {
        Ok(vec![AgentSummary { place: place(query), checked: CheckedAgent::default() }])
    }

    async fn agent(&self, name: &str, query: &DefinitionQuery) -> Result<AgentDetail, ServiceError> {
        let summary = AgentSummary { place: sent(name, query)?, checked: CheckedAgent::default() };
        Ok(AgentDetail { summary, text: "name: toy".to_owned() })
    }

    async fn check_agent(&self, _: &str, text: DefinitionText) -> Result<CheckedAgent, ServiceError> {
        Ok(CheckedAgent { problems: problems(&text.text), ..CheckedAgent::default() })
    }

    async fn graphs(&self, query: &DefinitionQuery) -> Result<Vec<GraphSummary>, ServiceError> {
        Ok(vec![GraphSummary { place: place(query), checked: CheckedGraph::default() }])
    }

    async fn defined_graph(&self, name: &str, query: &DefinitionQuery) -> Result<GraphDetail, ServiceError> {
        let summary = GraphSummary { place: sent(name, query)?, checked: CheckedGraph::default() };
        Ok(GraphDetail { summary, text: "name: toy".to_owned() })
    }

    async fn check_graph(&self, _: &str, text: DefinitionText) -> Result<CheckedGraph, ServiceError> {
        Ok(CheckedGraph { problems: problems(&text.text), ..CheckedGraph::default() })
    }

    async fn teams(&self, query: &DefinitionQuery) -> Result<Vec<TeamSummary>, ServiceError> {
        Ok(vec![TeamSummary { place: place(query), checked: CheckedTeam::default() }])
    }

    async fn team(&self, name: &str, query: &DefinitionQuery) -> Result<TeamDetail, ServiceError> {
        let summary = TeamSummary { place: sent(name, query)?, checked: CheckedTeam::default() };
        Ok(TeamDetail { summary, text: "name: toy".to_owned() })
    }

    async fn check_team(&self, text: DefinitionText) -> Result<CheckedTeam, ServiceError> {
        Ok(CheckedTeam { problems: problems(&text.text), ..CheckedTeam::default() })
    }

    async fn policies(&self, query: &DefinitionQuery) -> Result<Vec<PolicySummary>, ServiceError> {
        Ok(vec![PolicySummary { place: place(query), checked: CheckedPolicy::default() }])
    }

    async fn policy(&self, name: &str, query: &DefinitionQuery) -> Result<PolicyDetail, ServiceError> {
        let summary = PolicySummary { place: sent(name, query)?, checked: CheckedPolicy::default() };
        Ok(PolicyDetail { summary, text: "name: toy".to_owned() })
    }

    async fn place_of(&self, _: DefinitionKind, name: &str) -> Result<Option<DefinitionPlace>, ServiceError> {
        Ok((name == "toy").then(|| place(&DefinitionQuery::default())))
    }

    async fn check_sent(
        &self,
        _: DefinitionKind,
        name: &str,
        text: String,
    ) -> Result<Vec<DefinitionProblem>, ServiceError> {
        Ok(if name == "broken" { problems(&text) } else { Vec::new() })
    }
}

fn tool() -> McpToolShown {
    McpToolShown {
        name: "toys:play".to_owned(),
        description: "plays".to_owned(),
        input_schema: json!({"type": "object"}),
        risk: "read".to_owned(),
        timeout_seconds: 300,
        fallback_tools: Vec::new(),
    }
}

#[async_trait]
impl McpAccess for ToyRunService {
    async fn mcp_servers(&self) -> Result<Vec<McpServerShown>, ServiceError> {
        Ok(vec![McpServerShown {
            name: "toys".to_owned(),
            description: None,
            transport: "stdio".to_owned(),
            target: "toybox".to_owned(),
            source: DefinitionOrigin::Home,
            path: "/toys.yaml".to_owned(),
            trusted: false,
            scope: "server".to_owned(),
            status: McpStatus::NotConnected,
            problem: None,
            tools: None,
            log: Vec::new(),
        }])
    }

    async fn mcp_tools(&self, server: &str) -> Result<McpToolList, ServiceError> {
        if server != "toys" {
            return Err(ServiceError::not_found(format!("there is no MCP server `{server}`")));
        }
        Ok(McpToolList { server: server.to_owned(), protocol: None, items: vec![tool()] })
    }

    async fn call_mcp_tool(&self, call: McpCall) -> Result<McpCallResult, ServiceError> {
        if call.tool != "toys:play" {
            return Err(ServiceError::invalid(format!("`{}` is no toy", call.tool)).at("tool"));
        }
        let output = serde_json::to_string(&call.arguments).unwrap();
        Ok(McpCallResult { tool: call.tool, output, error: None, duration_ms: Some(1) })
    }
}
