//! MCP servers of a home: their file, the values of their variables, and the connections that all runs share.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use amelia_core::config::mcp::{McpConfig, McpScope, McpServer, McpTransport};
use amelia_core::id::CallId;
use amelia_core::object::Object;
use amelia_core::problem::Problem;
use amelia_core::tool::{CallOptions, Tool, ToolBox, ToolCall, ToolCx, ToolName, ToolResult, ToolSpec};
use amelia_drivers::model::{Timeouts, client_for};
pub use amelia_mcp::OfferedTools;
use amelia_mcp::{McpPool, ResolvedServer, expand};
use amelia_orchestrator::service::ServiceError;
use amelia_process::{Environment, HostSpawner};
use amelia_tools::Tools;
use amelia_tools::combined::CombinedTools;
use amelia_tools::registry::check_schema;
use amelia_wire::maf::files::MCP_SERVERS;
use amelia_wire::maf::mcp::{McpConfig as McpFile, mcp_schema};
use anyhow::Result;

use crate::error::service_error;
use crate::home::Home;
use crate::home_file::read_file;
use crate::keys::Keys;
use crate::refused_file::RefusedFile;

/// The mark of all tools of a server, behind its name.
const ALL: &str = "*";

/// The servers of a home, and the connections to them.
pub struct McpServers {
    home: Home,
    pool: McpPool,
}

impl McpServers {
    #[must_use]
    pub fn of(home: &Home) -> Self {
        Self { home: home.clone(), pool: McpPool::new(Arc::new(HostSpawner)) }
    }

    /// What the file of the home says; nothing if there is none.
    pub fn config(&self) -> Result<McpConfig, RefusedFile> {
        config(&self.home)
    }

    /// Connects to a server and asks for its tools.
    pub async fn offered(&self, name: &str) -> Result<OfferedTools, ServiceError> {
        let config = self.checked_config()?;
        let server = self.resolve(known(&config, name)?, None)?;
        let offered = self.pool.offered(&server, &config.tool_overrides).await;
        // Runs have their own.
        if server.server.scope == McpScope::Run && offered.is_ok() {
            self.pool.close(&server.owner);
        }
        offered.map_err(|failure| ServiceError::Invalid(failure.into()))
    }

    /// The last lines that a server wrote.
    pub fn log(&self, name: &str) -> Result<Vec<String>, ServiceError> {
        let config = self.checked_config()?;
        Ok(self.pool.log(&self.resolve(known(&config, name)?, None)?))
    }

    /// The tools that `wanted` names, each `server:tool` or `server:*`, as their servers offer them now. Built-in tools are
    /// passed over.
    pub async fn find<'a>(
        &self,
        wanted: impl IntoIterator<Item = &'a str>,
    ) -> Result<Vec<ToolSpec>, ServiceError> {
        let mut by_server: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for text in wanted {
            let name = ToolName::repaired(text);
            if let Some(server) = name.server {
                by_server.entry(server).or_default().insert(name.name);
            }
        }
        let mut found = Vec::new();
        for (server, names) in by_server {
            let offered = self.offered(&server).await?.tools;
            for name in names.iter().filter(|name| *name != ALL) {
                let spec = offered.iter().find(|spec| spec.name.name == *name);
                let Some(spec) = spec else {
                    let all: Vec<&str> = offered.iter().map(|spec| spec.name.name.as_str()).collect();
                    let problem = Problem::new(format!("the MCP server `{server}` has no tool `{name}`"));
                    return Err(ServiceError::Invalid(
                        problem.with_hint(format!("it has {}", all.join(", "))),
                    ));
                };
                check_schema(spec).map_err(|bad| ServiceError::invalid(bad.to_string()))?;
            }
            let is_wanted = |spec: &ToolSpec| names.contains(ALL) || names.contains(&spec.name.name);
            let usable = with_fallbacks(&offered, is_wanted).into_iter().filter(|spec| {
                check_schema(spec).inspect_err(|bad| tracing::warn!("a tool is left out: {bad}")).is_ok()
            });
            found.extend(usable);
        }
        Ok(found)
    }

    /// Tools that a run was offered. Their servers are connected when one is called; those of one run work in `directory`.
    pub fn tools(&self, specs: &[ToolSpec], owner: &str, directory: &Path) -> Result<Vec<Arc<dyn Tool>>> {
        let mut by_server: BTreeMap<&str, Vec<ToolSpec>> = BTreeMap::new();
        for spec in specs {
            if let Some(server) = &spec.name.server {
                by_server.entry(server).or_default().push(spec.clone());
            }
        }
        if by_server.is_empty() {
            return Ok(Vec::new());
        }
        let config = self.checked_config()?;
        let mut tools = Vec::new();
        for (name, specs) in by_server {
            let server = self.resolve(known(&config, name)?, Some((owner, directory)))?;
            tools.extend(self.pool.tools(&server, specs));
        }
        Ok(tools)
    }

    /// Makes one call, outside of any run.
    pub async fn call(
        &self,
        specs: &[ToolSpec],
        directory: &Path,
        tool: ToolName,
        args: Object,
    ) -> Result<ToolResult> {
        let tools = Tools::new(self.tools(specs, "mcp", directory)?)?;
        let tools = CombinedTools::new(Arc::new(Tools::new([])?), vec![Arc::new(tools)]);
        let call =
            ToolCall { id: CallId::repaired("call"), tool, args, at: None, options: CallOptions::default() };
        Ok(ToolBox::call(&tools, &ToolCx::default(), &call).await)
    }

    /// Ends the servers that belong to a run.
    pub fn close(&self, owner: &str) {
        self.pool.close(owner);
    }

    fn checked_config(&self) -> Result<McpConfig, ServiceError> {
        self.config().map_err(|refused| ServiceError::invalid(refused.to_string()))
    }

    fn resolve(
        &self,
        server: &McpServer,
        run: Option<(&str, &Path)>,
    ) -> Result<ResolvedServer, ServiceError> {
        let keys = Keys::gather(&self.home, &[]).map_err(service_error)?;
        let value_of = |name: &str| match keys.get(name) {
            Some(key) => Some(key.reveal().to_owned()),
            None => std::env::var(name).ok(),
        };
        let expanded = expand(server, value_of).map_err(|missing| {
            let hint = format!("export {}, or put it into config/keys.env of the home", missing.name);
            ServiceError::Invalid(Problem::new(missing.to_string()).with_hint(hint))
        })?;
        let of_run = run.filter(|_| server.scope == McpScope::Run);
        let owner = match (of_run, server.scope) {
            (Some((owner, _)), _) => owner.to_owned(),
            (None, McpScope::Server) => "mcp".to_owned(),
            (None, McpScope::Run) => format!("mcp-{}", server.name),
        };
        let client = match &expanded.transport {
            McpTransport::Stdio { .. } => None,
            McpTransport::Sse { url, .. } | McpTransport::StreamableHttp { url, .. } => {
                let client = client_for(url, Timeouts::default());
                Some(client.map_err(|error| service_error(error.into()))?)
            }
        };
        let environment = Environment::new(std::env::vars_os(), &[], "");
        let vars = environment.vars().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let directory = of_run.map(|(_, directory)| directory.to_owned());
        let directory = Some(directory.unwrap_or_else(|| self.home.path().to_owned()));
        Ok(ResolvedServer { server: expanded, directory, vars, owner, client })
    }
}

/// The wanted tools, and those that stand in for them.
fn with_fallbacks(offered: &[ToolSpec], is_wanted: impl Fn(&ToolSpec) -> bool) -> Vec<ToolSpec> {
    let wanted: Vec<&ToolSpec> = offered.iter().filter(|spec| is_wanted(spec)).collect();
    let stands_in = |spec: &&ToolSpec| {
        !is_wanted(spec) && wanted.iter().any(|wanted| wanted.fallbacks.contains(&spec.name))
    };
    let others: Vec<ToolSpec> = offered.iter().filter(stands_in).cloned().collect();
    wanted.into_iter().cloned().chain(others).collect()
}

fn known<'a>(config: &'a McpConfig, name: &str) -> Result<&'a McpServer, ServiceError> {
    let found = config.servers.iter().find(|server| server.name == name);
    let names: Vec<&str> = config.servers.iter().map(|server| server.name.as_str()).collect();
    let problem = match found {
        Some(server) if server.enabled => return Ok(server),
        Some(_) => Problem::new(format!("the MCP server `{name}` is not enabled"))
            .with_hint(format!("set `enabled: true` in {MCP_SERVERS} of the home")),
        None if names.is_empty() => Problem::new(format!("there is no MCP server `{name}`"))
            .with_hint(format!("describe it in {MCP_SERVERS} of the home; `amelia schema mcp` shows how")),
        None => Problem::new(format!("there is no MCP server `{name}`"))
            .with_hint(format!("there are {}", names.join(", "))),
    };
    Err(ServiceError::NotFound(problem))
}

/// Reads the file of a home.
pub(crate) fn config(home: &Home) -> Result<McpConfig, RefusedFile> {
    Ok(read_file::<McpFile>(home, MCP_SERVERS, mcp_schema())?.unwrap_or_default())
}
