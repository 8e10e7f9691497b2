//! Step by step, breakpoints, and rules that a run was granted. What is answered here is durable.

use std::collections::BTreeSet;

use amelia_core::id::{NodeId, RunId, RunNumber};
use amelia_core::problem::Problem;
use amelia_core::run::{Run, RunSpec};
use amelia_core::stop_rule::{MAX_STOPS, STOP_RULES, StopPlace, StopRule, stop_parts};
use amelia_core::view::{RunRow, RunView};
use amelia_orchestrator::orchestrator::CommandError;
use amelia_wire::error::Code;
use amelia_wire::rest::config::AgentRule;
use amelia_wire::rest::request::Accepted;
use amelia_wire::rest::travel::{Breakpoints, SetBreakpoints};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

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
    let mut warnings = Vec::new();
    if let Some(stops) = &stops {
        known(&graph, &stops.iter().filter_map(node_of).collect::<Vec<_>>())?;
        warnings = app.state.service.check_stops(&row, stops).await?;
    }
    if nodes != *row.breakpoints() {
        app.state.orchestrator.set_breakpoints(run, nodes).await?;
    }
    // What a person approves stays as the team says.
    let with_gates = |stops: BTreeSet<StopRule>| {
        stops.into_iter().chain(row.view.stops.iter().filter(|rule| rule.is_gate).cloned()).collect()
    };
    if let Some(stops) = stops.map(with_gates).filter(|stops: &BTreeSet<_>| *stops != row.view.stops) {
        app.state.orchestrator.set_stops(run, stops).await?;
    }
    let row = app.row(run).await?;
    Ok(json(&Breakpoints { warnings, ..Breakpoints::of(&row) }))
}

/// Where a run stops that does not exist yet. What may never be met is refused: nothing has begun.
pub(super) async fn of_new_run(
    app: &App,
    spec: &RunSpec,
    all: &[String],
) -> ApiResult<(BTreeSet<NodeId>, BTreeSet<StopRule>)> {
    let (names, stops) = sorted(all)?;
    let now = Timestamp::now();
    let run =
        Run { id: RunId(Uuid::nil()), number: RunNumber::default(), created_at: now, spec: spec.clone() };
    let row = RunRow { run, view: RunView::default() };
    let graph = app.state.service.graph(&row).await?;
    let nodes = known(&graph, &names)?;
    known(&graph, &stops.iter().filter_map(node_of).collect::<Vec<_>>())?;
    match app.state.service.check_stops(&row, &stops).await?.first() {
        Some(warning) => Err(ApiError::new(Code::Invalid, format!("breakpoints: {warning}"))),
        None => Ok((nodes, stops)),
    }
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

/// The node that a rule is about.
fn node_of(rule: &StopRule) -> Option<String> {
    match &rule.place {
        StopPlace::Node(node) => Some(node.clone()),
        _ => None,
    }
}

/// Names of nodes before which the run always stops, and all other rules.
fn sorted(all: &[String]) -> ApiResult<(Vec<String>, BTreeSet<StopRule>)> {
    let (mut nodes, mut stops) = (Vec::new(), BTreeSet::new());
    for (index, text) in all.iter().enumerate() {
        let (place, condition) = stop_parts(text);
        let is_rule = place.contains(':') || matches!(place, "turn" | "error" | "step" | "handoff");
        let rule = match (is_rule, condition) {
            (true, _) => StopRule::parse(text),
            (false, None) => {
                nodes.push(place.to_owned());
                continue;
            }
            (false, Some(_)) => StopRule::parse(&format!("node:{text}")),
        };
        let rule = rule.map_err(|problem: Problem| {
            let error = ApiError::new(Code::Invalid, format!("breakpoints[{index}]: {}", problem.message));
            error.hint(problem.hint.unwrap_or_default())
        })?;
        if rule.is_gate {
            let message = format!("breakpoints[{index}]: only a team file can set what you approve");
            return Err(ApiError::new(Code::Invalid, message).hint("remove `approve`"));
        }
        match (node_of(&rule), &rule.condition) {
            (Some(node), None) => nodes.push(node),
            _ => drop(stops.insert(rule)),
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
