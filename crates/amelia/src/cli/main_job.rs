//! Commands for a crew at work on an issue.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{LimitArgs, ModelArgs};

/// What a command does after it has told a run to continue.
#[derive(Args, Clone, Default)]
pub(crate) struct WatchArgs {
    /// Show its progress until it ends or needs you; Ctrl-C leaves it, and the run continues
    ///
    /// Without this and without --wait the command returns at once. Only a run of `amelia do` continues in the command
    /// itself when no server is running: it is shown, and Ctrl-C pauses it.
    #[arg(long, short)]
    pub(crate) follow: bool,
    /// Wait until it ends or needs you, and print only how it came out
    #[arg(long, conflicts_with = "follow")]
    pub(crate) wait: bool,
}

#[derive(Args, Clone)]
#[command(after_help = "\
Examples:
  amelia start --title \"Add a --version flag\" --follow
  amelia start --title \"Fix the sum\" --description \"2+3 gives -1\" --auto
  amelia start PROJ-12 --plan-file plan.md")]
pub(crate) struct StartArgs {
    /// The issue, as the profile's tracker names it; not needed with --title
    pub(crate) issue: Option<String>,
    /// What is to be done, in one line
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// Everything else that is known about it
    #[arg(long)]
    pub(crate) description: Option<String>,
    /// [default: the active one]
    #[arg(long)]
    pub(crate) profile: Option<String>,
    /// A plan in Markdown: nobody has to write one
    #[arg(long, value_name = "FILE")]
    pub(crate) plan_file: Option<PathBuf>,
    /// A design document to plan from
    #[arg(long, value_name = "FILE")]
    pub(crate) design: Option<PathBuf>,
    /// The branch to make [default: amelia/<issue>]
    #[arg(long)]
    pub(crate) branch: Option<String>,
    /// The commit or branch to start from
    #[arg(long, value_name = "REF")]
    pub(crate) base: Option<String>,
    /// Work in the current checkout instead of a worktree; it must be clean
    #[arg(long)]
    pub(crate) in_place: bool,
    /// Another pipeline than `implementation`
    #[arg(long, value_name = "NAME", conflicts_with_all = ["issue", "description", "plan_file", "design", "plan"])]
    pub(crate) pipeline: Option<String>,
    /// What that pipeline is started with, as JSON
    #[arg(long, value_name = "FILE", requires = "pipeline")]
    pub(crate) input: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// A second start with the same key is the same run
    #[arg(long, value_name = "KEY")]
    pub(crate) idempotency_key: Option<String>,
    /// Only take it down: `amelia run` starts it
    #[arg(long, conflicts_with_all = ["auto", "follow", "wait"])]
    pub(crate) queue: bool,
    /// With --queue: plan it at once; the plan waits for your approval
    #[arg(long, requires = "queue")]
    pub(crate) plan: bool,
    /// Watch it, and approve the plan without asking
    #[arg(long)]
    pub(crate) auto: bool,
    #[command(flatten)]
    pub(crate) watch: WatchArgs,
}

#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  amelia plan PROJ-12 --follow            plan an issue; the plan waits for your approval
  amelia plan show                        the plan that waits"
)]
pub(crate) struct PlanArgs {
    #[command(subcommand)]
    pub(crate) command: Option<PlanCommand>,
    #[command(flatten)]
    pub(crate) order: StartArgs,
}

#[derive(Subcommand)]
pub(crate) enum PlanCommand {
    /// Show the plan of a run
    Show {
        /// The run [default: the one that waits]
        run: Option<String>,
    },
}

#[derive(Args)]
pub(crate) struct RunArgs {
    /// The run [default: every one that was queued for this directory]
    pub(crate) run: Option<String>,
    /// Every run that was queued, wherever
    #[arg(long, conflicts_with = "run")]
    pub(crate) all: bool,
    /// Every run that was queued for this directory
    #[arg(long, value_name = "PATH", conflicts_with_all = ["run", "all"])]
    pub(crate) worktree: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) watch: WatchArgs,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  amelia inbox
  amelia answer 0197 --message \"use the second one\"
  amelia answer 0197 5c1e --reject")]
pub(crate) struct AnswerArgs {
    /// The run; the beginning of its id is enough when only one fits
    pub(crate) run: String,
    /// Which question, when there are several (`amelia inbox`)
    pub(crate) request: Option<String>,
    /// What you say
    #[arg(long, short, value_name = "TEXT")]
    pub(crate) message: Option<String>,
    /// Say no
    #[arg(long)]
    pub(crate) reject: bool,
    #[command(flatten)]
    pub(crate) watch: WatchArgs,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  amelia review                           what is not committed
  amelia review --base main               what this branch has changed
  amelia review --pr 12                   a pull request on GitHub
  amelia review --fix                     and mend what is right, here in the checkout
  amelia review --personas Security,Performance")]
pub(crate) struct ReviewArgs {
    /// Everything since this commit or branch, instead of what is not committed
    #[arg(long, value_name = "REF")]
    pub(crate) base: Option<String>,
    /// A pull request of the repository's remote; it is only looked at
    #[arg(long, value_name = "N", conflicts_with_all = ["base", "fix"], value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) pr: Option<u64>,
    /// Mend what is right, in the checkout itself
    #[arg(long)]
    pub(crate) fix: bool,
    /// Review with these eyes, at the same time
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    pub(crate) personas: Vec<String>,
    /// [default: the active one]
    #[arg(long)]
    pub(crate) profile: Option<String>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

#[derive(Args)]
pub(crate) struct ApproveArgs {
    /// The run [default: the one that waits]
    pub(crate) run: Option<String>,
    /// Words for the crew
    #[arg(long, value_name = "TEXT")]
    pub(crate) feedback: Option<String>,
    /// Approve this plan instead, in Markdown
    #[arg(long, value_name = "FILE")]
    pub(crate) plan: Option<PathBuf>,
    /// Change the plan in $EDITOR first
    #[arg(long, conflicts_with = "plan")]
    pub(crate) edit: bool,
    #[command(flatten)]
    pub(crate) watch: WatchArgs,
}

#[derive(Args)]
pub(crate) struct RejectArgs {
    /// The run [default: the one that waits]
    pub(crate) run: Option<String>,
    /// What should be different
    #[arg(long, value_name = "TEXT")]
    pub(crate) feedback: String,
    #[command(flatten)]
    pub(crate) watch: WatchArgs,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  amelia init                                       with the first key that is set
  amelia init --provider anthropic --model claude-sonnet-5-5
  amelia init --base-url http://127.0.0.1:11434/v1 --model qwen3")]
pub(crate) struct InitArgs {
    /// The profile's name
    #[arg(long, default_value = "default")]
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Replace a profile of this name
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Subcommand)]
pub(crate) enum PromptCommand {
    /// Every prompt; those that were changed are marked
    List,
    /// The text of one
    Show { name: String },
    /// Take this text in its place; a run that has begun keeps the old one
    Set {
        name: String,
        /// `-` is standard input
        #[arg(long, short)]
        file: PathBuf,
    },
    /// Change it in $EDITOR
    Edit { name: String },
    /// Every version that was kept
    History { name: String },
    /// Back to the one that ships with the program
    Reset { name: String },
}
