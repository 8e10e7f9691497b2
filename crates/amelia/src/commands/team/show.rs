//! `amelia team show`: a team as JSON.

use std::process::ExitCode;

use amelia_host::definitions::{DefinitionKind, Definitions};
use anyhow::Result;

use crate::cli::DefinitionArgs;
use crate::commands::definitions;

pub(super) fn run(args: &DefinitionArgs, all: &Definitions) -> Result<ExitCode> {
    definitions::show(DefinitionKind::Team, args, all)
}
