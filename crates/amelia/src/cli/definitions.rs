//! Agents and workflows from files.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::LimitArgs;

#[derive(Subcommand)]
#[command(after_help = "\
Workflows are files: .amelia/workflows/NAME.yaml in a repository, or
workflows/NAME.yaml in the home of Amelia.

Examples:
  amelia workflow list
  amelia workflow validate
  amelia workflow run review \"Check the error handling\" --input level=3
  amelia workflow draw review")]
pub(crate) enum WorkflowCommand {
    /// List the workflows of this repository and of the home
    List,
    /// Show a workflow as it was read
    Show(DefinitionArgs),
    /// Check workflow files, and the agents they use
    Validate(ValidateArgs),
    /// Draw a workflow as a Mermaid flowchart
    Draw(DefinitionArgs),
    /// Start a workflow and follow it
    Run(RunDefinitionArgs),
}

#[derive(Subcommand)]
#[command(after_help = "\
Agents are files: .amelia/agents/NAME.yaml in a repository, or
agents/NAME.yaml in the home of Amelia.

Examples:
  amelia agent list
  amelia agent validate .amelia/agents/writer.yaml
  amelia agent run writer \"Describe this repository in two sentences\"")]
pub(crate) enum AgentCommand {
    /// List the agents of this repository and of the home
    List,
    /// Show an agent as it was read
    Show(DefinitionArgs),
    /// Check agent files
    Validate(ValidateArgs),
    /// Give an agent a task and follow it
    Run(RunDefinitionArgs),
}

#[derive(Args)]
pub(crate) struct DefinitionArgs {
    /// Name, without the ending of the file
    pub(crate) name: String,
}

#[derive(Args)]
pub(crate) struct ValidateArgs {
    /// Names or files; all when none is given
    pub(crate) names: Vec<String>,
}

#[derive(Args)]
pub(crate) struct RunDefinitionArgs {
    /// Name, without the ending of the file
    pub(crate) name: String,
    /// What is to be done
    pub(crate) prompt: Option<String>,
    /// Value that the state begins with; JSON if it is JSON, else text
    #[arg(long = "input", value_name = "KEY=VALUE")]
    pub(crate) inputs: Vec<String>,
    /// File with more of them, as a JSON object
    #[arg(long, value_name = "FILE")]
    pub(crate) inputs_from: Option<PathBuf>,
    /// Commit or branch to start from
    #[arg(long, value_name = "REV")]
    pub(crate) base: Option<String>,
    /// Work in the current checkout instead of a new worktree
    #[arg(long)]
    pub(crate) in_place: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

#[derive(Args)]
#[command(after_help = "\
Example:
  amelia schema workflow > workflow.schema.json")]
pub(crate) struct SchemaArgs {
    /// Kind of file
    pub(crate) name: SchemaName,
}

/// Files that have a schema.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum SchemaName {
    Agent,
    Workflow,
    /// The MCP servers of a home
    Mcp,
    /// The script of a scripted model
    Script,
}
