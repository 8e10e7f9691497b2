//! Commands that remove what runs leave behind.

use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub(crate) enum WorktreeCommand {
    /// List the worktrees of this repository, with branches and sizes
    List,
    /// Remove the worktree of a run that has ended; its branch is kept
    ///
    /// Also removes files that git ignores, and lists them. Keeps a worktree that is locked (git worktree lock).
    Remove {
        /// Run: its id (`r12`), issue or branch
        run: String,
        /// Also discard uncommitted changes
        #[arg(long)]
        discard: bool,
    },
    /// Recreate a removed worktree from the commits of its branch
    ///
    /// Use it when the run still needs its worktree, or those of its parallel tasks. If the branch is gone or has
    /// lost commits, Amelia creates a new branch at the last commit of the run. Uncommitted changes are lost, unless a
    /// snapshot contains them.
    Restore {
        /// Run: its id (`r12`), issue or branch
        run: String,
    },
}

#[derive(Args)]
#[command(after_help = "\
For completed and cancelled runs, removes the debug events of old logs (see the
server settings log_retention_days and log_retention_max_events) together with
the recordings of those runs, and worktrees without uncommitted changes. A
branch without commits is removed with its worktree. Failed runs keep
everything, so that you can resume them.

Files that git ignores are removed with their worktree, and the output lists
them. Cleanup keeps a worktree that is locked (git worktree lock), that has
changes in files marked skip-worktree or assume-unchanged, or that has commits
which exist nowhere else.

Examples:
  amelia cleanup --dry-run
  amelia cleanup")]
pub(crate) struct CleanupArgs {
    /// Show what would be removed and how much space that would free
    #[arg(long)]
    pub(crate) dry_run: bool,
}
