//! Commands that bring the change of a run into a branch or a pull request.

use clap::{Args, Subcommand};

#[derive(Args)]
#[command(after_help = "\
If there are merge conflicts, or if uncommitted changes would be overwritten,
`amelia merge` changes nothing.

Examples:
  amelia merge                       Merge the newest completed, unmerged run
  amelia merge r12 --squash          Merge all changes as one commit
  amelia merge r12 --delete-branch   Delete the branch afterwards")]
pub(crate) struct MergeArgs {
    /// Run id (`r12`), issue or branch [default: newest completed, unmerged run of this repository]
    pub(crate) run: Option<String>,
    /// Merge into this branch [default: the branch that the run started from]
    #[arg(long, value_name = "BRANCH")]
    pub(crate) into: Option<String>,
    /// Merge all changes as one commit
    #[arg(long, conflicts_with = "rebase")]
    pub(crate) squash: bool,
    /// Rebase the commits onto the branch, without a merge commit
    #[arg(long)]
    pub(crate) rebase: bool,
    /// Delete the branch and the worktree of the run afterwards
    #[arg(long)]
    pub(crate) delete_branch: bool,
    /// Merge without asking, even if another run ended later
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Args)]
#[command(after_help = "Without a command, `amelia pr` runs `amelia pr show`.")]
pub(crate) struct PrGroup {
    #[command(subcommand)]
    pub(crate) command: Option<PrCommand>,
}

#[derive(Subcommand)]
pub(crate) enum PrCommand {
    /// Push the branch of a run and open a pull request
    Open(PrOpenArgs),
    /// Show the state, checks and reviews of a pull request
    Show(PrShowArgs),
}

#[derive(Args)]
#[command(after_help = "\
Amelia uses GH_TOKEN, GITHUB_TOKEN or the `gh` program, in this order. The
description contains the summary, checks, review and plan of the run, and
follows the repository's pull request template if there is one. For GitHub
Enterprise, see docs/trackers.md.

Examples:
  amelia pr open r12
  amelia pr open r12 --draft --base develop")]
pub(crate) struct PrOpenArgs {
    /// Run id (`r12`), issue or branch [default: newest completed, unmerged run of this repository]
    pub(crate) run: Option<String>,
    /// Open it as a draft
    #[arg(long)]
    pub(crate) draft: bool,
    /// Branch to merge into [default: the branch that the run started from]
    #[arg(long, value_name = "BRANCH")]
    pub(crate) base: Option<String>,
}

#[derive(Args)]
pub(crate) struct PrShowArgs {
    /// Run id (`r12`), issue or branch [default: newest run with a pull request in this repository]
    pub(crate) run: Option<String>,
}
