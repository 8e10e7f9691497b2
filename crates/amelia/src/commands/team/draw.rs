//! `amelia team draw`: a team as a Mermaid flowchart.

use std::process::ExitCode;

use amelia_flows::team::compile;
use amelia_host::definitions::{DefinitionKind, Definitions};
use anyhow::Result;

use crate::cli::{DefinitionArgs, Global};
use crate::cli_error::{CliError, Exit};
use crate::commands::definitions::{file_or_name, lines_of};

pub(super) fn run(args: &DefinitionArgs, all: &Definitions, global: &Global) -> Result<ExitCode> {
    let file = file_or_name(DefinitionKind::Team, &args.name, all)?;
    let frozen = all.team(&file).map_err(|refused| CliError::new(Exit::Usage, lines_of(&refused)))?;
    let graph = compile(&frozen, None).map_err(|problems| {
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        CliError::new(Exit::Usage, lines.join("\n"))
    })?;
    match global.json {
        true => anstream::println!("{}", serde_json::to_string(&graph.drawing())?),
        false => anstream::print!("{}", graph.mermaid()),
    }
    Ok(ExitCode::SUCCESS)
}
