//! `amelia step`, `continue`, `breakpoint`: where a run stops, and how it goes on from there.

use std::process::ExitCode;

use amelia_core::id::RequestId;
use amelia_core::view::RunRow;
use amelia_host::home::Home;
use amelia_wire::rest::travel::{Breakpoints, Drawing, SetBreakpoints};
use anyhow::Result;
use serde_json::{Value, json};

use super::resume::server_for;
use super::watching::{Watching, watch};
use crate::cli::{BreakpointArgs, ContinueArgs, Global, StepArgs, WatchArgs};
use crate::cli_error::{CliError, Exit, exit_of, problem_of};
use crate::client::Client;
use crate::follow::FollowFrom;
use crate::reach;
use crate::ui;

pub(super) async fn step(args: &StepArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    tell(&args.run, "step", &args.watch, home, global).await
}

pub(super) async fn go_on(args: &ContinueArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    tell(&args.run, "continue", &args.watch, home, global).await
}

async fn tell(run: &str, what: &str, how: &WatchArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let (client, pipeline) = server_for(run, home, global).await?;
    let how = Watching::after(how, &*pipeline, &client);
    let outcome = told(&client, run, what, how, global).await;
    client.close().await?;
    outcome
}

async fn told(client: &Client, run: &str, what: &str, how: Watching, global: &Global) -> Result<ExitCode> {
    let row = client.find(run).await?;
    client.tell(row.run.id, what).await.map_err(|error| not_stopped(error, &row, global))?;
    let (run, told) = (row.run.id, FollowFrom::with_answers(row.clone(), stops(&row)));
    watch(client, run, Some(told), how, global).await
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
        false => reach::to_work_here(home, global, Vec::new()).await?,
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
    let Breakpoints { breakpoints, .. } = serde_json::from_value(answer)?;
    Ok((breakpoints, None))
}
