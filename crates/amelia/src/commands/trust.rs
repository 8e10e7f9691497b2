//! `amelia trust`: lets runs start the MCP servers of a repository, after a look at what would run.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use amelia_core::config::mcp::{McpServer, McpTransport};
use amelia_host::doctor::unpinned;
use amelia_host::home::Home;
use amelia_host::repository_servers::{REPOSITORY_SERVERS, RepositoryServers, revoke, trusted};
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
            true => "the MCP servers of this repository are not trusted any more",
            false => "the MCP servers of this repository were not trusted",
        };
        say!("{words}");
        return Ok(ExitCode::SUCCESS);
    }
    let found = RepositoryServers::find(&directory)
        .map_err(|refused| CliError::new(Exit::Usage, refused.to_string()))?;
    let Some(found) = found else {
        let error = CliError::new(Exit::Usage, "this repository has no MCP servers");
        return Err(error.with_hint(format!("configure them in {REPOSITORY_SERVERS}")).into());
    };
    if found.is_trusted(home) {
        say!("you trust the MCP servers of {} already", found.root.display());
        return Ok(ExitCode::SUCCESS);
    }
    show(&found);
    if !args.yes && !ui::confirm("Trust these servers?")? {
        let error = CliError::new(Exit::Failed, "the servers were not trusted");
        return Err(error.with_hint("amelia trust --yes trusts them without asking").into());
    }
    found.trust(home)?;
    say!("trusted, until {REPOSITORY_SERVERS} or a file that it names changes");
    Ok(ExitCode::SUCCESS)
}

fn list(home: &Home, global: &Global) -> Result<ExitCode> {
    let all = trusted(home)?;
    let state = |root: &str| match RepositoryServers::find(Path::new(root)) {
        Ok(Some(found)) if found.is_trusted(home) => "trusted",
        Ok(Some(_)) | Err(_) => "changed",
        Ok(None) => "gone",
    };
    if global.json {
        let item =
            |(root, one): (&String, &_)| json!({"repository": root, "state": state(root), "trusted": one});
        anstream::println!("{}", json!({"items": all.iter().map(item).collect::<Vec<_>>()}));
        return Ok(ExitCode::SUCCESS);
    }
    if all.is_empty() {
        say!("you have not trusted the MCP servers of any repository");
    }
    for root in all.keys() {
        anstream::println!("{:8} {}", state(root), ui::clean(root));
    }
    Ok(ExitCode::SUCCESS)
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
