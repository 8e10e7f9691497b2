//! `amelia trace` and its subcommands.

use clap::{Args, Subcommand};

#[derive(Args)]
#[command(after_help = "Without a command, `amelia trace` runs `amelia trace show`.")]
pub(crate) struct TraceGroup {
    #[command(subcommand)]
    pub(crate) command: Option<TraceCommand>,
}

#[derive(Subcommand)]
pub(crate) enum TraceCommand {
    /// Show all steps, with their tool calls and times
    Show(TraceArgs),
    /// Show only steps that contain TEXT
    Search(TraceSearchArgs),
    /// Show only steps and tool calls that failed
    Errors(TraceArgs),
    /// Count steps, tool calls and sub-agents
    Summary(TraceArgs),
}

#[derive(Args)]
pub(crate) struct TraceArgs {
    /// Run id (`r12`), issue or branch [default: newest unfinished run of this repository, or the newest run if it
    /// has failed or none is unfinished]
    pub(crate) run: Option<String>,
}

#[derive(Args)]
#[command(after_help = "\
Example:
  amelia trace search timeout r12")]
pub(crate) struct TraceSearchArgs {
    /// Text to search for, in messages, agents, tools, arguments and results
    pub(crate) text: String,
    /// Run id (`r12`), issue or branch [default: newest unfinished run of this repository, or the newest run if it
    /// has failed or none is unfinished]
    pub(crate) run: Option<String>,
}
