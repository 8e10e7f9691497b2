//! One file per command.

mod acp;
mod answer;
mod artifact;
mod attach;
mod backup;
mod checkpoints;
mod cleanup;
mod compare;
pub(crate) mod completions;
mod config;
mod control;
mod crash_demo;
mod dashboard;
mod definitions;
mod delivery;
mod demo;
mod diff;
mod do_command;
pub(crate) mod doctor;
mod edit;
mod fork;
mod guardrail;
mod inbox;
mod init;
mod logs;
mod mcp;
mod memory;
mod model;
mod models;
mod new_run;
mod opened_demo;
mod pager;
mod permission;
mod plan;
mod prompt;
mod replay;
mod replayed_demo;
mod resume;
mod review;
mod selftest;
mod server;
mod start;
mod state;
mod status;
mod steer;
mod task;
mod team;
mod token;
mod trace;
mod trust;
mod usage;
mod watching;
mod way_out;
mod which_profile;
mod which_run;
mod worker;
mod worktree;

use std::path::Path;
use std::process::ExitCode;

use amelia_host::home::Home;
use anyhow::{Context, Result};

use crate::cli::{Cli, Command, Global, PrCommand, PrGroup, PrShowArgs, TraceArgs, TraceCommand, TraceGroup};
use crate::usage_error::refuse;

/// Runs the command that was asked for.
pub(crate) fn run(cli: Cli) -> Result<ExitCode> {
    let Cli { global, command } = cli;
    // These have homes of their own, or none.
    let command = match command {
        Some(Command::Demo(args)) => return demo::run(&args, &global),
        Some(Command::Selftest(args)) => return selftest::run(&args, &global),
        Some(Command::Completions { shell }) => return completions::run(shell),
        Some(Command::Man { directory }) => return man(&directory),
        Some(Command::Help(args)) => match args.asked() {
            Ok(_) => return Ok(ExitCode::SUCCESS),
            Err(help) => refuse(help),
        },
        Some(Command::Model(model)) => return block_on(model::run(&model, &global)),
        other => other,
    };
    let home = Home::find(global.home.clone())?;
    let (home, global) = (&home, &global);
    let Some(command) = command else { return block_on(status::overview(home, global)) };
    match command {
        Command::Worker(args) => worker::run(&args, home),
        Command::Server(args) => {
            // Many runs and many readers at once: every core works.
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
            runtime.context("no runtime")?.block_on(server::run(&args, home, global))
        }
        other if may_work(&other) => {
            // An agent, the log and what a person sees of both get on at the same time.
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
            runtime.context("no runtime")?.block_on(in_home(other, home, global))
        }
        other => block_on(in_home(other, home, global)),
    }
}

/// Whether a command carries out a run itself when there is no server.
fn may_work(command: &Command) -> bool {
    matches!(
        command,
        Command::Do(_)
            | Command::Start(_)
            | Command::Plan(_)
            | Command::Run(_)
            | Command::Review(_)
            | Command::Workflow(_)
            | Command::Agent(_)
            | Command::Approve(_)
            | Command::Reject(_)
            | Command::Answer(_)
            | Command::Resume(_)
            | Command::Step(_)
            | Command::Continue(_)
    )
}

async fn in_home(command: Command, home: &Home, global: &Global) -> Result<ExitCode> {
    match command {
        Command::Do(args) => do_command::run(&args, home, global).await,
        Command::Start(args) => start::run(&args, home, global).await,
        Command::Plan(args) => plan::run(&args, home, global).await,
        Command::Run(args) => control::run(&args, home, global).await,
        Command::Status(args) => status::run(&args, home, global).await,
        Command::Why(args) => status::why_run(&args, home, global).await,
        Command::Inbox => inbox::run(home, global).await,
        Command::Approve(args) => answer::approve(&args, home, global).await,
        Command::Reject(args) => answer::reject(&args, home, global).await,
        Command::Answer(args) => answer::answer(&args, home, global).await,
        Command::Workflow(command) => definitions::workflow(&command, home, global).await,
        Command::Agent(command) => definitions::agent(&command, home, global).await,
        Command::Team(command) => team::run(&command, home, global).await,
        Command::Guardrail(command) => guardrail::run(&command, home, global).await,
        Command::Mcp(command) => mcp::mcp(&command, home, global).await,
        Command::Trust(args) => trust::run(&args, home, global),
        Command::Acp => acp::run(home, global).await,
        Command::Schema(args) => definitions::schema(&args),
        Command::Permission(command) => permission::run(&command, home, global).await,
        Command::Say(args) => control::say(&args, home, global).await,
        Command::Pause(args) => control::pause(&args, home, global).await,
        Command::Resume(args) => resume::run(&args, home, global).await,
        Command::Step(args) => steer::step(&args, home, global).await,
        Command::Continue(args) => steer::go_on(&args, home, global).await,
        Command::Breakpoint(args) => steer::breakpoint(&args, home, global).await,
        Command::State(args) => state::run(&args, home, global).await,
        Command::Cancel(args) => control::cancel(&args, home, global).await,
        Command::Archive(args) => control::archive(&args, home, global).await,
        Command::Logs(args) => logs::run(&args, home, global).await,
        Command::Trace(TraceGroup { command }) => {
            let command = command.unwrap_or(TraceCommand::Show(TraceArgs { run: None }));
            trace::run(&command, home, global).await
        }
        Command::Task(command) => task::run(&command, home, global).await,
        Command::Artifact(command) => artifact::run(&command, home, global).await,
        Command::Memory(command) => memory::run(&command, home, global).await,
        Command::Diff(args) => diff::run(&args, home, global).await,
        Command::Merge(args) => delivery::merge(&args, home, global).await,
        Command::Pr(PrGroup { command }) => {
            let command = command.unwrap_or(PrCommand::Show(PrShowArgs { run: None }));
            delivery::pr(&command, home, global).await
        }
        Command::Review(args) => review::run(&args, home, global).await,
        Command::Checkpoints(args) => checkpoints::run(&args, home, global).await,
        Command::Fork(args) => fork::run(&args, home, global).await,
        Command::Compare(args) => compare::run(&args, home, global).await,
        Command::Replay(args) => replay::run(&args, home, global).await,
        Command::Record(args) => replay::record(&args, home).await,
        Command::Test(args) => replay::test(&args, home, global).await,
        Command::Usage(args) => usage::run(&args, home, global).await,
        Command::Worktree(args) => worktree::run(&args, home, global).await,
        Command::Config(args) => config::run(&args, home, global).await,
        Command::Prompt(args) => prompt::run(&args, home, global).await,
        Command::Cleanup(args) => cleanup::run(&args, home, global).await,
        Command::Backup(args) => backup::write(&args, home, global),
        Command::Restore(args) => backup::restore(&args, home, global),
        Command::Doctor(args) => doctor::run(&args, home, global).await,
        Command::Dashboard(args) => dashboard::run(&args, home, global).await,
        Command::Models(args) => models::run(&args, home, global),
        Command::Token(args) => token::run(&args, home, global).await,
        Command::Init(args) => init::run(&args, home, global).await,
        // Taken care of before.
        Command::Demo(_)
        | Command::Server(_)
        | Command::Selftest(_)
        | Command::Completions { .. }
        | Command::Man { .. }
        | Command::Help(_)
        | Command::Model(_)
        | Command::Worker(_) => Ok(ExitCode::SUCCESS),
    }
}

fn man(directory: &Path) -> Result<ExitCode> {
    clap_mangen::generate_to(crate::cli::command(), directory)
        .with_context(|| format!("the man pages cannot be written to {}", directory.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// One thread is enough for a command; the store has its own.
fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.context("no runtime")?.block_on(work)
}
