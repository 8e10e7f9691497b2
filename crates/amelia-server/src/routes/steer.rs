//! Step by step, breakpoints, and rules that a run was granted. What is answered here is durable.

use std::collections::BTreeSet;

use amelia_core::id::{NodeId, RunId};
use amelia_core::problem::Problem;
use amelia_core::stop_rule::{MAX_STOPS, STOP_RULES, StopRule};
use amelia_core::view::RunRow;
use amelia_orchestrator::orchestrator::CommandError;
use amelia_wire::error::Code;
use amelia_wire::rest::config::AgentRule;
use amelia_wire::rest::request::Accepted;
use amelia_wire::rest::travel::{Breakpoints, SetBreakpoints};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::Value;

use super::accepted;
use super::human::way_out;
use crate::error::{ApiError, ApiResult, json};
use crate::request::{JsonBody, Query, RunIdPath};
use crate::state::App;

/// Runs one node of a stopped run. A running run stops before its next node.
#[utoipa::path(post, path = "/{id}/step", tag = "runs", responses((status = 202, body = Accepted)))]
pub(crate) async fn step(State(app): State<App>, RunIdPath(run): RunIdPath) -> ApiResult<Response> {
    let row = app.row(run).await?;
    told(&app, &row, app.state.orchestrator.step(run).await).await
}

/// Continues a run without further steps. It still stops at breakpoints.
#[utoipa::path(post, path = "/{id}/continue", tag = "runs", responses((status = 202, body = Accepted)))]
pub(crate) async fn go_on(State(app): State<App>, RunIdPath(run): RunIdPath) -> ApiResult<Response> {
    let row = app.row(run).await?;
    told(&app, &row, app.state.orchestrator.go_on(run).await).await
}

async fn told(app: &App, row: &RunRow, told: Result<(), CommandError>) -> ApiResult<Response> {
    match told {
        Ok(()) => accepted(app, StatusCode::ACCEPTED, row.run.id).await,
        Err(error @ CommandError::NotStopped(_)) => Err(ApiError::from(error).hint(way_out(app, row))),
        Err(error) => Err(error.into()),
    }
}

/// Sets where a run stops and asks, whether it is running or not.
#[utoipa::path(put, path = "/{id}/breakpoints", tag = "runs", request_body = SetBreakpoints,
    responses((status = 200, body = Breakpoints)))]
pub(crate) async fn breakpoints(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    body: JsonBody,
) -> ApiResult<Response> {
    let wanted: SetBreakpoints = body.shape()?;
    let row = app.row(run).await?;
    let (mut names, stops) = match wanted.breakpoints {
        None => (Vec::new(), None),
        Some(all) => {
            let (nodes, stops) = sorted(&all)?;
            (nodes, Some(stops))
        }
    };
    if wanted.nodes.is_none() && stops.is_none() {
        return Err(ApiError::new(Code::Invalid, "breakpoints: is missing"));
    }
    names.extend(wanted.nodes.unwrap_or_default());
    let graph = app.state.service.graph(&row).await?;
    let nodes = known(&graph, &names)?;
    if nodes != *row.breakpoints() {
        app.state.orchestrator.set_breakpoints(run, nodes).await?;
    }
    if let Some(stops) = stops.filter(|stops| *stops != row.view.stops) {
        app.state.orchestrator.set_stops(run, stops).await?;
    }
    shown(&app, run).await
}

/// Removes a rule that was granted to an agent of the run. The agent asks again before such calls.
#[utoipa::path(delete, path = "/{id}/rules", tag = "runs", params(AgentRule),
    responses((status = 202, body = Accepted)))]
pub(crate) async fn remove_rule(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    Query(AgentRule { agent, rule }): Query<AgentRule>,
) -> ApiResult<Response> {
    let row = app.row(run).await?;
    let mut granted = row.view.granted.iter();
    let Some(grant) = granted.find(|grant| grant.agent.as_str() == agent && grant.rule == rule) else {
        let message = format!("the agent `{agent}` of run {} was granted no rule `{rule}`", row.run.number);
        return Err(ApiError::new(Code::NotFound, message).hint("`amelia permission list` lists the rules"));
    };
    app.state.orchestrator.remove_rule(run, grant.agent.clone(), rule).await?;
    accepted(&app, StatusCode::ACCEPTED, run).await
}

async fn shown(app: &App, run: RunId) -> ApiResult<Response> {
    let row = app.row(run).await?;
    Ok(json(&Breakpoints::of(&row)))
}

/// Names of nodes, and rules for inside of them.
fn sorted(all: &[String]) -> ApiResult<(Vec<String>, BTreeSet<StopRule>)> {
    let (mut nodes, mut stops) = (Vec::new(), BTreeSet::new());
    for (index, text) in all.iter().enumerate() {
        let is_rule = text.contains(':') || matches!(text.as_str(), "turn" | "error");
        match text.strip_prefix("node:") {
            Some(node) => nodes.push(node.to_owned()),
            None if !is_rule => nodes.push(text.clone()),
            None => {
                let refused = |problem: Problem| {
                    let error =
                        ApiError::new(Code::Invalid, format!("breakpoints[{index}]: {}", problem.message));
                    error.hint(problem.hint.unwrap_or_default())
                };
                stops.insert(StopRule::parse(text).map_err(refused)?);
            }
        }
    }
    if stops.len() > MAX_STOPS {
        return Err(ApiError::new(Code::Invalid, format!("breakpoints: a run has at most {MAX_STOPS}")));
    }
    Ok((nodes, stops))
}

/// Nodes that the graph has.
fn known(graph: &Value, wanted: &[String]) -> ApiResult<BTreeSet<NodeId>> {
    let known: Vec<&str> = graph
        .pointer("/nodes")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let node = |name: &String| {
        let is_there = known.contains(&name.as_str());
        NodeId::new(name.as_str()).ok().filter(|_| is_there).ok_or_else(|| {
            let message = format!("there is no node `{name}`");
            let nodes = known.join(", ");
            ApiError::new(Code::Invalid, message)
                .hint(format!("the nodes are {nodes}; inside a node: {STOP_RULES}"))
        })
    };
    wanted.iter().map(node).collect()
}
