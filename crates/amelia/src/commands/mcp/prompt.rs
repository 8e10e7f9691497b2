//! `amelia mcp prompt`: the prompts of a server, and the text of one.

use std::process::ExitCode;

use amelia_core::object::Object;
use amelia_host::mcp_servers::{McpServers, OfferedPrompt, PromptArgument};
use anyhow::Result;
use serde_json::{Value, json};

use super::said_by;
use crate::cli::{Global, McpPromptArgs};
use crate::cli_error::{CliError, Exit};
use crate::ui::{self, say};

pub(super) async fn prompt(servers: &McpServers, args: &McpPromptArgs, global: &Global) -> Result<ExitCode> {
    let Some((server, name)) = args.prompt.split_once(':') else {
        return list(servers, &args.prompt, global).await;
    };
    let offered = said_by(servers, server, servers.prompts(server).await)?;
    let found =
        offered.iter().find(|prompt| prompt.name == name).ok_or_else(|| unknown(server, name, &offered))?;
    check(found, args)?;
    let values: Object =
        args.values.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect();
    let text = said_by(servers, server, servers.prompt(server, name, values).await)?;
    match global.json {
        true => anstream::println!("{}", json!({"server": server, "prompt": name, "text": text})),
        false => anstream::println!("{}", ui::clean(&text)),
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(servers: &McpServers, server: &str, global: &Global) -> Result<ExitCode> {
    let offered = said_by(servers, server, servers.prompts(server).await)?;
    if global.json {
        let items: Vec<Value> = offered.iter().map(document).collect();
        anstream::println!("{}", json!({"server": server, "items": items}));
        return Ok(ExitCode::SUCCESS);
    }
    say!("{server} has {}", ui::counted(offered.len(), "prompt"));
    for prompt in &offered {
        let name = ui::bold(ui::one_line(&format!("{server}:{}", prompt.name)));
        let about = ui::dim(ui::one_line(&prompt.description));
        ui::say_hanging(&format!("  {name}{}  {about}", usage(prompt)), 4);
    }
    Ok(ExitCode::SUCCESS)
}

fn document(prompt: &OfferedPrompt) -> Value {
    let argument = |one: &PromptArgument| json!({"name": one.name, "description": one.description, "required": one.is_required});
    let arguments: Vec<Value> = prompt.arguments.iter().map(argument).collect();
    json!({"name": prompt.name, "description": prompt.description, "arguments": arguments})
}

/// The arguments as they are typed; what may be left out is in brackets.
fn usage(prompt: &OfferedPrompt) -> String {
    let argument = |one: &PromptArgument| match one.is_required {
        true => format!(" {}=…", ui::one_line(&one.name)),
        false => format!(" [{}=…]", ui::one_line(&one.name)),
    };
    prompt.arguments.iter().map(argument).collect()
}

/// Whether what is required is given, and nothing else: servers say less about it.
fn check(prompt: &OfferedPrompt, args: &McpPromptArgs) -> Result<(), CliError> {
    let is_given = |name: &str| args.values.iter().any(|(given, _)| given == name);
    let missing = prompt.arguments.iter().find(|one| one.is_required && !is_given(&one.name));
    let unknown =
        args.values.iter().find(|(given, _)| !prompt.arguments.iter().any(|one| one.name == *given));
    let message = match (missing, unknown) {
        (Some(missing), _) => format!("the argument `{}` is missing", missing.name),
        (None, Some((name, _))) => format!("the prompt has no argument `{name}`"),
        (None, None) => return Ok(()),
    };
    let hint = format!("amelia mcp prompt {}{}", args.prompt, usage(prompt));
    Err(CliError::new(Exit::Usage, message).with_hint(hint))
}

fn unknown(server: &str, name: &str, offered: &[OfferedPrompt]) -> CliError {
    let names: Vec<&str> = offered.iter().map(|prompt| prompt.name.as_str()).collect();
    let hint = if names.is_empty() {
        "it has no prompts".to_owned()
    } else {
        format!("it has {}", names.join(", "))
    };
    let message = format!("the MCP server `{server}` has no prompt `{name}`");
    CliError::new(Exit::NotFound, message).with_hint(hint)
}
