//! Teams: those in files are listed and shown; those that were sent here can be changed, too.

use amelia_core::config::problem::ConfigProblem;
use amelia_orchestrator::service::ServiceError;
use amelia_wire::agentx::team::TeamConfig;
use amelia_wire::error::Code;
use amelia_wire::read::Refused;
use amelia_wire::rest::Page;
use amelia_wire::rest::definition::{
    CheckedTeam, DefinitionOrigin, DefinitionProblem, DefinitionQuery, DefinitionText, TeamDetail,
    TeamSummary,
};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::whole;
use crate::error::{ApiError, ApiResult, json, with_status};
use crate::request::{JsonBody, NamePath, Query, if_match, tag};
use crate::state::App;

/// The longest name of a team that is sent here.
const MAX_NAME: usize = 64;
/// A path below `/teams`, so no team can be reached by this name.
const TAKEN: &str = "validate";

/// Lists the teams from files of a repository and of the home, and those that were sent here, each with its problems.
#[utoipa::path(get, path = "/teams", tag = "definitions", params(DefinitionQuery),
    responses((status = 200, body = Page<TeamSummary>)))]
pub(crate) async fn list(
    State(app): State<App>,
    Query(query): Query<DefinitionQuery>,
) -> ApiResult<Response> {
    Ok(json(&whole(app.state.machine.teams(&query).await?)))
}

/// Shows a team and the text of its file.
#[utoipa::path(get, path = "/teams/{name}", tag = "definitions", params(DefinitionQuery),
    responses((status = 200, body = TeamDetail)))]
pub(crate) async fn show(
    State(app): State<App>,
    NamePath(name): NamePath,
    Query(query): Query<DefinitionQuery>,
) -> ApiResult<Response> {
    let team = app.state.machine.team(&name, &query).await?;
    answer(&app, StatusCode::OK, &team).await
}

/// Creates a team.
#[utoipa::path(post, path = "/teams", tag = "definitions", request_body(content = Value, description = "A team; `amelia schema team` describes it"),
    responses((status = 201, body = TeamDetail)))]
pub(crate) async fn create(State(app): State<App>, body: JsonBody) -> ApiResult<Response> {
    let (name, text) = checked(&app, body).await?;
    if let Some(other) = found(&app, &name).await? {
        let message = format!("the team `{name}` exists already");
        let hint = match other.summary.place.source {
            DefinitionOrigin::Api => "PUT /api/teams/{name} changes it".to_owned(),
            _ => format!("change {}", other.summary.place.path),
        };
        return Err(ApiError::new(Code::Conflict, message).hint(hint));
    }
    app.state.teams.put(&name, text, None).await?;
    let team = app.state.machine.team(&name, &DefinitionQuery::default()).await?;
    answer(&app, StatusCode::CREATED, &team).await
}

/// Creates or changes a team. Existing runs keep the team that they were created with.
#[utoipa::path(put, path = "/teams/{name}", tag = "definitions", request_body(content = Value, description = "A team; `amelia schema team` describes it"),
    params(("If-Match" = Option<String>, Header, description = "`ETag` of the version that you change")),
    responses((status = 200, body = TeamDetail)))]
pub(crate) async fn replace(
    State(app): State<App>,
    NamePath(name): NamePath,
    headers: HeaderMap,
    mut body: JsonBody,
) -> ApiResult<Response> {
    body.default_field("name", &name);
    let (own, text) = checked(&app, body).await?;
    if own != name {
        let message = format!("name: `{own}` differs from the path");
        return Err(ApiError::new(Code::Invalid, message).hint("create a new team and delete this one"));
    }
    not_a_file(&app, &name).await?;
    app.state.teams.put(&name, text, if_match(&headers)?).await?;
    let team = app.state.machine.team(&name, &DefinitionQuery::default()).await?;
    answer(&app, StatusCode::OK, &team).await
}

/// Deletes a team that was sent here.
#[utoipa::path(delete, path = "/teams/{name}", tag = "definitions",
    responses((status = 204, description = "removed")))]
pub(crate) async fn delete(State(app): State<App>, NamePath(name): NamePath) -> ApiResult<Response> {
    if app.state.teams.delete(&name).await? {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    not_a_file(&app, &name).await?;
    Err(ApiError::new(Code::NotFound, format!("there is no team `{name}`")))
}

/// Checks a text as the file of the team that it names. Nothing is stored.
#[utoipa::path(post, path = "/teams/validate", tag = "definitions", request_body = DefinitionText,
    responses((status = 200, body = CheckedTeam)))]
pub(crate) async fn validate(State(app): State<App>, body: JsonBody) -> ApiResult<Response> {
    Ok(json(&app.state.machine.check_team(body.shape()?).await?))
}

/// The name and the text of a team that can be kept here.
async fn checked(app: &App, body: JsonBody) -> ApiResult<(String, String)> {
    let team = body.read::<TeamConfig>()?;
    let name = team.name.clone();
    if !is_name(&name) || name == TAKEN {
        let message =
            format!("must have 1 to {MAX_NAME} letters, digits, `_`, `-` and `.`, and not be `{TAKEN}`");
        return Err(Refused(vec![ConfigProblem { path: "name".to_owned(), message }]).into());
    }
    let text = serde_json::to_string_pretty(&TeamConfig::from(team))
        .map_err(|error| ApiError::new(Code::Invalid, error.to_string()))?;
    let checked = app.state.machine.check_sent_team(&name, text.clone()).await?;
    if checked.problems.is_empty() {
        return Ok((name, text));
    }
    let problems = checked.problems.into_iter();
    let problem = |found: DefinitionProblem| ConfigProblem {
        path: found.path,
        message: match found.file {
            Some(file) => format!("{file}:{}:{}: {}", found.line, found.column, found.message),
            None => found.message,
        },
    };
    Err(Refused(problems.map(problem).collect()).into())
}

/// Whether what is sent here can have this name.
pub(super) fn is_name(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len())
        && !name.starts_with('.')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

async fn found(app: &App, name: &str) -> ApiResult<Option<TeamDetail>> {
    match app.state.machine.team(name, &DefinitionQuery::default()).await {
        Ok(team) => Ok(Some(team)),
        Err(ServiceError::NotFound(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// A file comes before what is kept here, and is changed where it is.
async fn not_a_file(app: &App, name: &str) -> ApiResult<()> {
    match found(app, name).await? {
        Some(team) if team.summary.place.source != DefinitionOrigin::Api => {
            let path = team.summary.place.path;
            let message = format!("the team `{name}` is defined in a file");
            Err(ApiError::new(Code::Conflict, message).hint(format!("change {path}")))
        }
        _ => Ok(()),
    }
}

async fn answer(app: &App, status: StatusCode, team: &TeamDetail) -> ApiResult<Response> {
    let response = with_status(status, team);
    if team.summary.place.source != DefinitionOrigin::Api {
        return Ok(response);
    }
    let version = app.state.teams.version(&team.summary.place.name).await?;
    Ok(([(header::ETAG, tag(version))], response).into_response())
}
