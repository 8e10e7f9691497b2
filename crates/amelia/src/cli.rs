//! The command line, as data. What the options mean is in `commands/`.

mod demo;
mod help;
mod inspect;
mod limits;
mod main_job;
mod models;
mod replay;
mod server;
mod steering;
mod upkeep;

use std::path::PathBuf;

use amelia_orchestrator::service::ModelChoice;
use clap::{Args, Parser, Subcommand};

pub(crate) use demo::{DemoArgs, ModelCommand, SelftestArgs, WorkerArgs};
pub(crate) use help::parse;
pub(crate) use inspect::{
    CheckpointsArgs, CompareArgs, DiffArgs, ForkArgs, LogsArgs, StatusArgs, UsageArgs, UsageBy, WhyArgs,
};
pub(crate) use limits::{FLAGS as LIMIT_FLAGS, LimitArgs};
pub(crate) use main_job::{
    AnswerArgs, ApproveArgs, InitArgs, PlanArgs, PlanCommand, PromptCommand, RejectArgs, ReviewArgs, RunArgs,
    StartArgs, WatchArgs,
};
pub(crate) use models::{DoctorArgs, ModelsCommand};
pub(crate) use replay::{RecordArgs, RecordCommand, ReplayArgs, TestArgs};
pub(crate) use server::{DashboardArgs, LogFormat, ServerArgs, ServerCommand, ServerSettings, TokenCommand};
pub(crate) use steering::{BreakpointArgs, ContinueArgs, StepArgs};
pub(crate) use upkeep::{CleanupArgs, WorktreeCommand};

/// Durable agents: every run can be killed at any moment and goes on
#[derive(Parser)]
#[command(name = "amelia", version, disable_help_subcommand = true, after_long_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

const EXAMPLES: &str = "\
Examples:
  amelia do \"make the failing test pass\"
  amelia start --title \"Add a --version flag\" --follow
  amelia demo                        the main job, without a key
  amelia selftest --chaos            kill a worker many times, prove that nothing is lost
  amelia config profile apply -f team.yaml
  amelia status                      what there is, and where it stands
  amelia inbox                       what waits for you
  amelia logs RUN                    what happened
  amelia checkpoints RUN             every moment a run can be taken back to
  amelia fork RUN --at 7             a new run from one of them";

#[derive(Args, Clone)]
pub(crate) struct Global {
    /// Where everything is kept [default: ~/.amelia]
    ///
    /// `amelia demo` makes a new temporary directory instead.
    #[arg(long, global = true, env = "AMELIA_HOME", value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,
    /// The server to talk to [default: that of this home]
    ///
    /// One is started in the background when work needs it and none is running.
    #[arg(long, global = true, env = "AMELIA_SERVER", value_name = "URL")]
    pub(crate) server: Option<String>,
    /// Do not start a server when none is running
    #[arg(long, global = true)]
    pub(crate) no_autostart: bool,
    /// One JSON document, or JSON lines, on standard output, and nothing else
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// No progress, only results
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// No colours (also: NO_COLOR)
    #[arg(long, global = true)]
    pub(crate) no_color: bool,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// One agent does one thing, here and now
    Do(Box<DoArgs>),
    /// Take an issue from plan to reviewed commits
    Start(Box<StartArgs>),
    /// Plan an issue, or show the plan of a run
    Plan(Box<PlanArgs>),
    /// Start runs that were queued
    Run(RunArgs),
    /// Every run and where it stands, or everything about one
    #[command(visible_alias = "runs")]
    Status(StatusArgs),
    /// Why a run is where it is, and what moves it on
    Why(WhyArgs),
    /// Everything that waits for a person
    Inbox,
    /// Approve the plan that waits; the run goes on
    Approve(ApproveArgs),
    /// Send the plan back with feedback; the run goes on
    Reject(RejectArgs),
    /// Answer anything else that a run asks
    Answer(AnswerArgs),
    /// Say something to a run at work: the agent hears it at its next turn
    Say(SayArgs),
    /// Stop a run until it is resumed
    Pause(PauseArgs),
    /// Let a run go on that was interrupted, waits, or failed
    Resume(ResumeArgs),
    /// Let a run go on for one node, or stop one at work before its next
    Step(StepArgs),
    /// Let a run go on from a stop, or a step, as far as it can
    Continue(ContinueArgs),
    /// Nodes before which a run stops and asks: show, set, clear
    #[command(visible_alias = "breakpoints")]
    Breakpoint(BreakpointArgs),
    /// End a run, whatever it is at; what it has done is kept
    Cancel(CancelArgs),
    /// Show what happened in a run, or follow what happens
    Logs(LogsArgs),
    /// Show what a run has changed
    Diff(DiffArgs),
    /// Review local changes or a pull request; with --fix, mend what is found
    Review(ReviewArgs),
    /// List the checkpoints of a run, or show the state at one
    Checkpoints(CheckpointsArgs),
    /// Start a new run from a checkpoint of another
    Fork(ForkArgs),
    /// Two runs side by side
    Compare(CompareArgs),
    /// Play a run again from its recording: no model, no network, no token
    Replay(ReplayArgs),
    /// Recordings of runs, as files
    Record(RecordArgs),
    /// Play recordings, and say where they come out otherwise than before
    Test(TestArgs),
    /// Tokens and cost by run, agent, model or day
    Usage(UsageArgs),
    /// Where agents have worked: list, remove
    #[command(subcommand)]
    Worktree(WorktreeCommand),
    /// Give back what ended runs have left: old debug events, clean worktrees
    Cleanup(CleanupArgs),
    /// What is missing on this machine, and what to do about it
    Doctor(DoctorArgs),
    /// Find keys and checks, and write a first profile
    Init(InitArgs),
    /// Profiles (which agents, models, checks and limits) and the server's settings
    #[command(subcommand)]
    Config(ConfigCommand),
    /// The words that the crew is told: show, change, go back
    #[command(subcommand)]
    Prompt(PromptCommand),
    /// Serve runs over HTTP and WebSocket, in the foreground (docs/http.md)
    #[command(visible_alias = "serve")]
    Server(ServerArgs),
    /// Open the dashboard in the browser; a server is started when none is running
    Dashboard(DashboardArgs),
    /// What signs people and programs in: show, rotate
    #[command(subcommand)]
    Token(TokenCommand),
    /// What is known of models: window, reasoning, price
    #[command(subcommand)]
    Models(ModelsCommand),
    /// A scripted model: plays a file, for tests and demonstrations
    #[command(subcommand)]
    Model(ModelCommand),
    /// The main job on a small repository, with a scripted crew: no key, no network
    Demo(DemoArgs),
    /// Prove on this machine that nothing is lost
    Selftest(SelftestArgs),
    /// Completions for a shell: bash, zsh, fish, elvish, powershell
    Completions { shell: clap_complete::Shell },
    /// A worker of `demo` and `selftest`; they start it themselves
    #[command(hide = true)]
    Worker(WorkerArgs),
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  amelia do \"make the failing test pass\"
  amelia do --read-only \"where is the retry logic?\"
  amelia do --model deepseek-flash --budget 0.50 --max-time 20m \"add a --version flag\"
  amelia do --profile work \"add a --version flag\"
  amelia do --base-url http://127.0.0.1:8080/v1 --model local \"explain this repository\"")]
pub(crate) struct DoArgs {
    /// What is to be done
    #[arg(required_unless_present = "resume")]
    pub(crate) prompt: Option<String>,
    /// Go on with this run, like `amelia resume`
    #[arg(long, value_name = "RUN", conflicts_with = "prompt")]
    pub(crate) resume: Option<String>,
    /// The profile whose `developer` works and whose `oracle` helps
    /// [default: the active one, unless a model, provider or URL is given]
    #[arg(long)]
    pub(crate) profile: Option<String>,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Work in the current checkout instead of a worktree; it must be clean
    #[arg(long)]
    pub(crate) in_place: bool,
    /// Only tools that read
    #[arg(long)]
    pub(crate) read_only: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Stop and ask after this many turns of the model
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) max_turns: u32,
    /// The commit or branch to start from
    #[arg(long, value_name = "REF")]
    pub(crate) base: Option<String>,
}

/// Which model is asked.
#[derive(Args, Clone, Default)]
pub(crate) struct ModelArgs {
    /// The model's name, as its provider writes it
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// deepseek, openai, anthropic, openrouter, groq, ollama or openai-compatible
    /// [default: the first whose key is set]
    #[arg(long)]
    pub(crate) provider: Option<String>,
    /// Where the provider is, up to and with `/v1`
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// The variable that holds the key
    #[arg(long, value_name = "NAME")]
    pub(crate) api_key_env: Option<String>,
    /// chat, responses or messages [default: the provider's own]
    #[arg(long)]
    pub(crate) wire: Option<String>,
    /// How the model calls tools: native, text, or auto (text once it has refused native) [default: auto]
    #[arg(long, value_name = "HOW")]
    pub(crate) tools: Option<String>,
}

impl From<ModelArgs> for ModelChoice {
    fn from(args: ModelArgs) -> Self {
        let ModelArgs { model, provider, base_url, api_key_env, wire, tools } = args;
        Self { model, provider, base_url, api_key_env, wire, tools }
    }
}

/// A time like `90s`, `20m`, `2h`; a bare number is seconds.
/// A year: more than any run takes.
const LONGEST_SECONDS: u64 = 365 * 24 * 3600;

fn seconds(text: &str) -> Result<u64, String> {
    let (number, unit) = match text.find(|c: char| !c.is_ascii_digit()) {
        Some(end) => text.split_at(end),
        None => (text, "s"),
    };
    let factor = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        _ => 0,
    };
    let seconds = number.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    let is_sensible = |seconds: &u64| (1..=LONGEST_SECONDS).contains(seconds);
    seconds
        .filter(is_sensible)
        .ok_or_else(|| format!("expected a time like 90s, 20m or 2h, at most {}h", LONGEST_SECONDS / 3600))
}

fn money(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(usd) if usd.is_finite() && usd > 0.0 => Ok(usd),
        _ => Err("expected an amount in USD, like 0.50".to_owned()),
    }
}

#[derive(Subcommand)]
pub(crate) enum ConfigCommand {
    /// List, show, change, activate profiles
    #[command(subcommand)]
    Profile(ProfileCommand),
    /// How the server is configured, and why: show, set
    #[command(subcommand)]
    Server(ServerSettings),
}

#[derive(Subcommand)]
#[command(after_help = "\
Examples:
  amelia config profile apply -f settings.yaml     take over a whole document
  amelia config profile show work > work.yaml      look at one; edit it; apply it again
  amelia config profile activate work")]
pub(crate) enum ProfileCommand {
    /// Every profile; the active one is marked
    List,
    /// One profile, in YAML (the active one when none is named)
    Show { name: Option<String> },
    /// Take over a file: one profile, or a whole Settings document
    #[command(visible_alias = "create")]
    Apply {
        /// YAML or JSON; `-` is standard input
        #[arg(long, short)]
        file: PathBuf,
    },
    /// Change a profile in $EDITOR
    Edit { name: Option<String> },
    /// All profiles as one Settings document, in YAML
    Export,
    /// Use this profile when nobody says which
    Activate { name: String },
    /// Forget a profile
    Delete { name: String },
}

#[derive(Args)]
pub(crate) struct ResumeArgs {
    /// The run; the beginning of its id is enough when only one fits
    pub(crate) run: String,
    /// Say yes to everything it asks
    #[arg(long)]
    pub(crate) approve: bool,
    /// With `--approve`: what to say to the agent that asked
    #[arg(long, requires = "approve", value_name = "TEXT")]
    pub(crate) message: Option<String>,
    /// Take the work as it is, when it asks whether to go on
    #[arg(long, conflicts_with = "approve")]
    pub(crate) accept: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Take the limit in USD off, such as for a model without a price
    #[arg(long, conflicts_with = "budget")]
    pub(crate) no_budget: bool,
    #[command(flatten)]
    pub(crate) watch: WatchArgs,
}

#[derive(Args)]
pub(crate) struct SayArgs {
    /// The run; the beginning of its id is enough when only one fits
    pub(crate) run: String,
    /// What an agent of it should hear
    #[arg(value_name = "TEXT")]
    pub(crate) message: String,
}

#[derive(Args)]
pub(crate) struct PauseArgs {
    /// The run; the beginning of its id is enough when only one fits
    pub(crate) run: String,
}

#[derive(Args)]
pub(crate) struct CancelArgs {
    /// The run; the beginning of its id is enough when only one fits
    pub(crate) run: String,
}
