//! `amelia-bench`: our engine and its peers, same machine, same run, same durability class.
//!
//! `compare` alternates programs and judges; `ours` is our side of one comparison, one process per run.
//! Not part of the product: nothing here is linked into `amelia`.

mod compare;
mod judge;
mod load;
mod long_log;
mod noise;
mod ours;
mod peers;
mod plan;
mod program;
mod report;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(about = "Benchmarks of amelia against its peers")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the comparisons, print a table and one BENCH line each; exits 0 for any figures
    Compare(Compare),
    /// Run one case of ours and print its figures as one JSON line
    Ours(ours::CaseArgs),
    /// Write a run with a very long log into a home, to look at in a browser
    LongLog(long_log::LongLog),
    /// Serve an MCP tool that returns its argument; for `mcp_echo` and the script of its peer
    #[command(hide = true)]
    McpEcho(ours::mcp_echo::McpEcho),
    /// Serve a model that streams slowly; for `workflow_crowd`
    #[command(hide = true)]
    StreamingModel(load::model::StreamingModel),
    /// Listen on many WebSockets at once; for the scripts of peers
    #[command(hide = true)]
    Receive(load::receive::Receive),
}

#[derive(clap::Args)]
struct Compare {
    /// Only comparisons whose name begins so
    #[arg(long, default_value = "")]
    only: String,
    /// How often each program runs; the best run counts
    #[arg(long, default_value_t = 3)]
    reps: u32,
    /// Where the JSON lines go
    #[arg(long, default_value_os_t = default_results())]
    out: PathBuf,
    /// Where `setup.sh` installed the peers
    #[arg(long, default_value_os_t = peers::default_installed())]
    peers: PathBuf,
    /// Seconds to wait, at most, for a quiet machine before each program
    #[arg(long, default_value_t = 5.0)]
    wait: f64,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // One line: the runner quotes the last line of a case that failed.
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    match Cli::parse().command {
        Command::Compare(Compare { only, reps, out, peers, wait }) => {
            let places = compare::Places { results: out, peers };
            compare::run(&compare::Choice { only, reps: reps.max(1), wait_seconds: wait }, &places)
        }
        Command::Ours(args) => ours::run(&args),
        Command::LongLog(args) => long_log::run(&args),
        Command::McpEcho(args) => ours::mcp_echo::serve(&args),
        Command::StreamingModel(args) => load::model::run(args),
        Command::Receive(args) => load::receive::run(&args),
    }
}

/// Beside cargo's other output, so that it is ignored by git and goes with `cargo clean`.
fn default_results() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = target.unwrap_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../target")));
    target.join("bench").join("results.jsonl")
}
