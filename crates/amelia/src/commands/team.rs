//! `amelia team`: teams of agents, from files and from the API. One file per verb.

mod change;
mod draw;
mod list;
mod new;
mod run;
mod show;
mod validate;

use std::process::ExitCode;

use amelia_host::definitions::Definitions;
use amelia_host::home::Home;
use anyhow::{Context, Result};

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

/// The teams that can be named in the current directory.
async fn here(home: &Home) -> Result<Definitions> {
    let directory = std::env::current_dir().context("the current directory is gone")?;
    Definitions::find_with_stored(home, &directory).await
}
