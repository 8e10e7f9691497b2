//! The command line, as data. What the options mean is in `commands/`.

mod artifacts;
mod definitions;
mod delivery;
mod demo;
mod guardrail;
mod help;
mod inspect;
mod limits;
mod main_job;
mod mcp;
mod memory;
mod models;
mod permission;
mod replay;
mod server;
mod steering;
mod tasks;
mod team;
mod trace;
mod trust;
mod upkeep;

use std::path::PathBuf;

use amelia_orchestrator::service::ModelChoice;
use clap::{Args, Parser, Subcommand};

pub(crate) use artifacts::{
    ArtifactArgs, ArtifactCommand, ArtifactDiffArgs, ArtifactGetArgs, ArtifactListArgs, ArtifactRestoreArgs,
};
pub(crate) use definitions::{
    AgentCommand, DefinitionArgs, RunDefinitionArgs, SchemaArgs, SchemaName, ValidateArgs, WorkflowCommand,
};
pub(crate) use delivery::{MergeArgs, PrCommand, PrGroup, PrOpenArgs, PrShowArgs};
pub(crate) use demo::{DemoArgs, ModelCommand, SelftestArgs, WorkerArgs};
pub(crate) use guardrail::{GuardrailCommand, GuardrailTestArgs};
pub(crate) use help::{Help, command, parse};
pub(crate) use inspect::{
    CheckpointsArgs, CompareArgs, DiffArgs, ForkArgs, LogsArgs, StatusArgs, UsageArgs, UsageBy, WhyArgs,
};
pub(crate) use limits::{FLAGS as LIMIT_FLAGS, KeepArgs, LimitArgs};
pub(crate) use main_job::{
    AnswerArgs, ApproveArgs, InitArgs, PlanArgs, PlanCommand, PromptCommand, RejectArgs, ReviewArgs, RunArgs,
    StartArgs, WatchArgs,
};
pub(crate) use mcp::{McpCallArgs, McpCommand, McpLoginArgs, McpPromptArgs};
pub(crate) use memory::{
    MemoryCommand, MemoryConsolidateArgs, MemoryForgetArgs, MemoryListArgs, MemorySearchArgs, MemorySetArgs,
    ScopeArg,
};
pub(crate) use models::{DoctorArgs, ModelsCommand};
pub(crate) use permission::{PermissionCommand, RemovedRuleArgs};
pub(crate) use replay::{RecordArgs, RecordCommand, ReplayArgs, TestArgs};
pub(crate) use server::{DashboardArgs, LogFormat, ServerArgs, ServerCommand, ServerSettings, TokenCommand};
pub(crate) use steering::{
    BreakpointArgs, CancelArgs, ContinueArgs, PauseArgs, SayArgs, StateArgs, StepArgs,
};
pub(crate) use tasks::{TaskCommand, TaskExportArgs};
pub(crate) use team::{ChangeTeamArgs, NewTeamArgs, NextAgentArgs, TeamCommand, TeamTemplate};
pub(crate) use trace::{TraceArgs, TraceCommand, TraceGroup};
pub(crate) use trust::TrustArgs;
pub(crate) use upkeep::{ArchiveArgs, BackupArgs, CleanupArgs, RestoreArgs, WorktreeCommand};

/// Run coding agents that plan, change and review code, and survive crashes
#[derive(Parser)]
#[command(name = "amelia", version, disable_help_subcommand = true, after_long_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Options of every command, below its own.
const GLOBAL_OPTIONS: &str = "Global options";

const EXAMPLES: &str = "\
Examples:
  amelia demo                        Try Amelia without an API key
  amelia init                        Create a profile for this repository
  amelia start --title \"Add a --version flag\" --follow
  amelia do \"make the failing test pass\"
  amelia status                      List runs and their status
  amelia approve                     Approve the plan that is waiting for you
  amelia logs RUN --follow           Follow the events of a run
  amelia diff RUN                    Show what a run changed
  amelia fork RUN --at 7             Create a new run from checkpoint 7
  amelia help --all                  List all commands

Exit codes:
  0  success                         4  not found
  1  the run or the command failed   5  conflict, such as a run that has ended
  2  usage error                     6  the run is waiting for you
  3  the server cannot be reached    7  a review has findings
                                     130  interrupted";

#[derive(Args, Clone)]
#[command(next_help_heading = GLOBAL_OPTIONS)]
pub(crate) struct Global {
    /// Home directory for runs, profiles and keys [default: ~/.amelia]
    ///
    /// `amelia demo` uses --dir instead, except with --crash.
    #[arg(long, global = true, env = "AMELIA_HOME", value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,
    /// Server to connect to [default: the local server for --home]
    ///
    /// Set AMELIA_TOKEN to the token of that server. Without this option, commands that need a server start one in the
    /// background if none is running.
    #[arg(long, global = true, env = "AMELIA_SERVER", value_name = "URL")]
    pub(crate) server: Option<String>,
    /// Do not start a server if none is running
    #[arg(long, global = true)]
    pub(crate) no_autostart: bool,
    /// Print only JSON to standard output
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print only results, without progress
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Disable colors; same as setting NO_COLOR
    #[arg(long, global = true)]
    pub(crate) no_color: bool,
}

const ACP: &str = "\
An editor starts this command and communicates with it over standard input and
output. A prompt starts a run in the editor's project; the editor asks you to
approve its plan and its tool calls. The mode `do` runs one agent without a
plan.

Example, for Zed's settings.json:
  \"agent_servers\": {
    \"Amelia\": { \"type\": \"custom\", \"command\": \"amelia\", \"args\": [\"acp\"] }
  }";

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run one agent on one task
    ///
    /// The run executes in the server if one is running, or else in this process. Ctrl-C pauses it, and `amelia resume`
    /// continues it.
    Do(Box<DoArgs>),
    /// Plan, implement and review an issue
    Start(Box<StartArgs>),
    /// Plan an issue, or show the plan of a run
    Plan(Box<PlanArgs>),
    /// Start queued runs
    Run(RunArgs),
    /// List runs, or show one run
    #[command(visible_alias = "runs")]
    Status(StatusArgs),
    /// Explain a run's status and what it needs next
    Why(WhyArgs),
    /// List everything that is waiting for you
    Inbox,
    /// Approve a plan or a tool call and continue the run
    Approve(ApproveArgs),
    /// Reject a plan or a tool call and continue the run
    Reject(RejectArgs),
    /// Answer a question from a run
    Answer(AnswerArgs),
    /// List, check or run workflows from files
    #[command(subcommand)]
    Workflow(WorkflowCommand),
    /// List, check or run agents from files
    #[command(subcommand)]
    Agent(AgentCommand),
    /// Create, list, check or run teams of agents
    #[command(subcommand)]
    Team(TeamCommand),
    /// List, check or test guardrail policies
    #[command(subcommand)]
    Guardrail(GuardrailCommand),
    /// List MCP servers, call their tools, or serve runs over MCP
    #[command(subcommand)]
    Mcp(McpCommand),
    /// Show the MCP servers of a repository, and trust them
    Trust(TrustArgs),
    /// Let an editor start and follow runs (Agent Client Protocol)
    #[command(after_help = ACP)]
    Acp,
    /// Print the JSON Schema of a file format
    Schema(SchemaArgs),
    /// List, add or remove rules that allow tool calls without approval
    #[command(subcommand)]
    Permission(PermissionCommand),
    /// Send a message to a run's agent
    Say(SayArgs),
    /// Pause a run until you resume it, and stop its current command
    Pause(PauseArgs),
    /// Resume a paused, interrupted, waiting or failed run
    Resume(ResumeArgs),
    /// Run one node, or stop an active run before its next node
    Step(StepArgs),
    /// Continue a run that stopped at a breakpoint or after a step
    Continue(ContinueArgs),
    /// Show, set or clear breakpoints
    #[command(visible_alias = "breakpoints")]
    Breakpoint(BreakpointArgs),
    /// Show the state of a run, or change it while the run waits
    State(StateArgs),
    /// Cancel a run and keep its work
    Cancel(CancelArgs),
    /// Hide finished runs from lists, or show them again
    Archive(ArchiveArgs),
    /// Show or follow the events of a run
    Logs(LogsArgs),
    /// Show the steps and tool calls of a run, its errors or a summary
    Trace(TraceGroup),
    /// Export a run as JSON files
    #[command(subcommand)]
    Task(TaskCommand),
    /// List, print and restore the files that a run has kept as results
    #[command(subcommand)]
    Artifact(ArtifactCommand),
    /// List, search, store, summarise and remove what agents remember
    #[command(subcommand)]
    Memory(MemoryCommand),
    /// Show the changes that a run made
    Diff(DiffArgs),
    /// Merge the changes of a run into your branch
    Merge(MergeArgs),
    /// Open or show the pull request of a run
    Pr(PrGroup),
    /// Review local changes or a pull request
    Review(ReviewArgs),
    /// List the checkpoints of a run, or show one
    Checkpoints(CheckpointsArgs),
    /// Create a new run from a checkpoint
    Fork(ForkArgs),
    /// Compare two runs
    Compare(CompareArgs),
    /// Replay a run from its recording, without calling a model
    Replay(ReplayArgs),
    /// Export recordings of runs
    Record(RecordArgs),
    /// Replay recordings and report differences
    Test(TestArgs),
    /// Show tokens and cost by run, agent, model or day
    Usage(UsageArgs),
    /// List, remove or restore run worktrees
    #[command(subcommand)]
    Worktree(WorktreeCommand),
    /// Remove old runs, debug events, recordings and unused worktrees
    Cleanup(CleanupArgs),
    /// Save all runs and settings to one file
    Backup(BackupArgs),
    /// Restore a backup into a new home directory
    Restore(RestoreArgs),
    /// Check this machine for missing tools and keys
    Doctor(DoctorArgs),
    /// Detect agents and tests, then create and activate a profile
    Init(InitArgs),
    /// Manage profiles and server settings
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Show, change or reset agent prompts
    #[command(subcommand)]
    Prompt(PromptCommand),
    /// Start the server in the foreground
    #[command(visible_alias = "serve")]
    Server(ServerArgs),
    /// Open the dashboard in a browser
    Dashboard(DashboardArgs),
    /// Show or rotate the server token
    #[command(subcommand)]
    Token(TokenCommand),
    /// List or show known models, or import your own
    #[command(subcommand)]
    Models(ModelsCommand),
    /// Serve a scripted model for tests and demos
    #[command(subcommand)]
    Model(ModelCommand),
    /// Try Amelia on a sample repository, without an API key
    Demo(DemoArgs),
    /// Check that runs survive crashes and lost connections
    Selftest(SelftestArgs),
    /// Print a completion script for your shell
    Completions {
        /// Shell to print the script for
        shell: clap_complete::Shell,
    },
    /// Print help, or list all commands with --all
    Help(Help),
    /// Write a man page for every command, as `make install` does
    #[command(hide = true)]
    Man {
        /// Directory to write the pages to
        directory: PathBuf,
    },
    /// Internal: a worker that `demo` and `selftest` start
    #[command(hide = true)]
    Worker(WorkerArgs),
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  amelia do \"make the failing test pass\"
  amelia do --read-only \"where is the retry logic?\"
  amelia do --model deepseek-flash --budget 0.50 \"add a --version flag\"
  amelia do --profile work \"add a --version flag\"
  amelia do --base-url http://127.0.0.1:8080/v1 --model local \"find the bug\"")]
pub(crate) struct DoArgs {
    /// Task for the agent
    #[arg(required_unless_present = "resume")]
    pub(crate) prompt: Option<String>,
    /// Resume this run, like `amelia resume`
    #[arg(long, value_name = "RUN", conflicts_with = "prompt")]
    pub(crate) resume: Option<String>,
    /// Profile to take the `developer` and `oracle` agents from
    ///
    /// Default: the repository's profile. With --model, --provider or --base-url, the default is no profile.
    #[arg(long)]
    pub(crate) profile: Option<String>,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Work in the current checkout instead of a worktree; it must be clean
    #[arg(long)]
    pub(crate) in_place: bool,
    /// Allow only read-only tools
    #[arg(long)]
    pub(crate) read_only: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
    /// Stop and ask after this many turns
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) max_turns: u32,
    /// Commit or branch to start from
    #[arg(long, value_name = "REF")]
    pub(crate) base: Option<String>,
}

/// Which model is asked.
#[derive(Args, Clone, Default)]
pub(crate) struct ModelArgs {
    /// Model name, as the provider spells it
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Model provider [default: the first one whose key is set]
    ///
    /// One of anthropic, openai, deepseek, openrouter, groq, ollama, openai-compatible.
    #[arg(long)]
    pub(crate) provider: Option<String>,
    /// Base URL of the provider, including `/v1`
    ///
    /// Default: OPENAI_BASE_URL or ANTHROPIC_BASE_URL if set, or else the provider's own.
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// Environment variable that holds the API key
    #[arg(long, value_name = "NAME")]
    pub(crate) api_key_env: Option<String>,
    /// API: chat, responses or messages [default: the provider's]
    #[arg(long)]
    pub(crate) wire: Option<String>,
    /// How the model calls tools: native, text or auto [default: auto]
    ///
    /// `auto` switches to text when the model rejects native tool calls.
    #[arg(long, value_name = "HOW")]
    pub(crate) tools: Option<String>,
}

impl From<ModelArgs> for ModelChoice {
    fn from(args: ModelArgs) -> Self {
        let ModelArgs { model, provider, base_url, api_key_env, wire, tools } = args;
        Self { model, provider, base_url, api_key_env, wire, tools }
    }
}

/// A year: more than any run takes.
const LONGEST_SECONDS: u64 = 365 * 24 * 3600;

/// A time like `90s`, `20m`, `2h`; a bare number is seconds.
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
    /// List, show, change or activate profiles
    #[command(subcommand)]
    Profile(ProfileCommand),
    /// Show or change server settings
    #[command(subcommand)]
    Server(ServerSettings),
}

#[derive(Subcommand)]
#[command(after_help = "\
Examples:
  amelia config profile apply -f profiles.yaml     Import one or more profiles
  amelia config profile show work > work.yaml      Export one profile
  amelia config profile activate work")]
pub(crate) enum ProfileCommand {
    /// List profiles and mark the active one
    List,
    /// Print a profile as YAML
    Show {
        /// Profile name [default: the active one]
        name: Option<String>,
    },
    /// Import one or more profiles from a file
    #[command(visible_alias = "create")]
    Apply {
        /// YAML or JSON file; `-` reads standard input
        #[arg(long, short)]
        file: PathBuf,
    },
    /// Edit a profile in $EDITOR
    Edit {
        /// Profile name [default: the active one]
        name: Option<String>,
    },
    /// Print all profiles as one YAML document
    Export,
    /// Use this profile if several match a repository
    Activate {
        /// Profile name
        name: String,
    },
    /// Delete a profile
    Delete {
        /// Profile name
        name: String,
        /// Delete it without asking
        #[arg(long, short)]
        yes: bool,
    },
}

#[derive(Args)]
pub(crate) struct ResumeArgs {
    /// Run id (`r12`), issue or branch [default: the only run of this repository that can be resumed]
    pub(crate) run: Option<String>,
    /// Approve everything that the run asks for
    #[arg(long)]
    pub(crate) approve: bool,
    /// With --approve: message to the agent that asked
    #[arg(long, requires = "approve", value_name = "TEXT")]
    pub(crate) message: Option<String>,
    /// Accept the work as it is, if the run asks whether to continue
    ///
    /// After a conflict between parallel tasks: discard the attempt and rerun the task on its own.
    #[arg(long, conflicts_with = "approve")]
    pub(crate) accept: bool,
    /// Use the current checks of the profile
    ///
    /// By default, a run uses the checks that its profile had when the run was created. This option also answers yes to
    /// a question about failing checks.
    #[arg(long, conflicts_with = "accept")]
    pub(crate) checks_from_profile: bool,
    /// Use the current agents of the profile: drivers, models and options
    ///
    /// By default, a run uses the agents that its profile had when the run was created. With this option, the
    /// current agents of the profile do the rest of the work.
    #[arg(long, conflicts_with = "accept")]
    pub(crate) agents_from_profile: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Remove the cost limit, for example for a model without a price
    #[arg(long, conflicts_with = "budget")]
    pub(crate) no_budget: bool,
    /// Follow the run and approve the plan without asking
    ///
    /// A run that was started with `amelia start --auto` keeps this option.
    #[arg(long)]
    pub(crate) auto: bool,
    #[command(flatten)]
    pub(crate) watch: WatchArgs,
}
