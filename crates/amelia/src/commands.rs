//! One file per command.

mod checkpoints;
mod config;
mod demo;
mod diff;
mod do_command;
mod fork;
mod logs;
mod model;
mod resume;
mod runs;
mod selftest;
mod worker;
mod worktree;

use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::cli::{Cli, Command};
use crate::home::Home;

/// Runs the command that was asked for.
pub(crate) fn run(cli: Cli) -> Result<ExitCode> {
    let Cli { global, command } = cli;
    match command {
        Command::Do(args) => block_on(do_command::run(&args, &Home::find(global.home.clone())?, &global)),
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

/// One thread is enough for a command; the store has its own.
fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.context("no runtime")?.block_on(work)
}
