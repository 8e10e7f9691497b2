//! Commands for a crew at work on an issue.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{KeepArgs, LimitArgs, ModelArgs};

/// The help of `--follow` where a run of `amelia do` cannot be meant.
const FOLLOW_STARTED: &str = "\
Show progress until the run ends or needs your input

Ctrl-C stops following; the run continues. Without --follow or --wait, the command returns immediately.";

/// What a command does after it has told a run to continue.
#[derive(Args, Clone, Default)]
pub(crate) struct WatchArgs {
    /// Show progress until the run ends or needs your input
    ///
    /// Ctrl-C stops following; the run continues. Without --follow or --wait, the command returns immediately.
    /// Exception: if no server is running, a run started by `amelia do`, `amelia workflow run`, `amelia agent run` or
    /// `amelia team run` executes in this process, and Ctrl-C pauses it.
    #[arg(long, short)]
    pub(crate) follow: bool,
    /// Wait until the run ends or needs input; print only the result
    #[arg(long, conflicts_with = "follow")]
    pub(crate) wait: bool,
}

#[derive(Args, Clone)]
#[command(
    after_help = "\
Examples:
  amelia start \"Add a --version flag\" --follow
  amelia start --title \"Fix the sum\" --description \"2+3 gives -1\" --auto
  amelia start PROJ-12 --plan-file plan.md
  amelia start \"Match the new design\" --attach design.png --attach notes.txt",
    mut_arg("follow", |arg| arg.long_help(FOLLOW_STARTED))
)]
pub(crate) struct StartArgs {
    /// Issue key in the profile's tracker, or a title of several words
    pub(crate) issue: Option<String>,
    /// Title of the task
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// Description of the task
    #[arg(long)]
    pub(crate) description: Option<String>,
    /// File for the agents, such as a screenshot or a log; can be repeated
    ///
    /// At most 10 files, up to 10 MB each and 20 MB in total. Agents find them in .amelia/attachments in the worktree;
    /// git ignores them there. PNG, JPEG, GIF and WebP images are also sent to models that accept images.
    #[arg(long, value_name = "FILE")]
    pub(crate) attach: Vec<PathBuf>,
    /// Profile to use [default: the repository's]
    #[arg(long)]
    pub(crate) profile: Option<String>,
    /// Use this plan (Markdown or a JSON task graph) instead of writing one
    #[arg(long, value_name = "FILE")]
    pub(crate) plan_file: Option<PathBuf>,
    /// Design document to plan from
    #[arg(long, value_name = "FILE")]
    pub(crate) design: Option<PathBuf>,
    /// Branch to create [default: amelia/<issue>]
    #[arg(long)]
    pub(crate) branch: Option<String>,
    /// Commit or branch to start from
    #[arg(long, value_name = "REF")]
    pub(crate) base: Option<String>,
    /// Work in the current checkout instead of a worktree; it must be clean
    #[arg(long)]
    pub(crate) in_place: bool,
    /// Pipeline to run [default: implementation]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["issue", "description", "attach", "plan_file", "design", "plan"])]
    pub(crate) pipeline: Option<String>,
    /// JSON file with the input of the pipeline
    #[arg(long, value_name = "FILE", requires = "pipeline")]
    pub(crate) input: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
    /// Return the existing run if one was started with this key
    #[arg(long, value_name = "KEY")]
    pub(crate) idempotency_key: Option<String>,
    /// Queue the run without starting it; `amelia run` starts it
    #[arg(long, conflicts_with_all = ["auto", "follow", "wait"])]
    pub(crate) queue: bool,
    /// With --queue: write the plan now, and wait for your approval
    #[arg(long, requires = "queue")]
    pub(crate) plan: bool,
    /// Follow the run and approve the plan without asking
    ///
    /// Tool calls that need your approval still wait for you. The run keeps this option: `amelia resume` also follows it
    /// and approves the plan.
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
  amelia plan PROJ-12 --follow    Write a plan, then wait for your approval
  amelia plan show                Show the plan that is waiting for approval",
    // A plan is always written now, waits for approval, and is of the implementation pipeline.
    mut_arg("queue", |arg| arg.hide(true)),
    mut_arg("plan", |arg| arg.hide(true)),
    mut_arg("pipeline", |arg| arg.hide(true)),
    mut_arg("input", |arg| arg.hide(true))
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
        /// Run id (`r12`), issue or branch [default: the only run waiting for approval]
        run: Option<String>,
    },
}

#[derive(Args)]
#[command(
    mut_arg("follow", |arg| arg.requires("run").long_help(FOLLOW_STARTED)),
    mut_arg("wait", |arg| arg.requires("run"))
)]
pub(crate) struct RunArgs {
    /// Run id (`r12`), issue or branch; required with --follow and --wait [default: all runs queued for the current
    /// directory]
    pub(crate) run: Option<String>,
    /// Start the queued runs of all directories
    #[arg(long, conflicts_with = "run")]
    pub(crate) all: bool,
    /// Start the runs queued for this directory
    #[arg(long, value_name = "PATH", conflicts_with_all = ["run", "all"])]
    pub(crate) worktree: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) watch: WatchArgs,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  amelia inbox
  amelia answer r12 \"use the second one\"
  amelia answer r12 5c1e --message \"use the second one\"
  amelia answer r12 5c1e --reject
  amelia answer r12 --modify \"shorter\"    At a `human` node of a workflow
  amelia answer r12 --set score=0.9         The same, and set a state value")]
pub(crate) struct AnswerArgs {
    /// Run id (`r12`), issue or branch
    pub(crate) run: String,
    /// Your answer; with --message, --reject, --modify or --set, the id of the question (see `amelia inbox`)
    #[arg(value_name = "ANSWER|QUESTION")]
    pub(crate) text: Option<String>,
    /// Your answer
    #[arg(long, short, value_name = "TEXT")]
    pub(crate) message: Option<String>,
    /// Decline: answer "no"
    #[arg(long)]
    pub(crate) reject: bool,
    /// Request changes: `routing_key` becomes `modify`, and the agents get TEXT
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["message", "reject"])]
    pub(crate) modify: Option<String>,
    /// Request changes, and set a value of the state; JSON, or text. `messages` are added
    #[arg(long, value_name = "KEY=VALUE", conflicts_with_all = ["message", "reject"])]
    pub(crate) set: Vec<String>,
    #[command(flatten)]
    pub(crate) watch: WatchArgs,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  amelia review                  Review uncommitted changes
  amelia review --base main      Review what this branch changed
  amelia review --pr 12          Review a pull request on GitHub
  amelia review --fix            Review, then fix valid findings
  amelia review --personas Security,Performance")]
pub(crate) struct ReviewArgs {
    /// Review all changes since this commit or branch
    #[arg(long, value_name = "REF")]
    pub(crate) base: Option<String>,
    /// Review this pull request, without changing anything
    #[arg(long, value_name = "N", conflicts_with_all = ["base", "fix"], value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) pr: Option<u64>,
    /// Fix valid findings in your checkout
    #[arg(long)]
    pub(crate) fix: bool,
    /// Reviewer personas to run in parallel
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    pub(crate) personas: Vec<String>,
    /// Profile to use [default: the repository's]
    #[arg(long)]
    pub(crate) profile: Option<String>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  amelia approve r12                  Approve the plan, or one tool call
  amelia approve r12 --for-run        Allow the same command in this run
  amelia approve r12 --always         Allow it in later runs, too
  amelia approve r12 --for-run 'Bash(cargo *)'
  amelia approve r12 --always Edit")]
pub(crate) struct ApproveArgs {
    /// Run id (`r12`), issue or branch [default: the only run waiting for approval]
    pub(crate) run: Option<String>,
    /// Message to the agents
    #[arg(long, value_name = "TEXT")]
    pub(crate) feedback: Option<String>,
    /// Replace the plan with this Markdown file and approve it
    #[arg(long, value_name = "FILE")]
    pub(crate) plan: Option<PathBuf>,
    /// Edit the plan in $EDITOR first
    #[arg(long, conflicts_with = "plan")]
    pub(crate) edit: bool,
    /// Also allow later calls in this run that match RULE
    ///
    /// RULE is a tool (`Edit`), a command (`Bash(git status)`) or a command prefix (`Bash(cargo test*)`). Default: the
    /// exact command, or the tool if the call has no command.
    #[arg(long, value_name = "RULE", num_args = 0..=1, conflicts_with_all = ["plan", "edit", "always"])]
    pub(crate) for_run: Option<Option<String>>,
    /// Like --for-run, but also for later runs: adds RULE to the profile
    #[arg(long, value_name = "RULE", num_args = 0..=1, conflicts_with_all = ["plan", "edit"])]
    pub(crate) always: Option<Option<String>>,
    #[command(flatten)]
    pub(crate) watch: WatchArgs,
}

#[derive(Args)]
pub(crate) struct RejectArgs {
    /// Run id (`r12`), issue or branch [default: the only run waiting for approval]
    pub(crate) run: Option<String>,
    /// What to change, or why you reject it; required for a plan
    #[arg(long, value_name = "TEXT")]
    pub(crate) feedback: Option<String>,
    #[command(flatten)]
    pub(crate) watch: WatchArgs,
}

#[derive(Args)]
#[command(after_help = "\
Without --base-url, Amelia takes the address of a provider from OPENAI_BASE_URL
or ANTHROPIC_BASE_URL, if set. claude then calls that address through the proxy.

Examples:
  amelia init                    Find agents and tests, and ask which to use
  amelia init --agent claude     Use the program claude
  amelia init --provider anthropic --model claude-sonnet-5-5
  amelia init --base-url http://127.0.0.1:11434/v1 --model qwen3")]
pub(crate) struct InitArgs {
    /// Profile name [default: `default`, or the repository's name if another repository uses `default`]
    #[arg(long)]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Agent to use, if several are found: a provider or program, such as claude
    #[arg(long, value_name = "NAME", conflicts_with = "provider")]
    pub(crate) agent: Option<String>,
    /// Command that checks the work, such as `make test`; can be repeated [default: detected from files in the
    /// repository]
    #[arg(long = "check", value_name = "COMMAND")]
    pub(crate) checks: Vec<String>,
    /// Do not ask; use the first agent found
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Replace an existing profile with this name
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Subcommand)]
pub(crate) enum PromptCommand {
    /// List prompts and mark the changed ones
    List,
    /// Print a prompt
    Show {
        /// Prompt name, from `amelia prompt list`
        name: String,
    },
    /// Replace a prompt; existing runs keep the old one
    Set {
        /// Prompt name, from `amelia prompt list`
        name: String,
        /// File with the new text; `-` reads standard input
        #[arg(long, short)]
        file: PathBuf,
    },
    /// Edit a prompt in $EDITOR
    Edit {
        /// Prompt name, from `amelia prompt list`
        name: String,
    },
    /// List the versions of a prompt
    History {
        /// Prompt name, from `amelia prompt list`
        name: String,
    },
    /// Restore the built-in prompt
    Reset {
        /// Prompt name, from `amelia prompt list`
        name: String,
    },
}
