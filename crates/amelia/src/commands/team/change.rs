//! `amelia team next` and `amelia team change`: who works on a run from now on.

use std::path::Path;
use std::process::ExitCode;

use amelia_core::config::problem::ConfigProblem;
use amelia_core::event::human::InterventionKind;
use amelia_core::object::Object;
use amelia_host::home::Home;
use amelia_host::refused_file::RefusedFile;
use amelia_wire::read::shape;
use amelia_wire::rest::intervene::TeamModification;
use amelia_yaml::problem::{FileProblem, steps};
use anyhow::Result;
use serde_json::{Value, json};

use super::super::control::intervene;
use super::super::edit::text_of;
use crate::cli::{ChangeTeamArgs, Global, NextAgentArgs};
use crate::cli_error::{CliError, Exit};
use crate::reach;
use crate::ui;

pub(super) async fn next(args: &NextAgentArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let details = Object::from_iter([("next_agent".to_owned(), json!(args.agent))]);
    let done = format!("`{}` takes the next turn", ui::one_line(&args.agent));
    tell(&args.run, InterventionKind::AgentOverride, details, &done, home, global).await
}

pub(super) async fn change(args: &ChangeTeamArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let details = read(&text_of(&args.file)?, &args.file)?;
    let done = "changed the team";
    tell(&args.run, InterventionKind::TeamModification, details, done, home, global).await
}

/// The changes of a file. A part of it that is no change is refused with its place.
fn read(text: &str, file: &Path) -> Result<Object, CliError> {
    let refused = |problems| CliError::new(Exit::Usage, RefusedFile::of(file, problems).to_string());
    let tree = amelia_yaml::tree::parse(text).map_err(|problem| refused(vec![problem]))?;
    let Value::Object(fields) = tree.to_json() else {
        let message = "must be a mapping, such as `remove_agents: [critic]`";
        return Err(refused(vec![FileProblem::at(&tree, &[], message)]));
    };
    let at = |problem: ConfigProblem| FileProblem::at(&tree, &steps(&problem.path), problem.message);
    shape::<TeamModification>(Value::Object(fields.clone()))
        .map_err(|found| refused(found.0.into_iter().map(at).collect()))?;
    Ok(fields)
}

async fn tell(
    run: &str,
    kind: InterventionKind,
    details: Object,
    done: &str,
    home: &Home,
    global: &Global,
) -> Result<ExitCode> {
    let client = reach::to_control(home, global).await?;
    let told = async {
        let row = client.find(run).await?;
        anyhow::Ok((row.run.number, intervene(&client, row.run.id, kind, details).await?))
    };
    let told = told.await;
    client.close().await?;
    let (number, accepted) = told?;
    match (global.json, global.quiet) {
        (true, _) => anstream::println!("{}", serde_json::to_string(&accepted)?),
        (false, true) => {}
        (false, false) => {
            ui::say!("run {number}: {done}");
            accepted.notes.iter().for_each(|note| ui::say!("  {}", ui::one_line(note)));
            ui::say!("  {} {} continue {number}", ui::dim("next"), ui::command(global));
        }
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli_error::problem_of;

    #[test]
    fn what_is_no_change_of_a_team_is_told_with_its_place() {
        let refused = |text: &str| {
            let error = read(text, Path::new("changes.yaml")).unwrap_err();
            problem_of(&anyhow::Error::from(error)).message
        };
        let unknown = refused("remove_agents: [critic]\nadd_agent:\n  name: editor\n");
        assert!(unknown.starts_with("changes.yaml:2:1: add_agent: unknown field `add_agent`"), "{unknown}");
        assert!(refused("[critic]").starts_with("changes.yaml:1:1: "), "{}", refused("[critic]"));
        assert!(read("remove_agents: [critic]", Path::new("changes.yaml")).is_ok());
    }
}
