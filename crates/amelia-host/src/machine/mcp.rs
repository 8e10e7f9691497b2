//! MCP servers, as the server shows them.

use amelia_core::config::mcp::{McpScope, McpServer};
use amelia_core::problem::Problem;
use amelia_core::tool::ToolName;
use amelia_mcp::ConnectionStatus;
use amelia_orchestrator::service::ServiceError;
use amelia_server::McpAccess;
use amelia_wire::maf::files::MCP_SERVERS;
use amelia_wire::rest::definition::DefinitionOrigin;
use amelia_wire::rest::mcp::{McpCall, McpCallResult, McpServerShown, McpStatus, McpToolList};
use async_trait::async_trait;

use super::HostMachine;
use crate::error::service_error;
use crate::mcp_servers::{McpServers, OfferedTools, ServerState, target, transport_name};

#[async_trait]
impl McpAccess for HostMachine {
    async fn mcp_servers(&self) -> Result<Vec<McpServerShown>, ServiceError> {
        self.mcp.load_stored().await?;
        let config = self.mcp.config().map_err(|refused| ServiceError::invalid(refused.to_string()))?;
        let path = self.home.path().join(MCP_SERVERS).display().to_string();
        let of_home = config.servers.iter().map(|server| (server, DefinitionOrigin::Home, path.clone()));
        let stored = self.mcp.stored_beside(&config);
        let sent = stored
            .iter()
            .map(|server| (server, DefinitionOrigin::Api, format!("api:mcp/servers/{}", server.name)));
        Ok(of_home.chain(sent).map(|(server, source, path)| shown(&self.mcp, server, source, path)).collect())
    }

    async fn mcp_tools(&self, server: &str) -> Result<McpToolList, ServiceError> {
        self.mcp.load_stored().await?;
        let OfferedTools { protocol, tools } = self.mcp.offered(server).await?;
        let items = tools.into_iter().map(Into::into).collect();
        Ok(McpToolList { server: server.to_owned(), protocol, items })
    }

    async fn call_mcp_tool(&self, call: McpCall) -> Result<McpCallResult, ServiceError> {
        let tool = ToolName::repaired(&call.tool);
        let Some(server) = tool.server.clone() else {
            let problem = Problem::new(format!("`{}` is not SERVER:TOOL", call.tool));
            let problem = problem.with_hint("such as `memory:read_graph`");
            return Err(ServiceError::Invalid(problem).at("tool"));
        };
        self.mcp.load_stored().await?;
        let specs = self.mcp.offered(&server).await.map_err(|error| error.at("tool"))?.tools;
        if !specs.iter().any(|spec| spec.name == tool) {
            let names: Vec<&str> = specs.iter().map(|spec| spec.name.name.as_str()).collect();
            let problem = Problem::new(format!("the MCP server `{server}` has no tool `{}`", tool.name));
            let problem = problem.with_hint(format!("it has {}", names.join(", ")));
            return Err(ServiceError::NotFound(problem).at("tool"));
        }
        let called = self.mcp.call(&specs, self.home.path(), tool, call.arguments).await;
        Ok(called.map_err(service_error)?.into())
    }
}

fn shown(servers: &McpServers, server: &McpServer, source: DefinitionOrigin, path: String) -> McpServerShown {
    let state = server.enabled.then(|| servers.state(server));
    let (status, problem, state) = match state {
        None => (McpStatus::Disabled, None, None),
        Some(Err(error)) => (McpStatus::NotConnected, Some(error.to_string()), None),
        Some(Ok(state)) => {
            let (status, problem) = match &state.status {
                ConnectionStatus::NotConnected => (McpStatus::NotConnected, None),
                ConnectionStatus::Connecting => (McpStatus::Connecting, None),
                ConnectionStatus::Connected => (McpStatus::Connected, None),
                ConnectionStatus::Failed(reason) => (McpStatus::Failed, Some(reason.clone())),
            };
            (status, problem, Some(state))
        }
    };
    let (tools, log) = state.map(|ServerState { tools, log, .. }| (tools, log)).unwrap_or_default();
    McpServerShown {
        name: server.name.clone(),
        description: server.description.clone(),
        transport: transport_name(server).to_owned(),
        target: target(server),
        source,
        path,
        trusted: server.trusted,
        scope: match server.scope {
            McpScope::Server => "server",
            McpScope::Run => "run",
        }
        .to_owned(),
        status,
        problem,
        tools: tools.map(|tools| tools.into_iter().map(Into::into).collect()),
        log,
    }
}
