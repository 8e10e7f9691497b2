//! `amelia team run`: a team works on a task, and the command follows it.

use std::path::Path;
use std::process::ExitCode;

use amelia_core::object::Object;
use amelia_host::definitions::DefinitionKind;
use amelia_host::home::Home;
use amelia_wire::agentx::team::TeamConfig;
use amelia_wire::rest::request::NewTask;
use anyhow::Result;
use serde_json::Value;

use super::here;
use crate::cli::{Global, RunDefinitionArgs};
use crate::cli_error::{CliError, Exit};
use crate::commands::definitions::{file_or_name, lines_of, request, start};
use crate::ui;

pub(super) async fn run(args: &RunDefinitionArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let request = request(args)?;
    if request.prompt.trim().is_empty() {
        let refusal = CliError::new(Exit::Usage, "the task of the team is missing");
        let hint = format!("{} team run {} 'TASK'", ui::command(global), args.name);
        return Err(refusal.with_hint(hint).into());
    }
    let path = Path::new(&args.name);
    let request = match path.extension().is_some() && path.is_file() {
        true => NewTask { team_config: Some(document(args, home).await?), ..request },
        false => NewTask { team: Some(args.name.clone()), ..request },
    };
    start(&request, home, global).await
}

/// The team of any file, with the texts of its templates.
async fn document(args: &RunDefinitionArgs, home: &Home) -> Result<Object> {
    let all = here(home).await?;
    let file = file_or_name(DefinitionKind::Team, &args.name, &all)?;
    let frozen = all.team(&file).map_err(|refused| CliError::new(Exit::Usage, lines_of(&refused)))?;
    match serde_json::to_value(TeamConfig::from(frozen.team))? {
        Value::Object(document) => Ok(document),
        _ => Ok(Object::new()),
    }
}
