//! Commands that say where a run stops, and how it continues from there.

use clap::Args;

use super::WatchArgs;

#[derive(Args)]
#[command(after_help = "\
Examples:
  amelia step 0199a0de             Stop a running run before its next node
  amelia step 0199a0de --follow    Run the next node and show its progress
  amelia continue 0199a0de         Continue without stopping")]
pub(crate) struct StepArgs {
    /// Run: its id (`r12`), issue or branch
    pub(crate) run: String,
    #[command(flatten)]
    pub(crate) watch: WatchArgs,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  amelia continue 0199a0de
  amelia continue 0199a0de --follow    Follow until it ends or stops again")]
pub(crate) struct ContinueArgs {
    /// Run: its id (`r12`), issue or branch
    pub(crate) run: String,
    #[command(flatten)]
    pub(crate) watch: WatchArgs,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  amelia breakpoint 0199a0de                  Show breakpoints and nodes
  amelia breakpoint 0199a0de review commit    Stop only before these two nodes
  amelia breakpoint 0199a0de --clear          Remove all breakpoints")]
pub(crate) struct BreakpointArgs {
    /// Run: its id (`r12`), issue or branch
    pub(crate) run: String,
    /// Nodes to stop before; they replace the existing breakpoints
    pub(crate) nodes: Vec<String>,
    /// Remove all breakpoints
    #[arg(long, conflicts_with = "nodes")]
    pub(crate) clear: bool,
}
