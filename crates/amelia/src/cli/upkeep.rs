//! Commands that remove what runs leave behind.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Args)]
#[command(after_help = "\
Examples:
  amelia archive r3 r4         Hide two runs
  amelia status --archived     List hidden runs
  amelia archive r3 --undo     Show a run again")]
pub(crate) struct ArchiveArgs {
    /// Runs: their ids (`r12`), issues or branches [default: the only run of this
    /// repository that has ended]
    #[arg(value_name = "RUN")]
    pub(crate) runs: Vec<String>,
    /// Show the runs in lists again
    #[arg(long)]
    pub(crate) undo: bool,
}

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
branch without commits of its own is removed with its worktree. Failed runs keep
everything, so that you can resume them. Attached files go when no run refers to
them.

Files that git ignores are removed with their worktree, and the output lists
them. Cleanup keeps a worktree that is locked (git worktree lock), that has
changes in files marked skip-worktree or assume-unchanged, or that has commits
which exist nowhere else.

Examples:
  amelia cleanup --dry-run
  amelia cleanup
  amelia cleanup --merged-branches   Also delete branches that were merged")]
pub(crate) struct CleanupArgs {
    /// Show what would be removed and how much space that would free
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Delete the branches that `amelia merge` has merged
    ///
    /// Without this option, `amelia cleanup` asks you if it runs in a terminal. Branches with commits that
    /// were not merged are kept.
    #[arg(long)]
    pub(crate) merged_branches: bool,
}

#[derive(Args)]
#[command(after_help = "\
Contains all runs, profiles, prompts, settings and recordings as of one moment;
you do not need to stop runs first. Does not contain API keys
(config/keys.env), the server's token or worktrees. Keep the file private: it
contains what agents read, such as your code.

Examples:
  amelia backup amelia-backup.tar.gz
  amelia --home /new/home restore amelia-backup.tar.gz")]
pub(crate) struct BackupArgs {
    /// File to write, outside the home; must not exist
    pub(crate) file: PathBuf,
}

#[derive(Args)]
#[command(after_help = "\
The home must not contain runs. If you want the restored runs to continue in it,
stop the server of the old home first. Worktrees are not in a backup: `amelia
worktree restore RUN` creates them again from the commits in your repository.

Examples:
  amelia --home /new/home restore amelia-backup.tar.gz")]
pub(crate) struct RestoreArgs {
    /// File written by `amelia backup`
    pub(crate) file: PathBuf,
}
