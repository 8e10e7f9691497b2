//! Commands that try and test Amelia: the scripted model, the demo, the self-test.

use std::path::PathBuf;

use amelia_host::synthetic::bug::Bug;
use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub(crate) enum ModelCommand {
    /// Serve a script as an OpenAI- and Anthropic-compatible model
    Serve(ModelServeArgs),
}

#[derive(Args)]
#[command(after_help = "\
See docs/scripted-model.md for the format of the script.

Examples:
  amelia model serve script.yaml --port 8080
  amelia do --base-url http://127.0.0.1:8080/v1 --model scripted \"say hello\"")]
pub(crate) struct ModelServeArgs {
    /// YAML file with the script
    pub(crate) script: PathBuf,
    /// Port to listen on; 0 picks a free port
    #[arg(long, default_value_t = 0)]
    pub(crate) port: u16,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  amelia demo                 Approve the plan in the terminal
  amelia demo --open          Approve the plan in the browser
  amelia demo --auto          Approve the plan without asking
  amelia demo --replay        Replay a recorded run
  amelia demo --crash         Kill a run with SIGKILL and resume it")]
#[command(group = clap::ArgGroup::new("paced").args(["open", "replay"]))]
pub(crate) struct DemoArgs {
    /// Open the dashboard and approve the plan there; Ctrl-C ends the demo
    #[arg(long, conflicts_with_all = ["auto", "crash", "replay"])]
    pub(crate) open: bool,
    /// Approve the plan without asking
    #[arg(long)]
    pub(crate) auto: bool,
    /// Directory for the demo's home and repository [default: a temporary one]
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Instead of the demo, kill a synthetic run and resume it
    #[arg(long, conflicts_with_all = ["auto", "dir"])]
    pub(crate) crash: bool,
    /// Replay a recorded run instead, without a model, network or git
    #[arg(long, conflicts_with_all = ["crash", "auto", "dir"])]
    pub(crate) replay: bool,
    /// With --replay or --open: do not pause between events
    #[arg(long, requires = "paced")]
    pub(crate) fast: bool,
    /// With --crash: duration of each step in milliseconds
    #[arg(long, value_name = "MS", requires = "crash", default_value_t = 120, value_parser = clap::value_parser!(u64).range(0..=10_000))]
    pub(crate) pace: u64,
    /// With --crash: number of kills, at most 2
    #[arg(long, value_name = "N", requires = "crash", default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=2))]
    pub(crate) kills: u32,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  amelia selftest --chaos                   290 kills, 200 of them at random
  amelia selftest --chaos --kills 1000      1,090 kills, 1,000 of them at random
  amelia selftest --chaos --seed 7 --json   Repeat with the same random delays
  amelia selftest --crowd                   500 runs, 20 at a time
  amelia selftest --abandon                 1,000 requests cut off at random")]
#[command(group = clap::ArgGroup::new("proof").required(true))]
pub(crate) struct SelftestArgs {
    /// Kill a worker at fixed and random points, and check its runs
    #[arg(long, group = "proof")]
    pub(crate) chaos: bool,
    /// Start many runs, kill the server, and check every run
    ///
    /// All runs work in one repository. Also checks the result of every tool call.
    #[arg(long, group = "proof")]
    pub(crate) crowd: bool,
    /// Send requests, disconnect at random moments, and check the runs
    ///
    /// Checks that the list of runs and their logs match the work that was done.
    #[arg(long, group = "proof")]
    pub(crate) abandon: bool,
    /// With --crowd: number of runs
    #[arg(long, value_name = "N", conflicts_with_all = ["chaos", "abandon"], default_value_t = 500, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    pub(crate) runs: u32,
    /// With --abandon: number of requests
    #[arg(long, value_name = "N", conflicts_with_all = ["chaos", "crowd"], default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) requests: u32,
    /// With --chaos: number of kills at random moments
    #[arg(long, value_name = "N", conflicts_with_all = ["crowd", "abandon"], default_value_t = 200, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub(crate) kills: u32,
    /// Seed for the random delays; shown in the report
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Put a bug into the worker, to check that the test finds it
    #[arg(long, hide = true)]
    pub(crate) inject: Option<Bug>,
}

#[derive(Args)]
pub(crate) struct WorkerArgs {
    /// Number of the first run
    #[arg(long)]
    pub(crate) first: u32,
    /// Number of runs
    #[arg(long)]
    pub(crate) count: u32,
    /// How often the worker was started before
    #[arg(long, default_value_t = 0)]
    pub(crate) life: u32,
    /// Duration of each step in milliseconds
    #[arg(long, default_value_t = 0)]
    pub(crate) pace: u64,
    /// Die by SIGKILL at the n-th crash point
    #[arg(long)]
    pub(crate) die_at: Option<u64>,
    #[arg(long)]
    pub(crate) inject: Option<Bug>,
}
