//! `amelia guardrail`: policies from files and from the API, and what they would have found in past runs.

mod test;

use std::process::ExitCode;

use amelia_host::definitions::DefinitionKind;
use amelia_host::home::Home;
use anyhow::Result;

use super::definitions;
use crate::cli::{Global, GuardrailCommand};

pub(super) async fn run(command: &GuardrailCommand, home: &Home, global: &Global) -> Result<ExitCode> {
    let (all, kind) = (definitions::here(home).await?, DefinitionKind::Policy);
    match command {
        GuardrailCommand::List => definitions::list(kind, &all, global),
        GuardrailCommand::Show(args) => definitions::show(kind, args, &all),
        GuardrailCommand::Validate(args) => definitions::validate(kind, args, &all, global),
        GuardrailCommand::Test(args) => test::run(args, &all, home, global).await,
    }
}
