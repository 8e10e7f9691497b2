//! `amelia mcp`: the servers of the home, tried from the command line; and Amelia as a server.

mod endpoint;
mod login;
mod prompt;
mod run_tools;
mod serve;

use std::path::Path;
use std::process::ExitCode;

use amelia_core::config::mcp::McpServer;
use amelia_core::object::Object;
use amelia_core::tool::{Risk, ToolName, ToolSpec};
use amelia_host::home::Home;
use amelia_host::mcp_servers::{McpServers, OfferedTools, target, transport_name};
use amelia_host::refused_file::RefusedFile;
use amelia_host::repository_servers::RepositoryServers;
use amelia_orchestrator::service::ServiceError;
use amelia_wire::maf::agent::Tool;
use anyhow::{Context as _, Result};
use serde_json::json;

use crate::cli::{Global, McpCallArgs, McpCommand};
use crate::cli_error::{CliError, Exit};
use crate::ui::{self, say};

pub(super) use endpoint::endpoint;

pub(super) async fn mcp(command: &McpCommand, home: &Home, global: &Global) -> Result<ExitCode> {
    let directory = std::env::current_dir().context("the current directory is gone")?;
    let servers = McpServers::of(home).at(directory.clone());
    servers.load_stored().await?;
    match command {
        McpCommand::List => list(&servers, &directory, home, global),
        McpCommand::Tools(args) => tools(&servers, &args.server, global).await,
        McpCommand::Call(args) => call(&servers, args, global).await,
        McpCommand::Prompt(args) => prompt::prompt(&servers, args, global).await,
        McpCommand::Login(args) => login::login(&servers, args, global).await,
        McpCommand::Logout(args) => login::logout(&servers, &args.server, global),
        McpCommand::Serve => serve::run(home, global).await,
    }
}

fn list(servers: &McpServers, directory: &Path, home: &Home, global: &Global) -> Result<ExitCode> {
    let refused = |refused: RefusedFile| CliError::new(Exit::Usage, refused.to_string());
    let config = servers.config().map_err(refused)?;
    let stored = servers.stored_beside(&config);
    let of_repository = RepositoryServers::find(home, directory).map_err(refused)?;
    let is_trusted = of_repository.as_ref().is_none_or(|found| found.is_trusted(home));
    let of_repository = of_repository.map(|found| found.config.servers).unwrap_or_default();
    if global.json {
        let document = |server: &McpServer, source: &str, is_trusted: bool| {
            let transport = transport_name(server);
            json!({"name": server.name, "transport": transport, "enabled": server.enabled,
                   "description": server.description, "source": source, "trusted": is_trusted,
                   "signed_in": servers.is_signed_in(server)})
        };
        let of_home = config.servers.iter().map(|server| document(server, "home", true));
        let of_home = of_home.chain(stored.iter().map(|server| document(server, "api", true)));
        let others = of_repository.iter().map(|server| document(server, "repository", is_trusted));
        let items: Vec<_> = of_home.chain(others).collect();
        anstream::println!("{}", json!({ "items": items }));
        return Ok(ExitCode::SUCCESS);
    }
    if config.servers.is_empty() && stored.is_empty() && of_repository.is_empty() {
        say!("no MCP servers yet: configure them in config/mcp_servers.yaml in the home (amelia schema mcp)");
    }
    let untrusted = if is_trusted { "" } else { "  (not trusted: amelia trust)" };
    let of_home = config.servers.iter().chain(&stored).map(|server| (server, ""));
    let all: Vec<(&McpServer, &str)> =
        of_home.chain(of_repository.iter().map(|server| (server, untrusted))).collect();
    let width = all.iter().map(|(server, _)| server.name.len()).max().unwrap_or(0);
    for (server, untrusted) in all {
        let state = match servers.is_signed_in(server) {
            _ if !server.enabled => "  (not enabled)",
            Some(true) if untrusted.is_empty() => "  (signed in)",
            _ => untrusted,
        };
        let about = server.description.clone().unwrap_or_else(|| target(server));
        anstream::println!(
            "{:width$}  {:15}  {}{state}",
            server.name,
            transport_name(server),
            ui::dim(about)
        );
    }
    Ok(ExitCode::SUCCESS)
}

async fn tools(servers: &McpServers, name: &str, global: &Global) -> Result<ExitCode> {
    let OfferedTools { protocol, tools } = offered(servers, name).await?;
    if global.json {
        let items: Vec<Tool> = tools.into_iter().map(Tool::from).collect();
        anstream::println!("{}", json!({"server": name, "protocol": protocol, "items": items}));
        return Ok(ExitCode::SUCCESS);
    }
    let protocol = protocol.unwrap_or_default();
    say!("{name} has {} (protocol {protocol})", ui::counted(tools.len(), "tool"));
    for spec in &tools {
        let about = ui::one_line(&spec.description);
        let about = about.split_once(". ").map_or(about.as_str(), |(first, _)| first);
        ui::say_hanging(&format!("  {}  {}  {}", ui::bold(&spec.name), risk(spec), ui::dim(about)), 4);
    }
    Ok(ExitCode::SUCCESS)
}

/// As much of what a server wrote as helps.
const SHOWN_LINES: usize = 10;

/// What a server says when it does not start is what people need to see.
async fn offered(servers: &McpServers, name: &str) -> Result<OfferedTools> {
    said_by(servers, name, servers.offered(name).await)
}

/// What the server answered; where it is none, after what the server wrote.
fn said_by<T>(servers: &McpServers, name: &str, answer: Result<T, ServiceError>) -> Result<T> {
    if answer.is_err() {
        let lines = servers.log(name).unwrap_or_default();
        let hidden = lines.len().saturating_sub(SHOWN_LINES);
        if hidden > 0 {
            let more = format!("{name}: … {} before", ui::counted(hidden, "line"));
            anstream::eprintln!("{}", ui::dim(more));
        }
        for line in lines.iter().skip(hidden) {
            anstream::eprintln!("{}", ui::dim(ui::clean(&format!("{name}: {line}"))));
        }
    }
    Ok(answer?)
}

fn risk(spec: &ToolSpec) -> &'static str {
    match spec.risk {
        Risk::Read => "reads",
        Risk::Write => "writes",
        Risk::Execute => "runs commands",
        Risk::External => "external",
    }
}

async fn call(servers: &McpServers, args: &McpCallArgs, global: &Global) -> Result<ExitCode> {
    let tool = ToolName::repaired(&args.tool);
    let Some(server) = tool.server.clone() else {
        let error = CliError::new(Exit::Usage, format!("`{}` is not SERVER:TOOL", args.tool));
        return Err(error.with_hint("amelia mcp call git:git_log '{}'").into());
    };
    let given: Object = serde_json::from_str(&args.args).map_err(|error| {
        let problem = format!("the arguments are not a JSON object: {error}");
        CliError::new(Exit::Usage, problem).with_hint("amelia mcp call SERVER:TOOL '{\"name\": \"value\"}'")
    })?;
    let specs = offered(servers, &server).await?.tools;
    let directory = std::env::current_dir().context("the current directory is gone")?;
    let result = servers.call(&specs, &directory, tool, given).await?;
    if global.json {
        let document = json!({"tool": result.tool, "output": result.output, "error": result.error,
                              "duration_ms": result.duration_ms});
        anstream::println!("{document}");
    } else if !result.output.is_empty() {
        anstream::println!("{}", ui::clean(&result.output));
    }
    match result.error {
        None => Ok(ExitCode::SUCCESS),
        Some(_) if global.json => Ok(Exit::Failed.into()),
        Some(error) => Err(CliError::new(Exit::Failed, error).into()),
    }
}
