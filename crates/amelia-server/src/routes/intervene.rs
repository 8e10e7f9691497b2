//! What a person does to a run without being asked. What is answered here is in the log.

use amelia_core::event::human::{Intervention, InterventionKind};
use amelia_core::id::RunId;
use amelia_core::view::RunRow;
use amelia_orchestrator::orchestrator::{Instruction, Intervened};
use amelia_wire::error::Code;
use amelia_wire::rest::intervene::{InstructionDetails, Intervene, InterventionAccepted};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;

use crate::error::{ApiError, ApiResult, with_status};
use crate::request::{JsonBody, RunIdPath};
use crate::state::App;

/// Sends an instruction to an agent of a run, chooses the next agent of a team, or changes its plan or the team itself. All but instructions need a
/// run that is not running.
#[utoipa::path(post, path = "/{id}/intervene", tag = "people", request_body = Intervene,
    responses((status = 202, body = InterventionAccepted)))]
pub(crate) async fn intervene(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    body: JsonBody,
) -> ApiResult<Response> {
    let Intervene { intervention_type: kind, details, user_id: by } = body.shape()?;
    let done = match kind {
        InterventionKind::Instruction => instruct(&app, run, InstructionDetails::read(&details)?, by).await?,
        InterventionKind::PlanUpdate
        | InterventionKind::AgentOverride
        | InterventionKind::TeamModification => {
            let orchestrator = &app.state.orchestrator;
            let intervention = Intervention { id: orchestrator.new_intervention(), kind, details, by };
            orchestrator.intervene(run, intervention, &*app.state.service).await?
        }
    };
    let row = app.row(run).await?;
    let Intervened { id: intervention_id, notes } = done;
    let accepted = InterventionAccepted { intervention_id, id: run.0, status: row.view.status.into(), notes };
    Ok(with_status(StatusCode::ACCEPTED, &accepted))
}

async fn instruct(
    app: &App,
    run: RunId,
    InstructionDetails { message, agent }: InstructionDetails,
    by: Option<String>,
) -> ApiResult<Intervened> {
    let row = app.row(run).await?;
    if let Some(agent) = &agent {
        check_agent(app, &row, agent).await?;
    }
    let instruction = Instruction { text: message.trim(), agent, by };
    let id = app.state.orchestrator.instruct(run, instruction).await?;
    Ok(Intervened { id, notes: Vec::new() })
}

/// Words for an agent that is not there would never be heard.
async fn check_agent(app: &App, row: &RunRow, agent: &str) -> ApiResult<()> {
    match app.state.service.agents(row).await? {
        Some(agents) if !agents.contains(agent) => {
            let known: Vec<&str> = agents.iter().map(String::as_str).collect();
            let message = format!("the run has no agent `{agent}`");
            Err(ApiError::new(Code::Invalid, message).hint(format!("its agents: {}", known.join(", "))))
        }
        Some(_) | None => Ok(()),
    }
}
