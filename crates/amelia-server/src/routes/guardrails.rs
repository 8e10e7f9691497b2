//! Guardrail policies that are shared: those in files are listed and shown; those that were sent here can be changed, too.

use amelia_core::config::problem::ConfigProblem;
use amelia_orchestrator::service::ServiceError;
use amelia_wire::agentx::team::parts::GuardrailPolicy;
use amelia_wire::error::Code;
use amelia_wire::read::Refused;
use amelia_wire::rest::Page;
use amelia_wire::rest::definition::{DefinitionOrigin, DefinitionQuery, PolicyDetail, PolicySummary};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::teams::is_name;
use super::whole;
use crate::error::{ApiError, ApiResult, json};
use crate::request::{JsonBody, NamePath, Query, if_match, tag};
use crate::state::App;

/// Lists the guardrail policies from files of a repository and of the home, and those that were sent here, each with its
/// problems.
#[utoipa::path(get, path = "/guardrails", tag = "definitions", params(DefinitionQuery),
    responses((status = 200, body = Page<PolicySummary>)))]
pub(crate) async fn list(
    State(app): State<App>,
    Query(query): Query<DefinitionQuery>,
) -> ApiResult<Response> {
    Ok(json(&whole(app.state.machine.policies(&query).await?)))
}

/// Shows a guardrail policy and the text of its file.
#[utoipa::path(get, path = "/guardrails/{name}", tag = "definitions", params(DefinitionQuery),
    responses((status = 200, body = PolicyDetail)))]
pub(crate) async fn show(
    State(app): State<App>,
    NamePath(name): NamePath,
    Query(query): Query<DefinitionQuery>,
) -> ApiResult<Response> {
    let policy = app.state.machine.policy(&name, &query).await?;
    answer(&app, &policy).await
}

/// Creates or changes a guardrail policy. Existing runs keep the policies that they were created with.
#[utoipa::path(put, path = "/guardrails/{name}", tag = "definitions", request_body(content = Value, description = "A policy; `amelia schema policy` describes it"),
    params(("If-Match" = Option<String>, Header, description = "`ETag` of the version that you change")),
    responses((status = 200, body = PolicyDetail)))]
pub(crate) async fn replace(
    State(app): State<App>,
    NamePath(name): NamePath,
    headers: HeaderMap,
    mut body: JsonBody,
) -> ApiResult<Response> {
    body.default_field("name", &name);
    let policy = body.read::<GuardrailPolicy>()?;
    if policy.name != name {
        let message = format!("name: `{}` differs from the path", policy.name);
        let hint = "create a new policy and delete this one";
        return Err(ApiError::new(Code::Invalid, message).hint(hint));
    }
    if !is_name(&name) {
        let message = "must have 1 to 64 letters, digits, `_`, `-` and `.`".to_owned();
        return Err(Refused(vec![ConfigProblem { path: "name".to_owned(), message }]).into());
    }
    let text = serde_json::to_string_pretty(&GuardrailPolicy::from(policy))
        .map_err(|error| ApiError::new(Code::Invalid, error.to_string()))?;
    let checked = app.state.machine.check_sent_policy(&name, text.clone()).await?;
    if !checked.problems.is_empty() {
        let problems = checked.problems.into_iter();
        let problems = problems.map(|found| ConfigProblem { path: found.path, message: found.message });
        return Err(Refused(problems.collect()).into());
    }
    not_a_file(&app, &name).await?;
    app.state.policies.put(&name, text, if_match(&headers)?).await?;
    let policy = app.state.machine.policy(&name, &DefinitionQuery::default()).await?;
    answer(&app, &policy).await
}

/// Deletes a guardrail policy that was sent here.
#[utoipa::path(delete, path = "/guardrails/{name}", tag = "definitions",
    responses((status = 204, description = "removed")))]
pub(crate) async fn delete(State(app): State<App>, NamePath(name): NamePath) -> ApiResult<Response> {
    if app.state.policies.delete(&name).await? {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    not_a_file(&app, &name).await?;
    Err(ApiError::new(Code::NotFound, format!("there is no guardrail policy `{name}`")))
}

/// A file comes before what is kept here, and is changed where it is.
async fn not_a_file(app: &App, name: &str) -> ApiResult<()> {
    match app.state.machine.policy(name, &DefinitionQuery::default()).await {
        Ok(policy) if policy.summary.place.source != DefinitionOrigin::Api => {
            let message = format!("the guardrail policy `{name}` is defined in a file");
            let hint = format!("change {}", policy.summary.place.path);
            Err(ApiError::new(Code::Conflict, message).hint(hint))
        }
        Ok(_) | Err(ServiceError::NotFound(_)) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

async fn answer(app: &App, policy: &PolicyDetail) -> ApiResult<Response> {
    let response = json(policy);
    if policy.summary.place.source != DefinitionOrigin::Api {
        return Ok(response);
    }
    let version = app.state.policies.version(&policy.summary.place.name).await?;
    Ok(([(header::ETAG, tag(version))], response).into_response())
}
