//! `amelia step`, `continue`, `breakpoint`: where a run stops, and how it continues from there.

use std::process::ExitCode;

use amelia_core::id::{RequestId, RunId};
use amelia_core::problem::Problem;
use amelia_core::run::RunStatus;
use amelia_core::view::RunRow;
use amelia_host::home::Home;
use amelia_wire::rest::travel::{Breakpoints, Drawing, SetBreakpoints};
use anyhow::Result;
use serde_json::{Value, json};

use super::checkpoints;
use super::resume::server_of;
use super::watching::{Watching, watch};
use super::which_run::unfinished;
use crate::cli::{BreakpointArgs, ContinueArgs, Global, StepArgs, WatchArgs};
use crate::cli_error::{CliError, Exit, exit_of, problem_of};
use crate::client::Client;
use crate::follow::FollowFrom;
use crate::reach;
use crate::ui;

pub(super) async fn step(args: &StepArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    tell(args.run.as_deref(), "step", &args.watch, home, global).await
}

pub(super) async fn go_on(args: &ContinueArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    tell(args.run.as_deref(), "continue", &args.watch, home, global).await
}

async fn tell(
    run: Option<&str>,
    what: &str,
    how: &WatchArgs,
    home: &Home,
    global: &Global,
) -> Result<ExitCode> {
    let looking = reach::to_look(home, global).await?;
    let found = unfinished(&looking, run).await;
    let (client, run, pipeline) = server_of(looking, found, home, global).await?;
    let how = Watching::after(how, &*pipeline, &client);
    let outcome = told(&client, run, what, how, global).await;
    client.close().await?;
    outcome
}

async fn told(client: &Client, run: RunId, what: &str, how: Watching, global: &Global) -> Result<ExitCode> {
    let row = client.row(run).await?;
    let next = match what {
        "step" => one_step(&row, &checkpoints::next_nodes(client, run).await?),
        _ => "continues; it does not stop after every node".to_owned(),
    };
    client.tell(run, what).await.map_err(|error| not_stopped(error, &row, global))?;
    let told = FollowFrom::with_answers(row.clone(), stops(&row));
    watch(client, run, Some(told), how.after_saying(next), global).await
}

/// What a step does to a run.
fn one_step(row: &RunRow, next: &[String]) -> String {
    match (row.view.status, next) {
        (RunStatus::Running, _) => "stops before its next node".to_owned(),
        (_, []) => "runs the next node, then stops".to_owned(),
        (_, nodes) => format!("runs `{}`, then stops", nodes.join("`, `")),
    }
}

/// What the run needs instead, in commands: the server tells it in paths of its API.
fn not_stopped(error: anyhow::Error, row: &RunRow, global: &Global) -> anyhow::Error {
    match exit_of(&error) {
        Exit::Conflict => {
            let hint = format!("{} why {} says what it needs", ui::command(global), row.run.number);
            CliError::new(Exit::Conflict, problem_of(&error).message).with_hint(hint).into()
        }
        _ => error,
    }
}

/// What the server answers by itself.
fn stops(row: &RunRow) -> Vec<RequestId> {
    let stops = row.view.pending.iter().filter(|request| !request.kind.is_asked_by_node());
    stops.map(|request| request.id).collect()
}

pub(super) async fn breakpoint(args: &BreakpointArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let is_look = args.nodes.is_empty() && !args.clear;
    let client = match is_look {
        true => reach::to_look(home, global).await?,
        false => reach::to_control(home, global).await?,
    };
    let shown = match is_look {
        true => looked(&client, &args.run).await,
        false => set(&client, &args.run, &args.nodes).await,
    };
    client.close().await?;
    let (nodes, possible) = shown?;
    match (global.json, global.quiet) {
        (true, _) => anstream::println!("{}", json!({ "breakpoints": nodes })),
        (false, true) => nodes.iter().for_each(|node| anstream::println!("{node}")),
        (false, false) if nodes.is_empty() => ui::say!("no breakpoints"),
        (false, false) => ui::say!("breakpoints: {}", nodes.join(", ")),
    }
    if let (false, false, Some(possible)) = (global.json, global.quiet, possible) {
        ui::say!("  nodes: {}", possible.join(", "));
    }
    Ok(ExitCode::SUCCESS)
}

async fn looked(client: &Client, run: &str) -> Result<(Vec<String>, Option<Vec<String>>)> {
    let row = client.find(run).await?;
    let Drawing { graph, .. } = client.get(&format!("/workflows/{}/graph", row.run.id)).await?;
    let names = graph.get("nodes").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    Ok((Breakpoints::of(&row).breakpoints, Some(names.map(str::to_owned).collect())))
}

async fn set(client: &Client, run: &str, nodes: &[String]) -> Result<(Vec<String>, Option<Vec<String>>)> {
    let run = client.find(run).await?.run.id;
    let wanted = SetBreakpoints { nodes: None, breakpoints: Some(nodes.to_vec()) };
    let answer = client.put(&format!("/workflows/{run}/breakpoints"), &wanted).await?;
    let Breakpoints { breakpoints, warnings, .. } = serde_json::from_value(answer)?;
    warnings.iter().for_each(|warning| ui::say_note(&Problem::new(warning.as_str())));
    Ok((breakpoints, None))
}

#[cfg(test)]
mod tests {
    use amelia_core::human::HumanKind;
    use amelia_core::id::{GraphName, RunNumber};
    use amelia_core::run::{Run, RunSpec};
    use amelia_core::view::RunView;

    use super::*;

    #[test]
    fn a_step_says_what_runs_next() {
        let run = Run {
            id: RunId(uuid::Uuid::nil()),
            number: RunNumber(4),
            spec: RunSpec::new(GraphName::new("g").unwrap(), "a run"),
            created_at: jiff::Timestamp::UNIX_EPOCH,
        };
        let said = |status, next: &[&str]| {
            let row = RunRow { run: run.clone(), view: RunView { status, ..RunView::default() } };
            let next: Vec<String> = next.iter().map(|node| (*node).to_owned()).collect();
            one_step(&row, &next)
        };
        let paused = RunStatus::Waiting(HumanKind::Pause);
        assert_eq!(said(paused, &["develop"]), "runs `develop`, then stops");
        assert_eq!(said(paused, &[]), "runs the next node, then stops");
        assert_eq!(said(RunStatus::Running, &["develop"]), "stops before its next node");
    }
}
