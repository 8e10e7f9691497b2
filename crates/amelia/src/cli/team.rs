//! Teams of agents.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{DefinitionArgs, RunDefinitionArgs, ValidateArgs};

#[derive(Subcommand)]
#[command(after_help = "\
Teams are files: .amelia/teams/NAME.yaml in a repository, or teams/NAME.yaml in
Amelia's home.

Examples:
  amelia team new news --template writer-critic
  amelia team list
  amelia team run news \"About rivers\"
  amelia team validate .amelia/teams/news.yaml")]
pub(crate) enum TeamCommand {
    /// List the teams in this repository, in Amelia's home and from the API
    List,
    /// Print a team as JSON, with the text of its templates
    Show(DefinitionArgs),
    /// Check team files, their templates and the teams inside them
    Validate(ValidateArgs),
    /// Write a new team file
    New(NewTeamArgs),
    /// Draw a team as a Mermaid flowchart
    Draw(DefinitionArgs),
    /// Choose the agent that takes the next turn of a run
    /// The run must be paused or waiting. If the turn of an agent is open, it ends first.
    Next(NextAgentArgs),
    /// Change the team of a run
    /// The run must be paused or waiting. FILE contains one or more of `add_agents`, `remove_agents`, `replace_agents`,
    /// `handoff_rules`, `guardrail_policies` and `execution_config`, in YAML or JSON.
    Change(ChangeTeamArgs),
    /// Start a team on a task and follow it
    ///
    /// NAME can also be the path of a team file. The run executes in the server if one is running, or else in this
    /// process. Ctrl-C pauses it, and `amelia resume` continues it.
    Run(Box<RunDefinitionArgs>),
}

#[derive(Args)]
pub(crate) struct NextAgentArgs {
    /// Run id (`r12`), issue or branch
    pub(crate) run: String,
    /// Agent of the team
    pub(crate) agent: String,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  amelia team change r12 changes.yaml
  echo 'remove_agents: [critic]' | amelia team change r12 -")]
pub(crate) struct ChangeTeamArgs {
    /// Run id (`r12`), issue or branch
    pub(crate) run: String,
    /// What to change, in YAML or JSON; `-` reads standard input
    pub(crate) file: PathBuf,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  amelia team new news
  amelia team new ship --template delivery --in-home")]
pub(crate) struct NewTeamArgs {
    /// Name of the team: letters, digits, _ and -
    pub(crate) name: String,
    /// Template to start from
    #[arg(long, value_enum, default_value_t = TeamTemplate::WriterCritic)]
    pub(crate) template: TeamTemplate,
    /// Write to Amelia's home instead of this repository
    #[arg(long)]
    pub(crate) in_home: bool,
}

/// Teams that a new one can start from.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum TeamTemplate {
    /// A writer, and a critic that approves the text
    WriterCritic,
    /// A lead, a researcher that reads files, and a writer
    Research,
    /// A developer, a tester and a reviewer
    Delivery,
    /// A chair that asks experts and decides
    Board,
}
