//! Commands that say where a run stops, and how it goes on from there.

use clap::Args;

use super::WatchArgs;

#[derive(Args)]
#[command(after_help = "\
Examples:
  amelia step 0199a0de             a run at work stops before its next node
  amelia step 0199a0de --follow    then one node after the other, watched
  amelia continue 0199a0de         and on without stopping")]
pub(crate) struct StepArgs {
    /// The run; the beginning of its id is enough when only one fits
    pub(crate) run: String,
    #[command(flatten)]
    pub(crate) watch: WatchArgs,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  amelia continue 0199a0de
  amelia continue 0199a0de --follow    watch it until it ends, or stops again")]
pub(crate) struct ContinueArgs {
    /// The run; the beginning of its id is enough when only one fits
    pub(crate) run: String,
    #[command(flatten)]
    pub(crate) watch: WatchArgs,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  amelia breakpoint 0199a0de                   which there are, and before which nodes one may be
  amelia breakpoint 0199a0de review commit     stop before these two, and before no other
  amelia breakpoint 0199a0de --clear           stop nowhere")]
pub(crate) struct BreakpointArgs {
    /// The run; the beginning of its id is enough when only one fits
    pub(crate) run: String,
    /// Nodes before which it stops and asks, in the place of those it has
    pub(crate) nodes: Vec<String>,
    /// Take all of them away
    #[arg(long, conflicts_with = "nodes")]
    pub(crate) clear: bool,
}
