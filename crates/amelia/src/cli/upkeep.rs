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
    /// Run ids (`r12`), issues or branches [default: the only finished run of this repository; with
    /// --undo, the only archived one]
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
    /// Remove the worktree of a finished run, but keep its branch
    ///
    /// Also removes and lists the files that git ignores. Does not remove a locked worktree (git worktree lock).
    Remove {
        /// Run id (`r12`), issue or branch
        run: String,
        /// Also discard uncommitted changes
        #[arg(long)]
        discard: bool,
    },
    /// Recreate a removed worktree from the commits of its branch
    ///
    /// Also recreates the worktrees of parallel tasks that the run still needs. If the branch is gone or has lost
    /// commits, Amelia creates a new branch at the last commit of the run. Uncommitted changes are restored only if a
    /// snapshot contains them.
    Restore {
        /// Run id (`r12`), issue or branch
        run: String,
    },
}

#[derive(Args)]
#[command(after_help = "\
In a repository, this command cleans up after the runs of that repository; with
--all, or outside of a repository, after all runs. In a terminal, it lists what
it will remove, by repository, and asks you first. Otherwise, and with --yes,
--json or --quiet, it does not ask.

For completed and cancelled runs, this command removes old debug events and
recordings (see the server settings log_retention_days and
log_retention_max_events), and worktrees without uncommitted changes. It removes
a branch without commits of its own together with its worktree. Failed runs keep
everything, so that you can resume them, until a retention period removes them
(see below). With --all, attached files are removed when no run refers to them.

This command also removes whole runs, in any final status, when the period set
by --retention-days or by config/retention_policy.yaml has passed (see
docs/retention.md).

Files that git ignores are removed with their worktree, and the output lists
them. Cleanup keeps a worktree that is locked (git worktree lock), has changes
in files marked skip-worktree or assume-unchanged, or has commits that exist
nowhere else.

Examples:
  amelia cleanup --dry-run
  amelia cleanup
  amelia cleanup --all --yes         All repositories, without asking
  amelia cleanup --merged-branches   Also delete branches that were merged")]
pub(crate) struct CleanupArgs {
    /// Clean up after the runs of all repositories, and remove attached files that no run refers to
    #[arg(long)]
    pub(crate) all: bool,
    /// Do not ask
    #[arg(long, short, conflicts_with = "dry_run")]
    pub(crate) yes: bool,
    /// Show what would be removed and how much space that would free
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Also delete branches that were merged, by `amelia merge` or by hand
    ///
    /// Without this option, `amelia cleanup` asks you about them if it runs in a terminal without --yes; otherwise, it keeps
    /// them. Branches with unmerged commits are always kept.
    #[arg(long)]
    pub(crate) merged_branches: bool,
}

#[derive(Args)]
#[command(after_help = "\
The file contains all runs, profiles, prompts, settings, recordings and attached
files. It does not contain API keys (config/keys.env), the server's token or
worktrees. You do not need to stop runs first. Keep the file private: it
contains what agents read, such as your code.

Examples:
  amelia backup amelia-backup.tar.gz
  amelia --home /new/home restore amelia-backup.tar.gz")]
pub(crate) struct BackupArgs {
    /// File to write; must not exist, and must be outside Amelia's home
    pub(crate) file: PathBuf,
}

#[derive(Args)]
#[command(after_help = "\
The new home directory must not contain runs. Before you continue the restored
runs, stop the server of the old home. A backup does not contain worktrees:
`amelia worktree restore RUN` recreates them from the commits in your
repository.

Examples:
  amelia --home /new/home restore amelia-backup.tar.gz")]
pub(crate) struct RestoreArgs {
    /// File written by `amelia backup`
    pub(crate) file: PathBuf,
}
