//! The command line, as data. What the options mean is in `commands/`.

mod crew;
mod server;

use std::path::PathBuf;

use amelia_orchestrator::desk::ModelChoice;
use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use crew::{
    Answer, Approve, Init, Plan, PlanCommand, PromptCommand, Reject, Review, Run, Start, Watch,
};
pub(crate) use server::{Server, ServerCommand, ServerSettings};

/// Durable agents: every run can be killed at any moment and goes on
#[derive(Parser)]
#[command(name = "amelia", version, disable_help_subcommand = true, after_help = EXAMPLES)]
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
    /// Where everything is kept [default: ~/.amelia; for `demo`, a new temporary directory]
    #[arg(long, global = true, env = "AMELIA_HOME", value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,
    /// The server to talk to [default: the one of this home; one is started when it is needed]
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
    Do(Box<Do>),
    /// Take an issue from plan to reviewed commits
    Start(Box<Start>),
    /// Plan an issue, or show the plan of a run
    Plan(Box<Plan>),
    /// Start runs that were queued
    Run(Run),
    /// Every run and where it stands, or everything about one
    #[command(visible_alias = "runs")]
    Status(Status),
    /// Why a run is where it is, and what moves it on
    Why(Why),
    /// Everything that waits for a person
    Inbox,
    /// Approve the plan that waits; the run goes on
    Approve(Approve),
    /// Send the plan back with feedback; the run goes on
    Reject(Reject),
    /// Answer anything else that a run asks
    Answer(Answer),
    /// Stop a run until it is resumed
    Pause(Pause),
    /// Let a run go on that was interrupted, waits, or failed
    Resume(Resume),
    /// End a run, whatever it is at; what it has done is kept
    Cancel(Cancel),
    /// Show what happened in a run, or follow what happens
    Logs(Logs),
    /// Show what a run has changed
    Diff(Diff),
    /// Review local changes; with --fix, mend what is found
    Review(Review),
    /// List the checkpoints of a run, or show the state at one
    Checkpoints(Checkpoints),
    /// Start a new run from a checkpoint of another
    Fork(Fork),
    /// Where agents have worked: list, remove
    #[command(subcommand)]
    Worktree(WorktreeCommand),
    /// Find keys and checks, and write a first profile
    Init(Init),
    /// Profiles (which agents, models, checks and limits) and the server's settings
    #[command(subcommand)]
    Config(Config),
    /// The words that the crew is told: show, change, go back
    #[command(subcommand)]
    Prompt(PromptCommand),
    /// Serve runs over HTTP and WebSocket, in the foreground (docs/http.md)
    #[command(visible_alias = "serve")]
    Server(Server),
    /// A scripted model: plays a file, for tests and demonstrations
    #[command(subcommand)]
    Model(Model),
    /// The main job on a small repository, with a scripted crew: no key, no network
    Demo(Demo),
    /// Prove on this machine that nothing is lost
    Selftest(Selftest),
    /// Completions for a shell: bash, zsh, fish, elvish, powershell
    Completions { shell: clap_complete::Shell },
    /// A worker of `demo` and `selftest`; they start it themselves
    #[command(hide = true)]
    Worker(Worker),
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  amelia do \"make the failing test pass\"
  amelia do --read-only \"where is the retry logic?\"
  amelia do --model deepseek-chat --budget 0.50 --max-time 20m \"add a --version flag\"
  amelia do --profile work \"add a --version flag\"
  amelia do --base-url http://127.0.0.1:8080/v1 --model local \"explain this repository\"")]
pub(crate) struct Do {
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
    /// Stop and ask before more than this is spent, in USD
    #[arg(long, value_name = "USD", value_parser = money, allow_negative_numbers = true)]
    pub(crate) budget: Option<f64>,
    /// Stop and ask before more than this many tokens are used
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_tokens: Option<u64>,
    /// Stop and ask after this much work: 90s, 20m, 2h
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub(crate) max_time: Option<u64>,
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
    seconds.filter(|seconds| *seconds > 0).ok_or_else(|| "expected a time like 90s, 20m or 2h".to_owned())
}

fn money(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(usd) if usd.is_finite() && usd > 0.0 => Ok(usd),
        _ => Err("expected an amount in USD, like 0.50".to_owned()),
    }
}

#[derive(Args)]
pub(crate) struct Diff {
    /// The run; the beginning of its id is enough when only one fits
    pub(crate) run: String,
    /// Only which files, and how much
    #[arg(long)]
    pub(crate) stat: bool,
}

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

#[derive(Subcommand)]
pub(crate) enum Config {
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

#[derive(Subcommand)]
pub(crate) enum Model {
    /// Serve a script as an OpenAI- and Anthropic-compatible model
    Serve(Serve),
}

#[derive(Args)]
#[command(after_help = "\
Example:
  amelia model serve script.yaml --port 8080
  amelia do --base-url http://127.0.0.1:8080/v1 --model scripted \"say hello\"

The file is described in docs/scripted-model.md.")]
pub(crate) struct Serve {
    /// The script, in YAML
    pub(crate) script: PathBuf,
    /// 0 takes any free port
    #[arg(long, default_value_t = 0)]
    pub(crate) port: u16,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  amelia demo                 you approve the plan
  amelia demo --auto          it approves by itself
  amelia demo --crash         instead: a run is killed with SIGKILL in the middle, and goes on")]
pub(crate) struct Demo {
    /// Approve the plan without asking
    #[arg(long)]
    pub(crate) auto: bool,
    /// Where the sample and its home are made [default: a new temporary directory]
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Instead: watch a synthetic run being killed with SIGKILL in the middle, and going on
    #[arg(long)]
    pub(crate) crash: bool,
    /// With --crash: how long each piece of work takes, in milliseconds
    #[arg(long, requires = "crash", default_value_t = 120, value_parser = clap::value_parser!(u64).range(0..=10_000))]
    pub(crate) pace: u64,
    /// With --crash: how often the worker is killed
    #[arg(long, requires = "crash", default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=2))]
    pub(crate) kills: u32,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  amelia selftest --chaos                       200 kills, about a quarter of a minute
  amelia selftest --chaos --kills 1000          the long one
  amelia selftest --chaos --seed 7 --json       the same random delays again, as a document")]
pub(crate) struct Selftest {
    /// Kill a worker again and again, at chosen and at random moments, and check what is left
    #[arg(long, required = true)]
    pub(crate) chaos: bool,
    /// How many kills at random moments, beside the enumerated ones
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub(crate) kills: u32,
    /// Where the series of random delays starts; printed, so that it can be had again
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Put a bug into the worker, to see that it is caught
    #[arg(long, hide = true, value_enum)]
    pub(crate) inject: Option<Bug>,
}

/// Bugs that the self-test must catch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Bug {
    /// Events are shown before they are durable
    PublishBeforeCommit,
    /// The outside world is changed without writing it down first
    EffectWithoutIntent,
    /// An interrupted tool call that writes is simply run again
    RepeatWrites,
}

#[derive(Args)]
pub(crate) struct Status {
    /// Everything about this run; the beginning of its id is enough when only one fits
    pub(crate) run: Option<String>,
    /// Only runs that have not ended
    #[arg(long)]
    pub(crate) unfinished: bool,
    /// As many as there are, up to 500
    #[arg(long)]
    pub(crate) all: bool,
    /// At most this many
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=500))]
    pub(crate) limit: u32,
    /// Look again and again, until Ctrl-C
    #[arg(long)]
    pub(crate) watch: bool,
}

#[derive(Args)]
pub(crate) struct Why {
    /// The run; the beginning of its id is enough when only one fits
    pub(crate) run: String,
}

#[derive(Args)]
pub(crate) struct Logs {
    /// The run; the beginning of its id is enough when only one fits
    pub(crate) run: String,
    /// Only events after this sequence number
    #[arg(long, default_value_t = 0)]
    pub(crate) since: u64,
    /// Only events whose name starts with this: `node`, `human.requested`
    #[arg(long = "type", value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// At least this important: debug, info, warning, error
    #[arg(long, value_parser = ["debug", "info", "warning", "error"])]
    pub(crate) level: Option<String>,
    /// Only what this agent did
    #[arg(long)]
    pub(crate) agent: Option<String>,
    /// Go on with what happens, until the run comes to rest
    #[arg(long, short)]
    pub(crate) follow: bool,
}

#[derive(Args)]
pub(crate) struct Checkpoints {
    /// The run; the beginning of its id is enough when only one fits
    pub(crate) run: String,
    /// Show the state at this checkpoint
    #[arg(long, value_name = "N")]
    pub(crate) at: Option<u32>,
}

#[derive(Args)]
#[command(after_help = "\
Example:
  amelia fork 0197 --at 7 --set 'notes.plan=[\"another plan\"]'")]
pub(crate) struct Fork {
    /// The run; the beginning of its id is enough when only one fits
    pub(crate) run: String,
    /// The checkpoint to start from
    #[arg(long, value_name = "N")]
    pub(crate) at: u32,
    /// Change a field of the state: a dotted path and a JSON value
    #[arg(long, value_name = "PATH=VALUE")]
    pub(crate) set: Vec<String>,
}

#[derive(Args)]
pub(crate) struct Resume {
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
    /// A new limit in tokens, for everything the run uses in all
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_tokens: Option<u64>,
    /// A new limit of time at work, in all: 90s, 20m, 2h
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub(crate) max_time: Option<u64>,
    /// A new budget in USD, for everything the run spends in all
    #[arg(long, value_name = "USD", value_parser = money, allow_negative_numbers = true)]
    pub(crate) budget: Option<f64>,
    #[command(flatten)]
    pub(crate) watch: Watch,
}

#[derive(Args)]
pub(crate) struct Pause {
    /// The run; the beginning of its id is enough when only one fits
    pub(crate) run: String,
}

#[derive(Args)]
pub(crate) struct Cancel {
    /// The run; the beginning of its id is enough when only one fits
    pub(crate) run: String,
}

#[derive(Args)]
pub(crate) struct Worker {
    /// Number of the first run to have
    #[arg(long)]
    pub(crate) first: u32,
    /// How many runs to have from there
    #[arg(long)]
    pub(crate) count: u32,
    /// Which life of the worker this is
    #[arg(long, default_value_t = 0)]
    pub(crate) life: u32,
    /// How long each piece of work takes, in milliseconds
    #[arg(long, default_value_t = 0)]
    pub(crate) pace: u64,
    /// Die by SIGKILL at the n-th moment that matters
    #[arg(long)]
    pub(crate) die_at: Option<u64>,
    #[arg(long, value_enum)]
    pub(crate) inject: Option<Bug>,
}
