//! One file per command.

mod checkpoints;
mod config;
mod crash_demo;
mod demo;
mod diff;
mod do_command;
mod fork;
mod init;
mod logs;
mod model;
mod plan;
mod prompt;
mod resume;
mod review;
mod runs;
mod selftest;
mod server;
mod start;
mod worker;
mod worktree;

use std::process::ExitCode;

use amelia_core::human::HumanKind;
use amelia_core::run::RunStatus;
use amelia_core::store::{RunFilter, Store};
use amelia_core::view::RunRow;
use anyhow::{Context, Result};

use crate::cli::{Cli, Command};
use crate::home::Home;
use crate::refusal::{Exit, Refusal};

/// Runs the command that was asked for.
pub(crate) fn run(cli: Cli) -> Result<ExitCode> {
    let Cli { global, command } = cli;
    match command {
        Command::Do(args) => block_on(do_command::run(&args, &Home::find(global.home.clone())?, &global)),
        Command::Start(args) => block_on(start::run(&args, &Home::find(global.home.clone())?, &global)),
        Command::Server(args) => {
            // Many runs and many readers at once: every core works.
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
            let home = Home::find(global.home.clone())?;
            runtime.context("no runtime")?.block_on(server::run(&args, &home, &global))
        }
        Command::Review(args) => block_on(review::run(&args, &Home::find(global.home.clone())?, &global)),
        Command::Init(args) => block_on(init::run(&args, &Home::find(global.home.clone())?, &global)),
        Command::Prompt(args) => block_on(prompt::run(&args, &Home::find(global.home.clone())?, &global)),
        Command::Plan(args) => block_on(plan::run(&args, &Home::find(global.home.clone())?, &global)),
        Command::Approve(args) => {
            block_on(resume::approve(&args, &Home::find(global.home.clone())?, &global))
        }
        Command::Cancel(args) => block_on(resume::cancel(&args, &Home::find(global.home.clone())?, &global)),
        Command::Reject(args) => block_on(resume::reject(&args, &Home::find(global.home.clone())?, &global)),
        Command::Diff(args) => block_on(diff::run(&args, &Home::find(global.home)?)),
        Command::Worktree(args) => block_on(worktree::run(&args, &Home::find(global.home.clone())?, &global)),
        Command::Config(args) => block_on(config::run(&args, &Home::find(global.home.clone())?, &global)),
        Command::Model(model) => block_on(model::run(&model, &global)),
        Command::Demo(args) => demo::run(&args, &global),
        Command::Selftest(args) => selftest::run(&args, &global),
        Command::Worker(args) => worker::run(&args, &Home::find(global.home)?),
        Command::Runs(args) => block_on(runs::run(&args, &Home::find(global.home.clone())?, &global)),
        Command::Logs(args) => block_on(logs::run(&args, &Home::find(global.home.clone())?, &global)),
        Command::Checkpoints(args) => {
            block_on(checkpoints::run(&args, &Home::find(global.home.clone())?, &global))
        }
        Command::Fork(args) => block_on(fork::run(&args, &Home::find(global.home.clone())?, &global)),
        Command::Resume(args) => block_on(resume::run(&args, &Home::find(global.home.clone())?, &global)),
    }
}

/// The only run that waits for an approval.
async fn waiting(store: &dyn Store) -> Result<RunRow> {
    let rows = store.runs(&RunFilter { unfinished: true, ..RunFilter::default() }).await?;
    let waits = |row: &RunRow| row.view.status == RunStatus::Waiting(HumanKind::Approval);
    let mut waiting = rows.into_iter().filter(waits);
    match (waiting.next(), waiting.next()) {
        (Some(row), None) => Ok(row),
        (None, _) => Err(Refusal::new(Exit::Conflict, "no run waits for an approval").into()),
        (Some(_), Some(_)) => {
            let message = "more than one run waits\n  hint: say which (`amelia runs`)";
            Err(Refusal::new(Exit::Usage, message).into())
        }
    }
}

/// One thread is enough for a command; the store has its own.
fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.context("no runtime")?.block_on(work)
}
