//! Our side: one file per case under `ours/`, each a `run(&CaseArgs) -> Result<Value>` in this table.
//!
//! A case measures inside its own fresh process and returns the fields that `plan/table.rs` reads:
//!
//! | case | fields |
//! |---|---|
//! | `steps` | `steps_s` (one run, constant 1 KiB state, `--n` steps) |
//! | `concurrent` | `steps_s` (`--runs` at once, `--n` steps each) |
//! | `raw` | `steps_s` (SQLite alone writing what `steps` or `concurrent` has written) |
//! | `raw_interrupt` | `round_ms` (SQLite alone writing what a round of `interrupt` has written) |
//! | `grow` | `steps_s`, `db_bytes`, `late_over_early` (rate of the steps 1901..2000 over that of 51..150) |
//! | `interrupt` | `to_wait_ms`, `resume_ms` (p50 over `--rounds`, `--history-kib` in the state) |
//! | `durable_steps` | `steps_s` (one run of `--n` durable steps with 1 KiB results) |
//! | `cold_start` | `wall_ms` (from the start of a child to its end), `rss_kb` (of the child, before it ends) |
//! | `turns` | `turns_s` (best of `--rounds` conversations of `--n` turns), `growth` (`late_us` over `early_us`: turn 400, turn 10) |
//! | `first_token` | `p50_ms`, `p99_ms`, `bare_p50_ms`, `bare_p99_ms`, `added_p50_ms`, `added_p99_ms` |
//! | `command` | `help_ms`, `do_ms` (to the first request), `do_rss_mb` (by then at most) |
//! | `worktree` | `ours_ms`, `git_ms` (best of `--rounds`, a repository of `--n` files) |
//! | `large_commit` | `ours_ms`, `git_ms` (best of `--rounds`, one binary file of 60 MB), `times_git` |
//! | `server_start` | `start_ms` (to the first 200 on /health, best of `--rounds`, `--runs` past runs), `rss_mb` (idle), `requests_s` (of the list, 16 connections), `status_ms` and `status_rss_mb` (of `amelia status`) |
//! | `validate` | `validate_ms` (`amelia workflow validate` with `--n` files, best of `--rounds`) |
//! | `workflow_crowd` | `added_p99_ms` (end of a run after its model's last byte, beyond a bare client's), `bare_p99_ms`, `rss_mb`, `socket_p99_ms` (event to a socket that follows all), `--runs` at once, models at 20 words/s |
//! | `workflow_floor` | the same fields by a bare client of the same model with one durable commit of SQLite per turn |
//! | `workflow_loop` | `turns_s`, `growth` (a workflow of two agents, `--n` turns, best of `--rounds`) |
//! | `workflow_parallel` | `share` (of three agents at once and a fourth, beside one after the other) |
//! | `team_turns` | `turns_s`, `growth` (a team of four agents in turn, `--n` turns, best of `--rounds`) |
//! | `team_parallel` | `run_ms` (eight agents at once with models of a second, best of `--rounds`) |
//! | `pending_requests` | `first_ms`, `p50_ms`, `p99_ms` (of `GET /inbox` with `--runs` open questions, after a start of the server, `--rounds` times) |
//! | `tool_failures` | `recovered`, `lost` (of `--n` calls that fail once) |
//! | `mcp_echo` | `p50_ms`, `p99_ms` (of `--n` calls) |
//! | `retention` | `remove_s` (a million events), `writer_max_ms` (of a commit meanwhile) |
//! | `size` | `mb` (of the program) |
//! | `fanout` | `events_s`, `cpu_us_per_delivery`, `p50_ms`, `p99_ms` (`--n` stored events of one run to `--runs` WebSockets) |
//! | `crowd` | `p99_ms` (event to client), `rss_mb`, `lost` (`--runs` at once, models at 50 pieces/s, all followed) |
//! | `own_time` | `share_percent`, `cpu_ms_per_turn` (of a turn whose model takes 100 ms) |
//! | `proxy` | `added_p50_ms`, `added_p99_ms` (one connection), `requests_16`, `requests_64` (per second), `chunks_s`, `cpu_us_per_chunk` (16 streams of 200), `added_first_byte_ms`, `rss_mb` (at most) |
//! | `bare_proxy` | `cpu_us_per_chunk` (the same streams through the same HTTP library, which forwards and does nothing else) |
//! | `replayed` | `live_ms` (`--n` turns at 50 tokens/s), `replay_ms` (of the same run, best of `--rounds`), `times_faster` |
//! | `open_store` | `open_s`, `rss_mb` (10,000 runs, 100 unfinished, 1 million events; filling is not timed) |

mod agent;
mod bare_proxy;
mod cold_start;
mod command;
mod concurrent;
mod crowd;
mod durable_steps;
mod emitter;
mod fanout;
mod first_token;
mod flow_files;
mod grow;
mod interrupt;
mod large_commit;
pub(crate) mod mcp_echo;
mod memory_search;
mod nowhere;
mod open_store;
mod own;
mod own_time;
mod pending_requests;
mod process;
mod proxied;
mod proxy;
mod raw;
mod replayed;
mod repository;
mod retention;
mod server;
mod server_start;
mod size;
mod steps;
mod team;
mod team_parallel;
mod team_turns;
mod tool_failures;
mod turns;
mod validate;
mod workflow_crowd;
mod workflow_floor;
mod workflow_loop;
mod workflow_parallel;
mod worktree;

use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::Value;

type Case = fn(&CaseArgs) -> Result<Value>;

const CASES: &[(&str, Case)] = &[
    ("steps", steps::run),
    ("concurrent", concurrent::run),
    ("raw", raw::run),
    ("raw_interrupt", raw::interrupt),
    ("grow", grow::run),
    ("interrupt", interrupt::run),
    ("durable_steps", durable_steps::run),
    ("cold_start", cold_start::run),
    ("open_store", open_store::run),
    ("turns", turns::run),
    ("first_token", first_token::run),
    ("command", command::run),
    ("worktree", worktree::run),
    ("large_commit", large_commit::run),
    ("server_start", server_start::run),
    ("size", size::run),
    ("fanout", fanout::run),
    ("crowd", crowd::run),
    ("own_time", own_time::run),
    ("proxy", proxy::run),
    ("bare_proxy", bare_proxy::run),
    ("replayed", replayed::run),
    ("validate", validate::run),
    ("workflow_crowd", workflow_crowd::run),
    ("workflow_floor", workflow_floor::run),
    ("workflow_loop", workflow_loop::run),
    ("workflow_parallel", workflow_parallel::run),
    ("team_turns", team_turns::run),
    ("team_parallel", team_parallel::run),
    ("pending_requests", pending_requests::run),
    ("tool_failures", tool_failures::run),
    ("mcp_echo", mcp_echo::run),
    ("memory_search", memory_search::run),
    ("retention", retention::run),
];

#[derive(clap::Args)]
pub(crate) struct CaseArgs {
    /// The case, as in the table of `ours.rs`
    pub(crate) case: String,
    /// A directory of this run alone, on the disk that is measured
    #[arg(long)]
    pub(crate) dir: PathBuf,
    #[arg(long, value_enum, default_value_t = BenchDurability::D2)]
    pub(crate) durability: BenchDurability,
    /// Steps or turns of each run; files of a repository
    #[arg(long, default_value_t = 500)]
    pub(crate) n: usize,
    /// Runs at once
    #[arg(long, default_value_t = 1)]
    pub(crate) runs: usize,
    /// Repetitions of a short case
    #[arg(long, default_value_t = 1)]
    pub(crate) rounds: usize,
    /// Messages of 1 KiB in the state before the case begins
    #[arg(long, default_value_t = 0)]
    pub(crate) history_kib: usize,
    /// This process is the child that a case started: do the work, print what only it can know
    #[arg(long)]
    pub(crate) child: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum BenchDurability {
    /// Nothing stored
    D0,
    /// Committed, without an fsync per step
    D1,
    /// On disk before it is reported
    D2,
}

pub(crate) fn run(args: &CaseArgs) -> Result<()> {
    let case = CASES.iter().find(|(name, _)| *name == args.case);
    let (_, case) = case.with_context(|| format!("no case `{}` yet", args.case))?;
    println!("{}", case(args)?);
    Ok(())
}
