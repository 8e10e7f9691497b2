//! MCP servers of a home: those of its file and those that were sent to the API, the values of their variables, and the
//! connections that all runs share. What a server says is shown without the secrets that it was started with.

mod expanded;
mod run_server_tools;
pub mod signing_in;
mod stored;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use amelia_core::config::mcp::{McpConfig, McpScope, McpServer, McpTransport, ToolOverride};
use amelia_core::document::Documents;
use amelia_core::id::CallId;
use amelia_core::object::Object;
use amelia_core::problem::Problem;
use amelia_core::redact::Redactor;
use amelia_core::tool::{CallOptions, Tool, ToolBox, ToolCall, ToolCx, ToolName, ToolResult, ToolSpec};
use amelia_drivers::model::{Timeouts, client_for};
use amelia_mcp::{ConnectionStatus, McpFailure, McpPool, ResolvedServer};
pub use amelia_mcp::{OfferedPrompt, OfferedTools, PromptArgument, ServerState};
use amelia_orchestrator::service::ServiceError;
use amelia_process::{Environment, HostSpawner};
use amelia_tools::Tools;
use amelia_tools::combined::CombinedTools;
use amelia_tools::registry::check_schema;
use amelia_wire::maf::files::MCP_SERVERS;
use amelia_wire::maf::mcp::{McpConfig as McpFile, mcp_schema};
use anyhow::Result;
use parking_lot::RwLock;

use crate::error::service_error;
use crate::home::Home;
use crate::home_file::read_file;
use crate::mcp_servers::expanded::ExpandedServer;
pub(crate) use crate::mcp_servers::run_server_tools::{OfferedToRun, RunServerTools, is_named};
use crate::mcp_servers::run_server_tools::{fits, has_wildcard};
use crate::mcp_servers::signing_in::sign_ins;
use crate::refused_file::RefusedFile;
use crate::repository_servers::RepositoryServers;

/// The mark of all tools of a server, behind its name.
const ALL: &str = "*";

/// The servers of a home, and the connections to them.
pub struct McpServers {
    home: Home,
    /// Whose servers there are besides, for calls outside of runs.
    here: Option<PathBuf>,
    /// Sent to the API, as they were when they were last read.
    stored: RwLock<Vec<McpServer>>,
    /// Where those are; `None` if no server has the store open.
    documents: Option<Arc<dyn Documents>>,
    pool: McpPool,
    /// Calls outside of runs so far.
    calls: AtomicU64,
}

impl McpServers {
    #[must_use]
    pub fn of(home: &Home) -> Self {
        let (pool, calls) = (McpPool::new(Arc::new(HostSpawner)), AtomicU64::new(0));
        let stored = RwLock::default();
        Self { home: home.clone(), here: None, stored, documents: None, pool, calls }
    }

    /// Also with the servers of the repository that `directory` is in.
    #[must_use]
    pub fn at(self, directory: PathBuf) -> Self {
        Self { here: Some(directory), ..self }
    }

    /// With the store that has what was sent to the API.
    #[must_use]
    pub fn with_documents(self, documents: Arc<dyn Documents>) -> Self {
        Self { documents: Some(documents), ..self }
    }

    /// What the file of the home says; nothing if there is none.
    pub fn config(&self) -> Result<McpConfig, RefusedFile> {
        config(&self.home)
    }

    /// Connects to a server and asks for its tools.
    pub async fn offered(&self, name: &str) -> Result<OfferedTools, ServiceError> {
        self.offered_in(name, ServerScope::of(self.here.as_deref())).await
    }

    async fn offered_in(&self, name: &str, scope: ServerScope<'_>) -> Result<OfferedTools, ServiceError> {
        let overrides = self.checked_config(scope)?.tool_overrides;
        self.asked(name, scope, async |server, _| self.pool.offered(server, &overrides).await).await
    }

    /// Connects to a server and asks for its prompts.
    pub async fn prompts(&self, name: &str) -> Result<Vec<OfferedPrompt>, ServiceError> {
        self.asked(name, ServerScope::of(self.here.as_deref()), async |server, _| {
            self.pool.prompts(server).await
        })
        .await
    }

    /// The text of a prompt, with these values in its blanks.
    pub async fn prompt(&self, name: &str, prompt: &str, values: Object) -> Result<String, ServiceError> {
        let here = ServerScope::of(self.here.as_deref());
        self.asked(name, here, async |server, redactor| {
            let text = self.pool.prompt(server, prompt, values).await?;
            Ok(redactor.text(&text).into_owned())
        })
        .await
    }

    /// Asks a server something outside of any run.
    async fn asked<T>(
        &self,
        name: &str,
        scope: ServerScope<'_>,
        ask: impl AsyncFnOnce(&ResolvedServer, &Redactor) -> Result<T, McpFailure>,
    ) -> Result<T, ServiceError> {
        let config = self.checked_config(scope)?;
        let expanded = self.expanded(&config, self.known(&config, name)?)?;
        let redactor = expanded.redactor.clone();
        let server = self.resolve(expanded, None, config.root_of(name))?;
        let answer = ask(&server, &redactor).await;
        // Runs have their own.
        if server.server.scope == McpScope::Run && answer.is_ok() {
            self.pool.close(&server.owner);
        }
        answer.map_err(|failure| {
            let Problem { message, hint } = failure.into();
            ServiceError::Invalid(Problem { message: redactor.text(&message).into_owned(), hint })
        })
    }

    /// What is known of an enabled server. Starts nothing.
    pub fn state(&self, server: &McpServer) -> Result<ServerState, ServiceError> {
        let config = self.checked_config(ServerScope::of(self.here.as_deref()))?;
        let expanded = self.expanded(&config, server)?;
        let redactor = expanded.redactor.clone();
        let clean = |text: String| redactor.text(&text).into_owned();
        let server = self.resolve(expanded, None, config.root_of(&server.name))?;
        let ServerState { status, tools, log } = self.pool.state(&server, &config.tool_overrides);
        let status = match status {
            ConnectionStatus::Failed(reason) => ConnectionStatus::Failed(clean(reason)),
            status => status,
        };
        Ok(ServerState { status, tools, log: log.into_iter().map(clean).collect() })
    }

    /// The program that a server is, if it is one, with the values of its variables. Starts nothing.
    pub fn program(&self, server: &McpServer) -> Result<Option<String>, ServiceError> {
        let config = self.checked_config(ServerScope::of(self.here.as_deref()))?;
        Ok(match self.expanded(&config, server)?.server.transport {
            McpTransport::Stdio { command, .. } => Some(command),
            McpTransport::Sse { .. } | McpTransport::StreamableHttp { .. } => None,
        })
    }

    /// The last lines that a server wrote.
    pub fn log(&self, name: &str) -> Result<Vec<String>, ServiceError> {
        let config = self.checked_config(ServerScope::of(self.here.as_deref()))?;
        Ok(self.state(self.known(&config, name)?)?.log)
    }

    /// The tools that `wanted` names, each `server:tool`, `server:*` or with another glob, as their servers offer them now.
    /// Built-in tools are passed over. `repository` is the user's checkout, or a directory in it.
    pub async fn find<'a>(
        &self,
        wanted: impl IntoIterator<Item = &'a str>,
        repository: &Path,
    ) -> Result<Vec<ToolSpec>, ServiceError> {
        self.find_with(wanted, repository, &[]).await
    }

    /// The same, also of servers that are not configured.
    pub(crate) async fn find_with<'a>(
        &self,
        wanted: impl IntoIterator<Item = &'a str>,
        repository: &Path,
        own: &[McpServer],
    ) -> Result<Vec<ToolSpec>, ServiceError> {
        self.load_stored().await?;
        let scope = ServerScope { repository: Some(repository), own };
        let mut by_server: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for text in wanted {
            let name = ToolName::repaired(text);
            if let Some(server) = name.server {
                by_server.entry(server).or_default().insert(name.name);
            }
        }
        let mut found = Vec::new();
        for (server, names) in by_server {
            let offered = self.offered_in(&server, scope).await?.tools;
            for name in names.iter().filter(|name| *name != ALL) {
                let spec = offered.iter().find(|spec| fits(&spec.name.name, name));
                let Some(spec) = spec else {
                    let all: Vec<&str> = offered.iter().map(|spec| spec.name.name.as_str()).collect();
                    let problem = Problem::new(format!("the MCP server `{server}` has no tool `{name}`"));
                    return Err(ServiceError::Invalid(
                        problem.with_hint(format!("it has {}", all.join(", "))),
                    ));
                };
                // Of several, those that cannot be used are left out.
                if !has_wildcard(name) {
                    check_schema(spec).map_err(|bad| ServiceError::invalid(bad.to_string()))?;
                }
            }
            let is_wanted = |spec: &ToolSpec| names.iter().any(|name| fits(&spec.name.name, name));
            let usable = with_fallbacks(&offered, is_wanted).into_iter().filter(|spec| {
                check_schema(spec).inspect_err(|bad| tracing::warn!("a tool is left out: {bad}")).is_ok()
            });
            found.extend(usable);
        }
        Ok(found)
    }

    /// Tools that a run of a repository was offered. Their servers are connected when one is called; those of one run work
    /// in `directory`.
    pub fn tools(
        &self,
        specs: &[ToolSpec],
        owner: &str,
        directory: &Path,
        scope: ServerScope<'_>,
    ) -> Result<Vec<Arc<dyn Tool>>> {
        let mut by_server: BTreeMap<&str, Vec<ToolSpec>> = BTreeMap::new();
        for spec in specs {
            if let Some(server) = &spec.name.server {
                by_server.entry(server).or_default().push(spec.clone());
            }
        }
        if by_server.is_empty() {
            return Ok(Vec::new());
        }
        let config = self.checked_config(scope)?;
        let mut tools = Vec::new();
        for (name, specs) in by_server {
            let expanded = self.expanded(&config, self.known(&config, name)?)?;
            let server = self.resolve(expanded, Some((owner, directory)), config.root_of(name))?;
            tools.extend(self.pool.tools(&server, specs));
        }
        Ok(tools)
    }

    /// The same, as a run was started with them.
    fn tools_of(&self, offered: &OfferedToRun, specs: &[ToolSpec]) -> Result<Vec<Arc<dyn Tool>>> {
        self.tools(specs, &offered.owner, &offered.directory, ServerScope::of_run(offered))
    }

    /// The tools of a run as its servers have them now, where they are connected; otherwise as they were.
    async fn current_tools(&self, offered: &OfferedToRun, before: &[ToolSpec]) -> Vec<ToolSpec> {
        let Ok(config) = self.checked_config(ServerScope::of_run(offered)) else { return before.to_vec() };
        let names: BTreeSet<&String> =
            offered.specs.iter().filter_map(|spec| spec.name.server.as_ref()).collect();
        let mut now = Vec::new();
        for name in names {
            let run = Some((offered.owner.as_str(), offered.directory.as_path()));
            let server = self.known(&config, name).and_then(|server| self.expanded(&config, server));
            let server = server.and_then(|server| self.resolve(server, run, config.root_of(name)));
            let listed = match server {
                Ok(server) => self.pool.current(&server, &config.tool_overrides).await,
                Err(_) => None,
            };
            match listed {
                Some(listed) => {
                    let wanted = with_fallbacks(&listed, |spec| offered.is_wanted(spec));
                    now.extend(wanted.into_iter().filter(|spec| check_schema(spec).is_ok()));
                }
                None => {
                    let of_server = |spec: &&ToolSpec| spec.name.server.as_ref() == Some(name);
                    now.extend(before.iter().filter(of_server).cloned());
                }
            }
        }
        now
    }

    /// Makes one call, outside of any run. A server that each run has for itself works in `directory` and ends with the call.
    pub async fn call(
        &self,
        specs: &[ToolSpec],
        directory: &Path,
        tool: ToolName,
        args: Object,
    ) -> Result<ToolResult> {
        let owner = format!("mcp-call-{}", self.calls.fetch_add(1, Ordering::Relaxed));
        let server = tool.server.clone();
        let here = ServerScope::of(self.here.as_deref());
        let tools = Tools::new(self.tools(specs, &owner, directory, here)?)?;
        let tools = CombinedTools::new(Arc::new(Tools::new([])?), vec![Arc::new(tools)]);
        let call =
            ToolCall { id: CallId::repaired("call"), tool, args, at: None, options: CallOptions::default() };
        let mut result = ToolBox::call(&tools, &ToolCx::default(), &call).await;
        self.close(&owner);
        if let Some(server) = server {
            let config = self.checked_config(here)?;
            let redactor = self.expanded(&config, self.known(&config, &server)?)?.redactor;
            result.output = redactor.text(&result.output).into_owned();
            result.error = result.error.map(|error| redactor.text(&error).into_owned());
        }
        Ok(result)
    }

    /// Ends the servers that belong to a run.
    pub fn close(&self, owner: &str) {
        self.pool.close(owner);
    }

    fn checked_config(&self, scope: ServerScope<'_>) -> Result<ConfiguredServers, ServiceError> {
        let invalid = |refused: RefusedFile| ServiceError::invalid(refused.to_string());
        let mut of_home = self.config().map_err(invalid)?;
        of_home.servers.extend(self.stored_beside(&of_home));
        let find = |directory| RepositoryServers::find(&self.home, directory);
        let repository = scope.repository.map_or(Ok(None), find).map_err(invalid)?;
        Ok(ConfiguredServers::new(of_home, repository, scope.own))
    }

    /// The server of this name, if it is enabled and may be started.
    fn known<'a>(&self, config: &'a ConfiguredServers, name: &str) -> Result<&'a McpServer, ServiceError> {
        let server = known(&config.servers, name)?;
        if let Some(repository) = config.of_repository(name) {
            repository.check_trust(&self.home, name)?;
        }
        Ok(server)
    }

    /// The server with the values of its variables.
    fn expanded(
        &self,
        config: &ConfiguredServers,
        server: &McpServer,
    ) -> Result<ExpandedServer, ServiceError> {
        expanded::expand_server(&self.home, server, config.variables_of(&server.name))
    }

    fn resolve(
        &self,
        expanded: ExpandedServer,
        run: Option<(&str, &Path)>,
        root: Option<&Path>,
    ) -> Result<ResolvedServer, ServiceError> {
        let server = expanded.server;
        let of_run = run.filter(|_| server.scope == McpScope::Run);
        let owner = match (of_run, server.scope) {
            (Some((owner, _)), _) => owner.to_owned(),
            (None, McpScope::Server) => "mcp".to_owned(),
            (None, McpScope::Run) => format!("mcp-{}", server.name),
        };
        let client = match &server.transport {
            McpTransport::Stdio { .. } => None,
            McpTransport::Sse { url, .. } | McpTransport::StreamableHttp { url, .. } => {
                let client = client_for(url, Timeouts::default());
                Some(client.map_err(|error| service_error(error.into()))?)
            }
        };
        let environment = Environment::new(std::env::vars_os(), &[], "");
        let vars = environment.vars().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let workplace = of_run.map(|(_, directory)| directory.to_owned());
        let elsewhere = || root.unwrap_or(self.home.path()).to_owned();
        let directory = Some(workplace.clone().unwrap_or_else(elsewhere));
        // Paths of this machine mean nothing to a server at a URL.
        let root = workplace.filter(|_| matches!(server.transport, McpTransport::Stdio { .. }));
        let sign_ins = Some(sign_ins(&self.home));
        Ok(ResolvedServer { server, directory, root, vars, owner, client, sign_ins })
    }
}

/// Whose servers there are besides those of the home.
#[derive(Clone, Copy)]
pub struct ServerScope<'a> {
    repository: Option<&'a Path>,
    /// That only one run knows.
    own: &'a [McpServer],
}

impl<'a> ServerScope<'a> {
    /// Those of the repository that a directory is in.
    #[must_use]
    pub fn of(repository: Option<&'a Path>) -> Self {
        Self { repository, own: &[] }
    }

    fn of_run(offered: &'a OfferedToRun) -> Self {
        Self { repository: offered.repository.as_deref(), own: &offered.own }
    }
}

/// The servers of a home, of a repository and of a team. One of the repository hides one of the home, and one of the team both.
struct ConfiguredServers {
    servers: Vec<McpServer>,
    tool_overrides: BTreeMap<String, ToolOverride>,
    mcp_envs: Option<Vec<String>>,
    repository: Option<RepositoryServers>,
    /// The names of those of the team.
    own: BTreeSet<String>,
}

impl ConfiguredServers {
    fn new(of_home: McpConfig, repository: Option<RepositoryServers>, own: &[McpServer]) -> Self {
        let McpConfig { mut servers, mut tool_overrides, mcp_envs } = of_home;
        if let Some(RepositoryServers { config, .. }) = &repository {
            let is_hidden = |name: &str| config.servers.iter().any(|server| server.name == name);
            servers.retain(|server| !is_hidden(&server.name));
            servers.extend(config.servers.iter().cloned());
            // What it says about the tools of others does not count.
            let is_own = |tool: &str| tool.split_once(':').is_some_and(|(server, _)| is_hidden(server));
            tool_overrides.retain(|tool, _| !is_own(tool));
            let own = config.tool_overrides.iter().filter(|(tool, _)| is_own(tool));
            tool_overrides.extend(own.map(|(tool, over)| (tool.clone(), over.clone())));
        }
        let names: BTreeSet<String> = own.iter().map(|server| server.name.clone()).collect();
        servers.retain(|server| !names.contains(&server.name));
        servers.extend(own.iter().cloned());
        Self { servers, tool_overrides, mcp_envs, repository, own: names }
    }

    fn of_repository(&self, name: &str) -> Option<&RepositoryServers> {
        self.repository
            .as_ref()
            .filter(|repository| !self.own.contains(name) && repository.server(name).is_some())
    }

    /// The variables that a server may use; `None` for any. A repository can contain files from anyone: its servers get
    /// nothing that the home does not name.
    fn variables_of(&self, name: &str) -> Option<&[String]> {
        if self.own.contains(name) {
            return Some(&[]);
        }
        let of_repository = self.of_repository(name).map(|_| [].as_slice());
        self.mcp_envs.as_deref().or(of_repository)
    }

    /// Where a server works that the repository describes.
    fn root_of(&self, name: &str) -> Option<&Path> {
        self.of_repository(name).map(|repository| repository.root.as_path())
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

fn known<'a>(servers: &'a [McpServer], name: &str) -> Result<&'a McpServer, ServiceError> {
    let found = servers.iter().find(|server| server.name == name);
    let names: Vec<&str> = servers.iter().map(|server| server.name.as_str()).collect();
    let problem = match found {
        Some(server) if server.enabled => return Ok(server),
        Some(_) => Problem::new(format!("the MCP server `{name}` is not enabled"))
            .with_hint("set `enabled: true` in its configuration"),
        None if names.is_empty() => Problem::new(format!("there is no MCP server `{name}`"))
            .with_hint(format!("configure it in {MCP_SERVERS} in the home; `amelia schema mcp` shows how")),
        None => Problem::new(format!("there is no MCP server `{name}`"))
            .with_hint(format!("available: {}", names.join(", "))),
    };
    Err(ServiceError::NotFound(problem))
}

/// How a server is reached, by the name that its file has for it.
#[must_use]
pub fn transport_name(server: &McpServer) -> &'static str {
    match &server.transport {
        McpTransport::Stdio { .. } => "stdio",
        McpTransport::Sse { .. } => "sse",
        McpTransport::StreamableHttp { .. } => "streamable-http",
    }
}

/// The program of a server, or its address. Arguments, users, queries and headers may hold secrets, and are left out.
#[must_use]
pub fn target(server: &McpServer) -> String {
    match &server.transport {
        McpTransport::Stdio { command, .. } => command.clone(),
        McpTransport::Sse { url, .. } | McpTransport::StreamableHttp { url, .. } => {
            let url = url.split(['?', '#']).next().unwrap_or_default();
            let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
            let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
            format!("{scheme}://{host}{path}")
        }
    }
}

/// Reads the file of a home.
pub(crate) fn config(home: &Home) -> Result<McpConfig, RefusedFile> {
    Ok(read_file::<McpFile>(home, MCP_SERVERS, mcp_schema())?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_target_of_a_server_has_no_secrets() {
        let of = |url: &str| {
            let headers = BTreeMap::new();
            let transport = McpTransport::StreamableHttp { url: url.to_owned(), headers };
            target(&McpServer::new("a", transport))
        };
        assert_eq!(
            of("https://me:pass@example.org:8080/mcp/a@b?key=1#x"),
            "https://example.org:8080/mcp/a@b"
        );
        assert_eq!(of("https://example.org?key=1"), "https://example.org");
        assert_eq!(of("${ADDRESS}"), "${ADDRESS}");
    }
}
