//! Agents and workflows from files.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{KeepArgs, LimitArgs};

#[derive(Subcommand)]
#[command(after_help = "\
Workflows are files: .amelia/workflows/NAME.yaml in a repository, or
workflows/NAME.yaml in Amelia's home.

Examples:
  amelia workflow list
  amelia workflow validate
  amelia workflow run review \"Check the error handling\" --input level=3
  amelia workflow run review \"Check it\" --breakpoint save
  amelia workflow draw review")]
pub(crate) enum WorkflowCommand {
    /// List the workflows in this repository and in Amelia's home
    List,
    /// Print a workflow as JSON
    Show(DefinitionArgs),
    /// Check workflow files and the agents that they use
    Validate(ValidateArgs),
    /// Draw a workflow as a Mermaid flowchart
    Draw(DefinitionArgs),
    /// Start a workflow and follow it
    ///
    /// The run executes in the server if one is running, or else in this process. Ctrl-C pauses it, and `amelia resume`
    /// continues it.
    Run(Box<RunDefinitionArgs>),
}

#[derive(Subcommand)]
#[command(after_help = "\
Agents are files: .amelia/agents/NAME.yaml in a repository, or
agents/NAME.yaml in Amelia's home.

Examples:
  amelia agent list
  amelia agent validate .amelia/agents/writer.yaml
  amelia agent run writer \"Describe this repository in two sentences\"")]
pub(crate) enum AgentCommand {
    /// List the agents in this repository and in Amelia's home
    List,
    /// Print an agent as JSON
    Show(DefinitionArgs),
    /// Check agent files
    Validate(ValidateArgs),
    /// Start an agent on a task and follow it
    ///
    /// The run executes in the server if one is running, or else in this process. Ctrl-C pauses it, and `amelia resume`
    /// continues it.
    Run(Box<RunDefinitionArgs>),
}

#[derive(Args)]
pub(crate) struct DefinitionArgs {
    /// File name, without the extension
    pub(crate) name: String,
}

#[derive(Args)]
pub(crate) struct ValidateArgs {
    /// Names or files [default: all]
    pub(crate) names: Vec<String>,
}

#[derive(Args)]
pub(crate) struct RunDefinitionArgs {
    /// File name, without the extension
    pub(crate) name: String,
    /// Task to work on
    pub(crate) prompt: Option<String>,
    /// Initial state value, as JSON or text; can be repeated
    #[arg(long = "input", value_name = "KEY=VALUE")]
    pub(crate) inputs: Vec<String>,
    /// JSON file with initial state values
    #[arg(long, value_name = "FILE")]
    pub(crate) inputs_from: Option<PathBuf>,
    /// Commit or branch to start from
    #[arg(long, value_name = "REF")]
    pub(crate) base: Option<String>,
    /// Work in the current checkout instead of a worktree; it must be clean
    #[arg(long)]
    pub(crate) in_place: bool,
    /// Stop and ask at this point (see `amelia breakpoint --help`); can be repeated
    #[arg(long = "breakpoint", value_name = "BREAKPOINT")]
    pub(crate) breakpoints: Vec<String>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
}

#[derive(Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Example:
  amelia schema workflow > workflow.schema.json"
)]
pub(crate) struct SchemaArgs {
    /// File format
    pub(crate) name: SchemaName,
}

/// Files that have a schema.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum SchemaName {
    /// A file in .amelia/agents
    Agent,
    /// A file in .amelia/workflows
    Workflow,
    /// A file in .amelia/teams
    Team,
    /// A file in .amelia/guardrails
    Policy,
    /// A file for `amelia config profile apply`
    Profile,
    /// The file config/mcp_servers.yaml
    Mcp,
    /// The file config/retention_policy.yaml
    Retention,
    /// A script for `amelia model serve`
    Script,
}
