//! Questions and answers. An answer is durable when it is acknowledged; no request waits here for the work behind it.

use amelia_core::event::human::{Intervention, InterventionKind};
use amelia_core::human::{HumanAction, HumanKind, HumanReply, HumanRequest, WaitMode};
use amelia_core::id::{RequestId, RunId};
use amelia_core::permission::GrantDuration;
use amelia_core::run::RunStatus;
use amelia_core::store::RunFilter;
use amelia_core::view::RunRow;
use amelia_orchestrator::orchestrator::CommandError;
use amelia_wire::error::Code;
use amelia_wire::rest::human::{
    Approve, GrantChoice, NewPlan, Pending, PlanReplacement, Reject, Replan, Respond,
};
use amelia_wire::rest::request::Accepted;
use amelia_wire::rest::why::why;
use amelia_wire::rest::{ListQuery, Page};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;

use super::accepted;
use crate::error::{ApiError, ApiResult, json};
use crate::request::{JsonBody, Query, RequestIdPath, RunIdPath};
use crate::state::App;

/// Approves the plan or the tool call that a run asks about.
#[utoipa::path(post, path = "/{id}/approve", tag = "people", request_body = Option<Approve>,
    responses((status = 202, body = Accepted)))]
pub(crate) async fn approve(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    body: JsonBody,
) -> ApiResult<Response> {
    let mut approve: Approve = body.shape()?;
    let (row, request) = approval(&app, run).await?;
    let grant = approve.grant.take();
    let answer = granting(&app, &row, &request, approve.reply(request.id, app.now()), grant).await?;
    reply(&app, run, answer).await
}

/// Rejects the plan or the tool call that a run asks about, with feedback. A rejected plan is revised.
#[utoipa::path(post, path = "/{id}/reject", tag = "people", request_body = Reject,
    responses((status = 202, body = Accepted)))]
pub(crate) async fn reject(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    body: JsonBody,
) -> ApiResult<Response> {
    let Reject { feedback } = body.shape()?;
    let (_, request) = approval(&app, run).await?;
    reply(&app, run, no(&app, request.id, feedback)).await
}

/// Requests another plan.
#[utoipa::path(post, path = "/{id}/replan", tag = "people", request_body = Option<Replan>,
    responses((status = 202, body = Accepted)))]
pub(crate) async fn replan(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    body: JsonBody,
) -> ApiResult<Response> {
    let Replan { feedback } = body.shape()?;
    let (_, request) = approval(&app, run).await?;
    let feedback = feedback.unwrap_or_else(|| "Make another plan, in a different way.".to_owned());
    reply(&app, run, no(&app, request.id, feedback)).await
}

/// Replaces the plan that waits for approval, and approves it. Of a run of a team that is not running, replaces the plan by
/// the `plan.json` in the body.
#[utoipa::path(post, path = "/{id}/plan", tag = "people", request_body = PlanReplacement,
    responses((status = 202, body = Accepted)))]
pub(crate) async fn replace_plan(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    body: JsonBody,
) -> ApiResult<Response> {
    let row = app.row(run).await?;
    if app.state.service.plan(&row).await?.is_some_and(|plan| plan.document.is_some()) {
        let (kind, details) =
            (InterventionKind::PlanUpdate, [("plan".to_owned(), body.shape()?)].into_iter().collect());
        let id = app.state.orchestrator.new_intervention();
        let update = Intervention { id, kind, details, by: None };
        app.state.orchestrator.intervene(run, update, &*app.state.service).await?;
        return accepted(&app, StatusCode::ACCEPTED, run).await;
    }
    let NewPlan { plan, feedback } = body.shape()?;
    let (_, request) = approval(&app, run).await?;
    let approve = Approve { feedback, plan: Some(plan), grant: None };
    reply(&app, run, approve.reply(request.id, app.now())).await
}

/// Lists the open questions of a run.
#[utoipa::path(get, path = "/{id}/hitl/requests", tag = "people", params(ListQuery),
    responses((status = 200, body = Page<Pending>)))]
pub(crate) async fn requests(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    Query(query): Query<ListQuery>,
) -> ApiResult<Response> {
    let row = app.row(run).await?;
    Ok(json(&Page::slice(Pending::of(&row).collect(), &query)))
}

/// Answers a question. Only the first answer counts.
#[utoipa::path(post, path = "/{id}/hitl/{request_id}/respond", tag = "people", request_body = Respond,
    responses((status = 202, body = Accepted)))]
pub(crate) async fn respond(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    RequestIdPath(request): RequestIdPath,
    body: JsonBody,
) -> ApiResult<Response> {
    let mut respond: Respond = body.shape()?;
    let row = app.row(run).await?;
    let Some(pending) = row.view.pending.iter().find(|pending| pending.id == request) else {
        let known = app.logs.known(run, row.view.seq).await?;
        return Err(match known.facts.requests.contains_key(&request) {
            true => CommandError::NotWaiting(run).into(),
            false => ApiError::new(Code::NotFound, format!("run {run} has no question {request}")),
        });
    };
    let grant = respond.grant.take();
    let answer = granting(&app, &row, pending, respond.reply(request, app.now()), grant).await?;
    reply(&app, run, answer).await
}

/// Lists the open questions of all runs, oldest first.
#[utoipa::path(get, path = "/inbox", tag = "people", params(ListQuery),
    responses((status = 200, body = Page<Pending>)))]
pub(crate) async fn inbox(State(app): State<App>, Query(query): Query<ListQuery>) -> ApiResult<Response> {
    let rows = app.store().runs(&RunFilter { unfinished: true, ..RunFilter::default() }).await?;
    let mut all: Vec<Pending> = rows.iter().flat_map(Pending::of).collect();
    all.sort_by_key(|pending| (pending.requested_at, pending.request_id));
    Ok(json(&Page::slice(all, &query)))
}

async fn reply(app: &App, run: RunId, reply: HumanReply) -> ApiResult<Response> {
    app.state.orchestrator.reply(run, reply).await?;
    accepted(app, StatusCode::ACCEPTED, run).await
}

/// An answer with what it grants. A rule for always is in the profile before the run continues with it: what fails then is
/// said while the question is still open.
async fn granting(
    app: &App,
    row: &RunRow,
    request: &HumanRequest,
    reply: HumanReply,
    choice: Option<GrantChoice>,
) -> ApiResult<HumanReply> {
    let Some(choice) = choice else { return Ok(reply) };
    if reply.action != HumanAction::Approve {
        return Err(ApiError::new(
            Code::Invalid,
            "a grant is possible only with an approval that changes nothing",
        ));
    }
    let grant = choice.granted(request).map_err(|problem| ApiError::new(Code::Invalid, problem))?;
    if let Some(grant) = grant.as_ref().filter(|grant| grant.lasts == GrantDuration::Always) {
        app.state.orchestrator.check_grant(row, grant)?;
        app.state.service.allow_always(row, grant).await?;
    }
    Ok(HumanReply { grant, ..reply })
}

fn no(app: &App, request: RequestId, feedback: String) -> HumanReply {
    let (action, at) = (HumanAction::Reject, app.now());
    HumanReply { request, action, at, by: None, message: Some(feedback), updates: None, grant: None }
}

/// The question for approval that a run waits for.
async fn approval(app: &App, run: RunId) -> ApiResult<(RunRow, HumanRequest)> {
    let row = app.row(run).await?;
    let is_open = match row.view.status {
        RunStatus::Pending | RunStatus::Running | RunStatus::Waiting(_) => true,
        RunStatus::Completed | RunStatus::Failed | RunStatus::Cancelled => false,
    };
    let approvals = || row.view.pending.iter().filter(|request| request.kind == HumanKind::Approval);
    // One that the run waits for comes before one that nothing waits for.
    let is_awaited = |request: &&HumanRequest| request.mode != Some(WaitMode::Advisory);
    let request = approvals().find(is_awaited).or_else(|| approvals().next());
    match request.filter(|_| is_open).cloned() {
        Some(request) => Ok((row, request)),
        None => {
            let waits = ApiError::new(Code::WrongState, format!("run {run} is not waiting for approval"));
            Err(waits.hint(way_out(app, &row)))
        }
    }
}

/// What would move the run on.
pub(super) fn way_out(app: &App, row: &RunRow) -> String {
    why(row, &app.worker(row.run.id)).map_or_else(|| "it has ended".to_owned(), |why| why.unblock)
}
