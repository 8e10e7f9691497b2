//! Prompts of the roles.

use amelia_orchestrator::prompts::{LARGEST, Prompt};
use amelia_wire::error::Code;
use amelia_wire::rest::prompt::{NewPrompt, PromptShown, PromptVersion};
use amelia_wire::rest::{ListQuery, Page};
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse as _, Response};

use crate::error::{ApiError, ApiResult, json};
use crate::request::{JsonBody, NamePath, Query, if_match, tag};
use crate::state::App;

/// Lists all prompts.
#[utoipa::path(get, path = "/prompts", tag = "settings", params(ListQuery),
    responses((status = 200, body = Page<PromptShown>)))]
pub(crate) async fn list(State(app): State<App>, Query(query): Query<ListQuery>) -> ApiResult<Response> {
    let all = app.state.prompts.all().await?.into_iter().map(shown);
    Ok(json(&Page::slice(all.collect(), &query)))
}

/// Returns a prompt.
#[utoipa::path(get, path = "/prompts/{name}", tag = "settings", responses((status = 200, body = PromptShown)))]
pub(crate) async fn show(State(app): State<App>, NamePath(name): NamePath) -> ApiResult<Response> {
    answer(&app, &name).await
}

/// Replaces a prompt. Existing runs keep the old one.
#[utoipa::path(put, path = "/prompts/{name}", tag = "settings", request_body = NewPrompt,
    params(("If-Match" = Option<String>, Header, description = "`ETag` of the version that you change")),
    responses((status = 200, body = PromptShown)))]
pub(crate) async fn replace(
    State(app): State<App>,
    NamePath(name): NamePath,
    headers: HeaderMap,
    body: JsonBody,
) -> ApiResult<Response> {
    let NewPrompt { text } = body.shape()?;
    found(&app, &name).await?;
    if text.trim().is_empty() || text.len() > LARGEST {
        let message = format!("text: must have 1 to {LARGEST} bytes, and has {}", text.len());
        return Err(ApiError::new(Code::Invalid, message));
    }
    app.state.prompts.change(&name, Some(text), if_match(&headers)?).await?;
    answer(&app, &name).await
}

/// Restores the built-in prompt.
#[utoipa::path(delete, path = "/prompts/{name}", tag = "settings", responses((status = 200, body = PromptShown)))]
pub(crate) async fn reset(State(app): State<App>, NamePath(name): NamePath) -> ApiResult<Response> {
    found(&app, &name).await?;
    app.state.prompts.change(&name, None, None).await?;
    answer(&app, &name).await
}

/// Lists the versions of a prompt, oldest first.
#[utoipa::path(get, path = "/prompts/{name}/versions", tag = "settings", params(ListQuery),
    responses((status = 200, body = Page<PromptVersion>)))]
pub(crate) async fn history(
    State(app): State<App>,
    NamePath(name): NamePath,
    Query(query): Query<ListQuery>,
) -> ApiResult<Response> {
    found(&app, &name).await?;
    let all = app.state.prompts.history(&name).await?.into_iter().map(PromptVersion::from);
    Ok(json(&Page::slice(all.collect(), &query)))
}

async fn answer(app: &App, name: &str) -> ApiResult<Response> {
    let shown = shown(found(app, name).await?);
    Ok(([(header::ETAG, tag(app.state.prompts.version(name).await?))], json(&shown)).into_response())
}

async fn found(app: &App, name: &str) -> ApiResult<Prompt> {
    if let Some(prompt) = app.state.prompts.find(name).await? {
        return Ok(prompt);
    }
    let names: Vec<_> = app.state.prompts.all().await?.into_iter().map(|prompt| prompt.name).collect();
    let missing = ApiError::new(Code::NotFound, format!("there is no prompt `{name}`"));
    Err(missing.hint(format!("the prompts are: {}", names.join(", "))))
}

fn shown(Prompt { name, text, shipped, own_version, problem }: Prompt) -> PromptShown {
    PromptShown {
        name: name.to_owned(),
        text,
        shipped: own_version.map(|_| shipped.to_owned()),
        is_own: own_version.is_some(),
        version: own_version,
        problem,
    }
}
