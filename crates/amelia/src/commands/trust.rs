//! `amelia trust`: lets runs start the MCP servers of a repository and the tools of its teams, after a look at what would run.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use amelia_core::config::mcp::{McpServer, McpTransport};
use amelia_host::definitions::ForeignSource;
use amelia_host::doctor::unpinned;
use amelia_host::home::Home;
use amelia_host::repository_servers::{
    REPOSITORY_SERVERS, RepositoryServers, TrustedDefinition, revoke, trusted,
};
use amelia_host::repository_tools::RepositoryTools;
use anyhow::{Context as _, Result};
use serde_json::json;

use crate::cli::{Global, TrustArgs};
use crate::cli_error::{CliError, Exit};
use crate::ui::{self, say};

pub(super) fn run(args: &TrustArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    if args.list {
        return list(home, global);
    }
    let here = || std::env::current_dir().context("the current directory is gone");
    let directory: PathBuf =
        args.directory.clone().map_or_else(here, |path| Ok(std::path::absolute(path)?))?;
    if args.revoke {
        let words = match revoke(home, &directory)? {
            true => "the MCP servers and the tools of this repository are not trusted any more",
            false => "this repository was not trusted",
        };
        say!("{words}");
        return Ok(ExitCode::SUCCESS);
    }
    let servers = RepositoryServers::find(home, &directory)
        .map_err(|refused| CliError::new(Exit::Usage, refused.to_string()))?;
    let tools = RepositoryTools::find(home, &directory);
    let root = servers.as_ref().map(|found| &found.root).or(tools.as_ref().map(|found| &found.root));
    let Some(root) = root else {
        let error =
            CliError::new(Exit::Usage, "this repository has no MCP servers, and its teams no programs");
        return Err(error.with_hint(format!("configure servers in {REPOSITORY_SERVERS}")).into());
    };
    let servers_are_trusted = servers.as_ref().is_none_or(|found| found.is_trusted(home));
    if servers_are_trusted && tools.as_ref().is_none_or(|found| found.is_trusted(home)) {
        say!("you trust {} of {} already", what(servers.is_some(), tools.is_some()), root.display());
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(servers) = &servers {
        show(servers);
    }
    if let Some(tools) = &tools {
        show_tools(tools);
    }
    if !args.yes && !ui::confirm(&format!("Trust {}?", what(servers.is_some(), tools.is_some())))? {
        let what = what(servers.is_some(), tools.is_some());
        let error = CliError::new(Exit::Failed, format!("{what} were not trusted"));
        return Err(error.with_hint("amelia trust --yes trusts them without asking").into());
    }
    if let Some(servers) = &servers {
        servers.trust(home)?;
    }
    if let Some(tools) = &tools {
        tools.trust(home)?;
    }
    say!("trusted, until their definitions or their files change");
    Ok(ExitCode::SUCCESS)
}

/// What a repository has that is trusted or not.
fn what(servers: bool, tools: bool) -> &'static str {
    match (servers, tools) {
        (true, true) => "the MCP servers and the tools of teams",
        (true, false) => "the MCP servers",
        (false, _) => "the tools of teams",
    }
}

fn list(home: &Home, global: &Global) -> Result<ExitCode> {
    let all = trusted(home)?;
    let items: Vec<(&String, &TrustedDefinition)> = all.iter().collect();
    if global.json {
        let item = |(root, one): &(&String, &TrustedDefinition)| json!({"repository": root, "state": state(home, root, one), "trusted": one});
        anstream::println!("{}", json!({"items": items.iter().map(item).collect::<Vec<_>>()}));
        return Ok(ExitCode::SUCCESS);
    }
    if items.is_empty() {
        say!("you have not trusted the MCP servers or the tools of any repository");
    }
    for (root, one) in items {
        anstream::println!("{:8} {}", state(home, root, one), ui::clean(root));
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether what was trusted is as it was then.
fn state(home: &Home, root: &str, one: &TrustedDefinition) -> &'static str {
    let servers = RepositoryServers::find(home, Path::new(root));
    let tools = RepositoryTools::find(home, Path::new(root));
    let servers = match servers {
        Ok(None) => None,
        Ok(Some(found)) => Some(found.is_trusted(home)),
        Err(_) => Some(false),
    };
    let had = (!one.sha256.is_empty(), !one.tools.is_empty());
    match (servers.filter(|_| had.0), tools.filter(|_| had.1).map(|found| found.is_trusted(home))) {
        (None, None) => "gone",
        (Some(false), _) | (_, Some(false)) => "changed",
        _ => "trusted",
    }
}

/// The programs and servers of teams, with the risk that their files name.
fn show_tools(found: &RepositoryTools) {
    anstream::println!("{} has teams with these tools:", ui::clean(&found.root.display().to_string()));
    for tool in &found.tools {
        let risk = match &tool.source {
            ForeignSource::Tool { config, program: Some(_) } => {
                format!("  (risk: {})", json!(config.risk()).as_str().unwrap_or_default())
            }
            ForeignSource::Tool { program: None, .. } => String::new(),
            ForeignSource::Agent { .. } => "  (an agent)".to_owned(),
        };
        let name = format!("{} of {}", tool.name(), tool.team);
        anstream::println!("  {}  {}{risk}", ui::bold(ui::clean(&name)), ui::clean(&tool.shown()));
    }
}

/// What would run. Everything in it was written by others.
fn show(found: &RepositoryServers) {
    anstream::println!("{} configures:", ui::clean(&found.file.display().to_string()));
    for server in &found.config.servers {
        let line = ui::clean(&what_runs(server));
        anstream::println!("  {}  {line}{}", ui::bold(ui::clean(&server.name)), notes(server));
        if let McpTransport::Stdio { command, args, .. } = &server.transport
            && let Some(package) = unpinned(command, args)
        {
            let package = ui::clean(package);
            anstream::println!("    warning: downloads the newest version of `{package}` whenever it starts");
        }
    }
    for (tool, over) in &found.config.tool_overrides {
        if let Some(risk) = over.risk {
            anstream::println!("  {}  risk: {}", ui::clean(tool), json!(risk).as_str().unwrap_or_default());
        }
    }
    for file in &found.files {
        anstream::println!("  uses the file {}", ui::clean(&file.display().to_string()));
    }
}

/// The whole command, or the address, with the names of variables instead of their values.
fn what_runs(server: &McpServer) -> String {
    let with = |values: Vec<String>| {
        if values.is_empty() { String::new() } else { format!(" ({})", values.join(", ")) }
    };
    match &server.transport {
        McpTransport::Stdio { command, args, env } => {
            let words: Vec<&str> = std::iter::once(command).chain(args).map(String::as_str).collect();
            let env = env.iter().map(|(name, value)| format!("{name}={value}")).collect();
            format!("{}{}", words.join(" "), with(env))
        }
        McpTransport::Sse { url, headers } | McpTransport::StreamableHttp { url, headers } => {
            let headers = headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
            format!("{url}{}", with(headers))
        }
    }
}

fn notes(server: &McpServer) -> String {
    let notes = [(!server.enabled, "not enabled"), (server.trusted, "declares its own read-only tools")];
    let notes: Vec<&str> = notes.into_iter().filter_map(|(is_so, note)| is_so.then_some(note)).collect();
    if notes.is_empty() { String::new() } else { format!("  ({})", notes.join("; ")) }
}
