//! `amelia guardrail`: policies from files and from the API, and what they would have found in past runs.

mod test;

use std::process::ExitCode;

use amelia_host::definitions::{DefinitionKind, Definitions};
use amelia_host::home::Home;
use anyhow::{Context, Result};

use super::definitions;
use crate::cli::{Global, GuardrailCommand};

pub(super) async fn run(command: &GuardrailCommand, home: &Home, global: &Global) -> Result<ExitCode> {
    let directory = std::env::current_dir().context("the current directory is gone")?;
    let (all, kind) = (Definitions::find_with_stored(home, &directory).await?, DefinitionKind::Policy);
    match command {
        GuardrailCommand::List => definitions::list(kind, &all, global),
        GuardrailCommand::Show(args) => definitions::show(kind, args, &all),
        GuardrailCommand::Validate(args) => definitions::validate(kind, args, &all, global),
        GuardrailCommand::Test(args) => test::run(args, &all, home, global).await,
    }
}
