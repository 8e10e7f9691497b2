//! Commands that show and prove: the scripted model, the demo, the self-test.

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
Example:
  amelia model serve script.yaml --port 8080
  amelia do --base-url http://127.0.0.1:8080/v1 --model scripted \"say hello\"

The file is described in docs/scripted-model.md.")]
pub(crate) struct ModelServeArgs {
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
  amelia demo --open          you watch and approve it in the browser
  amelia demo --auto          it approves by itself
  amelia demo --replay        instead: a recorded run of it, played by the code of today
  amelia demo --crash         instead: a run is killed with SIGKILL in the middle, and goes on")]
pub(crate) struct DemoArgs {
    /// Open the dashboard, wait for the approval there, and stay until Ctrl-C
    #[arg(long, conflicts_with_all = ["auto", "crash", "replay"])]
    pub(crate) open: bool,
    /// Approve the plan without asking
    #[arg(long)]
    pub(crate) auto: bool,
    /// Where the sample and its home are made [default: a new temporary directory]
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Instead: watch a synthetic run being killed with SIGKILL in the middle, and going on
    #[arg(long)]
    pub(crate) crash: bool,
    /// Instead: play a recorded run of it, without a model, a network or git
    #[arg(long, conflicts_with_all = ["crash", "auto", "dir"])]
    pub(crate) replay: bool,
    /// With --replay or --open: without a pause between what happens
    #[arg(long)]
    pub(crate) fast: bool,
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
  amelia selftest --chaos --seed 7 --json       the same random delays again, as a document
  amelia selftest --crowd                       500 runs, 20 at a time, and the server is killed
  amelia selftest --abandon                     1,000 requests whose clients disconnect")]
#[command(group = clap::ArgGroup::new("proof").required(true))]
pub(crate) struct SelftestArgs {
    /// Kill a worker again and again, at chosen and at random moments, and check what is left
    #[arg(long, group = "proof")]
    pub(crate) chaos: bool,
    /// Start many runs in one repository, kill the server in the middle, and check every run and every tool answer
    #[arg(long, group = "proof")]
    pub(crate) crowd: bool,
    /// Send requests of every kind and disconnect at random moments, and check that list, log and reality agree
    #[arg(long, group = "proof")]
    pub(crate) abandon: bool,
    /// With --crowd: how many runs
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    pub(crate) runs: u32,
    /// With --abandon: how many requests
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) requests: u32,
    /// How many kills at random moments, beside the enumerated ones
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub(crate) kills: u32,
    /// Where the series of random delays starts; printed, so that it can be had again
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Put a bug into the worker, to see that it is caught
    #[arg(long, hide = true)]
    pub(crate) inject: Option<Bug>,
}

#[derive(Args)]
pub(crate) struct WorkerArgs {
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
    #[arg(long)]
    pub(crate) inject: Option<Bug>,
}
