//! Profiles: made, read, changed, removed, and which one is the default.

use amelia_core::config::agent::{AgentConfig, Asks};
use amelia_core::config::problem::ProblemReport;
use amelia_core::config::profile::Profile as Core;
use amelia_wire::amelia::config::profile::Profile;
use amelia_wire::error::Code;
use amelia_wire::read::Refused;
use amelia_wire::rest::config::{AgentRule, ProfileShown};
use amelia_wire::rest::{ListQuery, Page};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::error::{ApiError, ApiResult, json, with_status};
use crate::request::{JsonBody, NamePath, Query, if_match, tag};
use crate::state::App;

/// Lists profiles by name.
#[utoipa::path(get, path = "/profiles", tag = "settings", params(ListQuery),
    responses((status = 200, body = Page<ProfileShown>)))]
pub(crate) async fn list(State(app): State<App>, Query(query): Query<ListQuery>) -> ApiResult<Response> {
    let settings = app.state.profiles.settings().await?;
    let active = settings.active_profile;
    let all = settings
        .profiles
        .into_iter()
        .map(|(name, profile)| ProfileShown { is_active: name == active, profile: profile.into() });
    Ok(json(&Page::slice(all.collect(), &query)))
}

/// Creates a profile. The first one becomes the active one.
#[utoipa::path(post, path = "/profiles", tag = "settings", request_body = Profile,
    responses((status = 201, body = ProfileShown)))]
pub(crate) async fn create(State(app): State<App>, body: JsonBody) -> ApiResult<Response> {
    let profile = checked(&app, body)?;
    if app.state.profiles.find(Some(&profile.name)).await?.is_some() {
        let message = format!("profile `{}` exists already", profile.name);
        return Err(ApiError::new(Code::Conflict, message).hint("PUT /api/profiles/{name} changes it"));
    }
    app.state.profiles.put(&profile, None).await?;
    Ok(with_status(StatusCode::CREATED, &found(&app, &profile.name).await?))
}

/// Returns a profile.
#[utoipa::path(get, path = "/profiles/{name}", tag = "settings", responses((status = 200, body = ProfileShown)))]
pub(crate) async fn show(State(app): State<App>, NamePath(name): NamePath) -> ApiResult<Response> {
    answer(&app, &name).await
}

/// Changes a profile. Existing runs keep the profile that they were created with.
#[utoipa::path(put, path = "/profiles/{name}", tag = "settings", request_body = Profile,
    params(("If-Match" = Option<String>, Header, description = "`ETag` of the version that you change")),
    responses((status = 200, body = ProfileShown)))]
pub(crate) async fn replace(
    State(app): State<App>,
    NamePath(name): NamePath,
    headers: HeaderMap,
    mut body: JsonBody,
) -> ApiResult<Response> {
    found(&app, &name).await?;
    body.default_field("name", &name);
    let profile = checked(&app, body)?;
    if profile.name != name {
        let message = format!("name: `{}` differs from the path", profile.name);
        return Err(ApiError::new(Code::Invalid, message).hint("create a new profile and delete this one"));
    }
    app.state.profiles.put(&profile, if_match(&headers)?).await?;
    answer(&app, &name).await
}

/// Deletes a profile.
#[utoipa::path(delete, path = "/profiles/{name}", tag = "settings",
    responses((status = 204, description = "removed")))]
pub(crate) async fn delete(State(app): State<App>, NamePath(name): NamePath) -> ApiResult<Response> {
    match app.state.profiles.delete(&name).await? {
        true => Ok(StatusCode::NO_CONTENT.into_response()),
        false => Err(missing(&name)),
    }
}

/// Makes a profile the default.
#[utoipa::path(post, path = "/profiles/{name}/activate", tag = "settings",
    responses((status = 200, body = ProfileShown)))]
pub(crate) async fn activate(State(app): State<App>, NamePath(name): NamePath) -> ApiResult<Response> {
    match app.state.profiles.activate(&name).await? {
        true => Ok(json(&found(&app, &name).await?)),
        false => Err(missing(&name)),
    }
}

/// Adds a rule for calls of an agent that need no approval. Existing runs keep their rules.
#[utoipa::path(post, path = "/profiles/{name}/rules", tag = "settings", request_body = AgentRule,
    responses((status = 200, body = ProfileShown)))]
pub(crate) async fn add_rule(
    State(app): State<App>,
    NamePath(name): NamePath,
    body: JsonBody,
) -> ApiResult<Response> {
    let AgentRule { agent, rule } = body.shape()?;
    let add = |profile: &mut Core| {
        let config = agent_of(profile, &agent)?;
        config.check_rule(&rule).map_err(|problem| ApiError::new(Code::Invalid, problem))?;
        let asks = config.driver_config().map(|config| config.permissions().asks);
        if asks.is_ok_and(|asks| asks == Asks::Never) {
            let message = format!("the agent `{agent}` of the profile `{name}` asks for no approval");
            let hint = format!("set its option `permissions`: amelia config profile edit {name}");
            return Err(ApiError::new(Code::Conflict, message).hint(hint));
        }
        config.allow(&rule);
        Ok(())
    };
    change(&app, &name, add).await
}

/// Removes a rule. Existing runs keep their rules.
#[utoipa::path(delete, path = "/profiles/{name}/rules", tag = "settings", params(AgentRule),
    responses((status = 200, body = ProfileShown)))]
pub(crate) async fn remove_rule(
    State(app): State<App>,
    NamePath(name): NamePath,
    Query(AgentRule { agent, rule }): Query<AgentRule>,
) -> ApiResult<Response> {
    let remove = |profile: &mut Core| match agent_of(profile, &agent)?.disallow(&rule) {
        true => Ok(()),
        false => {
            let message = format!("the agent `{agent}` of the profile `{name}` has no rule `{rule}`");
            Err(ApiError::new(Code::NotFound, message).hint("`amelia permission list` lists the rules"))
        }
    };
    change(&app, &name, remove).await
}

async fn change(app: &App, name: &str, change: impl Fn(&mut Core) -> ApiResult<()>) -> ApiResult<Response> {
    match app.state.profiles.change(name, change).await? {
        true => answer(app, name).await,
        false => Err(missing(name)),
    }
}

fn agent_of<'p>(profile: &'p mut Core, agent: &str) -> ApiResult<&'p mut AgentConfig> {
    let known = profile.agents.keys().cloned().collect::<Vec<_>>().join(", ");
    let message = format!("the profile `{}` has no agent `{agent}`", profile.name);
    let found = profile.agents.get_mut(agent);
    found.ok_or_else(|| ApiError::new(Code::NotFound, message).hint(format!("it has {known}")))
}

/// A profile that this server would work with.
fn checked(app: &App, body: JsonBody) -> ApiResult<Core> {
    let profile = body.read::<Profile>()?;
    let mut report = ProblemReport::default();
    app.state.config.check_keys(&profile, &mut report);
    let problems = report.into_problems();
    if problems.is_empty() { Ok(profile) } else { Err(Refused(problems).into()) }
}

async fn answer(app: &App, name: &str) -> ApiResult<Response> {
    let shown = found(app, name).await?;
    Ok(([(header::ETAG, tag(app.state.profiles.version(name).await?))], json(&shown)).into_response())
}

async fn found(app: &App, name: &str) -> ApiResult<ProfileShown> {
    let mut settings = app.state.profiles.settings().await?;
    let profile = settings.profiles.remove(name).ok_or_else(|| missing(name))?;
    Ok(ProfileShown { is_active: settings.active_profile == name, profile: profile.into() })
}

fn missing(name: &str) -> ApiError {
    ApiError::new(Code::NotFound, format!("there is no profile `{name}`"))
}
