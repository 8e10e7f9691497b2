//! `amelia team`: teams of agents, from files and from the API. One file per verb.

mod change;
mod draw;
mod list;
mod new;
mod run;
mod show;
mod validate;

use std::process::ExitCode;

use amelia_host::home::Home;
use anyhow::Result;

use super::definitions::here;
use crate::cli::{Global, TeamCommand};

pub(super) async fn run(command: &TeamCommand, home: &Home, global: &Global) -> Result<ExitCode> {
    match command {
        TeamCommand::List => list::run(&here(home).await?, global),
        TeamCommand::Show(args) => show::run(args, &here(home).await?),
        TeamCommand::Validate(args) => validate::run(args, &here(home).await?, global),
        TeamCommand::New(args) => new::run(args, home, global).await,
        TeamCommand::Draw(args) => draw::run(args, &here(home).await?, global),
        TeamCommand::Next(args) => change::next(args, home, global).await,
        TeamCommand::Change(args) => change::change(args, home, global).await,
        TeamCommand::Run(args) => run::run(args, home, global).await,
    }
}
