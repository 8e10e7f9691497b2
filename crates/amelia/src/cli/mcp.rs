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

#[derive(Args)]
pub(crate) struct McpServerArgs {
    /// Name of the server
    #[arg(id = "mcp_server", value_name = "SERVER")]
    pub(crate) server: String,
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
