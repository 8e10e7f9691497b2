//! Commands that keep the house in order.

use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub(crate) enum WorktreeCommand {
    /// Those of this repository, with their branches and what they take on the disk
    List,
    /// Remove the worktree of a run that has ended; its branch is kept
    ///
    /// Files that git ignores go with it, and are named. A worktree that is locked (git worktree lock) stays.
    Remove {
        /// The run; the beginning of its id is enough when only one fits
        run: String,
        /// Also when changes in it are not committed: they are lost
        #[arg(long)]
        discard: bool,
    },
    /// Make the worktree of a run anew, with the commits of its branch
    ///
    /// For a worktree that was removed while its run still needs it, and those of its parallel tasks. When the branch is gone too, or has lost commits, a
    /// branch begins with the last commit that the run has made. What was not committed is lost, unless a snapshot has it.
    Restore {
        /// The run; the beginning of its id is enough when only one fits
        run: String,
    },
}

#[derive(Args)]
#[command(after_help = "\
What goes: debug events of old logs (log_retention_days, log_retention_max_events of the server), and worktrees of runs
that are completed or cancelled and hold nothing that is not committed, with their branches where these hold no commit.
A failed run keeps everything: it may be tried again.

Files that git ignores go with their worktree, and each line names them. A worktree that is locked (git worktree lock), or
that has changes in files marked skip-worktree or assume-unchanged, is kept; so is one with commits that nothing else has.

Examples:
  amelia cleanup --dry-run
  amelia cleanup")]
pub(crate) struct CleanupArgs {
    /// Only say what would go, and how much disk that gives back
    #[arg(long)]
    pub(crate) dry_run: bool,
}
