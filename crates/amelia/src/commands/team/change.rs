//! `amelia team next` and `amelia team change`: who works on a run from now on.

use std::process::ExitCode;

use amelia_core::event::human::InterventionKind;
use amelia_core::object::Object;
use amelia_host::home::Home;
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
    let details = read(&text_of(&args.file)?)?;
    let done = "changed the team";
    tell(&args.run, InterventionKind::TeamModification, details, done, home, global).await
}

fn read(text: &str) -> Result<Object> {
    let unreadable = |why: String| CliError::new(Exit::Usage, format!("the changes cannot be read: {why}"));
    let tree = amelia_yaml::tree::parse(text).map_err(|problem| unreadable(problem.to_string()))?;
    match tree.to_json() {
        Value::Object(fields) => Ok(fields),
        _ => Err(unreadable("they must be a mapping, such as `remove_agents: [critic]`".to_owned()).into()),
    }
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
