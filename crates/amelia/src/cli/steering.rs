//! Commands that say where a run stops, and how it continues from there.

use clap::Args;

use super::WatchArgs;

#[derive(Args)]
#[command(after_help = "\
Examples:
  amelia step r12             Stop an active run before its next node
  amelia step r12 --follow    Run the next node and show its progress
  amelia continue r12         Continue without stopping")]
pub(crate) struct StepArgs {
    /// Run id (`r12`), issue or branch
    pub(crate) run: String,
    #[command(flatten)]
    pub(crate) watch: WatchArgs,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  amelia continue r12
  amelia continue r12 --follow    Follow until it ends or stops again")]
pub(crate) struct ContinueArgs {
    /// Run id (`r12`), issue or branch
    pub(crate) run: String,
    #[command(flatten)]
    pub(crate) watch: WatchArgs,
}

#[derive(Args)]
#[command(after_help = "\
BREAKPOINT is the name of a node, to stop before it runs, or one of these:
  turn          Before every model call
  agent:NAME    Before the first model call of an agent
  tool:GLOB     Before a tool call, such as tool:shell or 'tool:memory:*'
  path:GLOB     Before a tool call that names a file, such as 'path:src/**'
  error         After a failed tool call
  cost:USD      Once, when the run has cost this much
  event:NAME    After an event, such as event:task.checked

Examples:
  amelia breakpoint r12                      Show breakpoints and nodes
  amelia breakpoint r12 review tool:shell    Stop only there
  amelia breakpoint r12 --clear              Remove all breakpoints")]
pub(crate) struct BreakpointArgs {
    /// Run id (`r12`), issue or branch
    pub(crate) run: String,
    /// Where to stop (see below); replaces the existing breakpoints
    #[arg(value_name = "BREAKPOINT")]
    pub(crate) nodes: Vec<String>,
    /// Remove all breakpoints
    #[arg(long, conflicts_with = "nodes")]
    pub(crate) clear: bool,
}
