//! The Model Context Protocol: servers that agents use, and Amelia as a server.

use clap::{Args, Subcommand};

#[derive(Subcommand)]
#[command(after_help = "\
Configure servers in config/mcp_servers.yaml in Amelia's home; `amelia schema
mcp` prints its JSON Schema. List the tools that agents may call in `mcp_tools`
of a profile, or in `tools` of an agent file: `git:git_log`, or `\"git:*\"` for
all tools of a server.

Examples:
  amelia mcp list
  amelia mcp tools git
  amelia mcp call git:git_status '{\"repo_path\": \".\"}'
  claude mcp add amelia -- amelia mcp serve")]
pub(crate) enum McpCommand {
    /// List the configured servers
    List,
    /// Connect to a server and list its tools
    Tools(McpServerArgs),
    /// Call a tool and print its result
    Call(McpCallArgs),
    /// List the prompts of a server, or print one
    #[command(after_help = PROMPT)]
    Prompt(McpPromptArgs),
    /// Sign in to a server in a browser
    #[command(after_help = LOGIN)]
    Login(McpLoginArgs),
    /// Sign out of a server and delete its token
    Logout(McpServerArgs),
    /// Serve Amelia's tools to an MCP client over stdio
    #[command(after_help = SERVE)]
    Serve,
}

const SERVE: &str = "\
An MCP client starts this command. The tools start runs in the current
directory, follow them, approve plans, answer questions and merge changes.
`amelia server` provides the same tools at /mcp (streamable HTTP); clients
authenticate with the server's token.

Examples:
  claude mcp add amelia -- amelia mcp serve
  claude mcp add --transport http amelia http://127.0.0.1:8420/mcp \\
    --header \"Authorization: Bearer $(amelia token show)\"";

const PROMPT: &str = "\
Examples:
  amelia mcp prompt docs                       List the prompts of a server
  amelia mcp prompt docs:outline topic=caching
  amelia do \"$(amelia mcp prompt docs:outline topic=caching)\"";

const LOGIN: &str = "\
The server names the site where you sign in (OAuth 2.1). The tokens are stored
in a file in Amelia's home that only you can read; Amelia refreshes them, and
sends them only to this server.

Examples:
  amelia mcp login linear
  amelia mcp login github --client-id Iv1.8a61f9b3a7aba766 --scope repo";

#[derive(Args)]
pub(crate) struct McpLoginArgs {
    /// Name of the server
    #[arg(id = "mcp_server", value_name = "SERVER")]
    pub(crate) server: String,
    /// Client ID, if the server does not support dynamic registration
    #[arg(long, value_name = "ID")]
    pub(crate) client_id: Option<String>,
    /// Scope to request instead of the suggested ones; can be repeated
    #[arg(long = "scope", value_name = "SCOPE")]
    pub(crate) scopes: Vec<String>,
    /// Port for the redirect from the browser; 0 picks a free port
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub(crate) port: u16,
    /// Print the link instead of opening a browser
    #[arg(long)]
    pub(crate) print: bool,
}

#[derive(Args)]
pub(crate) struct McpServerArgs {
    /// Name of the server
    #[arg(id = "mcp_server", value_name = "SERVER")]
    pub(crate) server: String,
}

#[derive(Args)]
pub(crate) struct McpPromptArgs {
    /// Name of the server, or of one of its prompts
    #[arg(value_name = "SERVER[:PROMPT]")]
    pub(crate) prompt: String,
    /// Argument of the prompt; can be repeated
    #[arg(value_name = "NAME=VALUE", value_parser = named_value)]
    pub(crate) values: Vec<(String, String)>,
}

fn named_value(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

#[derive(Args)]
pub(crate) struct McpCallArgs {
    /// Tool to call
    #[arg(value_name = "SERVER:TOOL")]
    pub(crate) tool: String,
    /// Arguments of the tool, as a JSON object
    #[arg(value_name = "JSON", default_value = "{}")]
    pub(crate) args: String,
}
