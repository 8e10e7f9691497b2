//! Commands that keep the house in order.

use clap::Subcommand;

#[derive(Subcommand)]
pub(crate) enum WorktreeCommand {
    /// Those of this repository, with their branches and what they take on the disk
    List,
    /// Remove the worktree of a run that has ended; its branch is kept
    Remove {
        /// The run; the beginning of its id is enough when only one fits
        run: String,
        /// Also when changes in it are not committed: they are lost
        #[arg(long)]
        discard: bool,
    },
}
