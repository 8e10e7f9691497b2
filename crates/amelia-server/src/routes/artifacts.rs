//! Artifacts of a run. A path may contain `/`; its last part can be an operation: `versions`, `diff`, `restore/V`. With
//! `?file=1` it never is.

use amelia_core::artifact::{ArtifactIndex, ArtifactPath, StoredArtifact};
use amelia_core::event::EventKind;
use amelia_core::problem::Problem;
use amelia_core::view::RunRow;
use amelia_orchestrator::artifact_service::{ArtifactService, ContentDiff};
use amelia_orchestrator::service::ServiceError;
use amelia_wire::error::Code;
use amelia_wire::read;
use amelia_wire::rest::artifact::{
    ArtifactDiff, ArtifactDiffQuery, ArtifactQuery, ArtifactShown, ArtifactVersionShown, ArtifactsQuery,
};
use amelia_wire::rest::{ListQuery, Page};
use axum::extract::{FromRequestParts, RawQuery, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use utoipa::OpenApi;

use super::whole;
use crate::error::{ApiError, ApiResult, json, with_status};
use crate::live;
use crate::live::run_channel::RunChannel;
use crate::request::{Query, RunIdPath, parameter};
use crate::state::App;

/// What is behind the path of an artifact: one route serves all of it.
#[derive(OpenApi)]
#[openapi(paths(content, versions, diff, restore))]
pub(super) struct ArtifactOperations;

/// Lists the artifacts of a run by path, each in its newest version. As a WebSocket: sends changes of artifacts, after `?after=SEQ`.
#[utoipa::path(get, path = "/{id}/artifacts", tag = "work", params(ArtifactsQuery),
    responses((status = 200, body = Page<ArtifactShown>), (status = 101, description = "a WebSocket")))]
pub(crate) async fn list(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    request: Request,
) -> ApiResult<Response> {
    let is_socket = live::run::is_upgrade(&request);
    let (mut parts, _) = request.into_parts();
    if is_socket {
        return live::run::open(&app, run, &mut parts, RunChannel::Artifacts).await;
    }
    let Query(query) = Query::<ArtifactsQuery>::from_request_parts(&mut parts, &app).await?;
    let row = app.row(run).await?;
    let ArtifactsQuery { tag, prefix, limit, cursor } = query;
    let index = match app.state.service.artifact_service() {
        Some(service) => service.artifacts(&row).await?,
        None => ArtifactIndex::default(),
    };
    let prefix = prefix.unwrap_or_default();
    let prefix = prefix.strip_prefix("artifacts/").unwrap_or(&prefix);
    let files = index.files().filter(|(path, _)| path.as_str().starts_with(prefix));
    let shown = files.filter_map(|(path, stored)| ArtifactShown::new(path, stored));
    let has_tag = |shown: &ArtifactShown| tag.as_ref().is_none_or(|tag| shown.tags.contains(tag));
    Ok(json(&Page::slice(shown.filter(has_tag).collect(), &ListQuery { limit, cursor })))
}

/// What is asked of an artifact.
struct AskedArtifact<'a> {
    service: &'a dyn ArtifactService,
    row: RunRow,
    index: ArtifactIndex,
    path: ArtifactPath,
}

impl<'a> AskedArtifact<'a> {
    async fn find(app: &'a App, row: RunRow, path: &str) -> ApiResult<Self> {
        let path = ArtifactPath::parse(path).map_err(ServiceError::NotFound)?;
        let none = || ServiceError::not_found(format!("there is no artifact `{path}`"));
        let service = app.state.service.artifact_service().ok_or_else(none)?;
        let index = service.artifacts(&row).await?;
        if index.get(&path).is_none() {
            let problem = Problem::new(format!("the run has no artifact `{path}`"));
            let hint = format!("`amelia artifact list {}` lists them", row.run.number);
            return Err(ServiceError::NotFound(problem.with_hint(hint)).into());
        }
        Ok(Self { service, row, index, path })
    }

    fn stored(&self) -> ApiResult<&StoredArtifact> {
        let none = || ServiceError::not_found(format!("the run has no artifact `{}`", self.path));
        Ok(self.index.get(&self.path).ok_or_else(none)?)
    }
}

/// The `{*path}` of a path: everything behind `artifacts/`. Only `restore/V` takes `POST`, and nothing else.
pub(crate) struct ArtifactPathText(String);

impl<S: Send + Sync> FromRequestParts<S> for ArtifactPathText {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        let path = parameter(parts, state, "path").await?;
        let is_file = names_a_file(parts.uri.query().unwrap_or_default());
        match (parts.method == Method::POST, operation_restore(&path).is_some() && !is_file) {
            (true, false) => Err(no_such_path()),
            (false, true) => {
                let error = ApiError::new(Code::MethodNotAllowed, "use POST to restore an artifact");
                Err(error.hint("add ?file=1 if this is the path of a file"))
            }
            (true, true) | (false, false) => Ok(Self(path)),
        }
    }
}

fn names_a_file(query: &str) -> bool {
    query.split('&').any(|pair| pair == "file=1")
}

fn no_such_path() -> ApiError {
    ApiError::new(Code::NotFound, "there is no such path")
}

/// `GET …/artifacts/{*path}`
pub(crate) async fn get(
    State(app): State<App>,
    ArtifactPathText(path): ArtifactPathText,
    RunIdPath(run): RunIdPath,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let row = app.row(run).await?;
    let query = query.unwrap_or_default();
    if names_a_file(&query) {
        return content(&AskedArtifact::find(&app, row, &path).await?, read::query(&query)?, &headers).await;
    }
    if let Some(path) = path.strip_suffix("/versions") {
        return versions(&AskedArtifact::find(&app, row, path).await?);
    }
    if let Some(path) = path.strip_suffix("/diff") {
        return diff(&AskedArtifact::find(&app, row, path).await?, read::query(&query)?).await;
    }
    content(&AskedArtifact::find(&app, row, &path).await?, read::query(&query)?, &headers).await
}

/// `POST …/artifacts/{*path}`
pub(crate) async fn post(
    State(app): State<App>,
    ArtifactPathText(path): ArtifactPathText,
    RunIdPath(run): RunIdPath,
) -> ApiResult<Response> {
    let (path, version) = operation_restore(&path).ok_or_else(no_such_path)?;
    let row = app.row(run).await?;
    restore(&app, &AskedArtifact::find(&app, row, path).await?, version).await
}

/// The artifact and the version of a path that ends with `restore/V`.
fn operation_restore(path: &str) -> Option<(&str, &str)> {
    let (before, version) = path.rsplit_once('/')?;
    Some((before.strip_suffix("/restore")?, version))
}

/// Returns the content of an artifact with its media type, sandboxed so that it cannot run scripts.
#[utoipa::path(get, path = "/{id}/artifacts/{path}", tag = "work", params(ArtifactQuery),
    responses((status = 200, description = "the content", body = Vec<u8>, content_type = "*/*"),
        (status = 304, description = "the content is that of If-None-Match")))]
async fn content(
    asked: &AskedArtifact<'_>,
    query: ArtifactQuery,
    headers: &HeaderMap,
) -> ApiResult<Response> {
    let stored = asked.stored()?;
    if stored.is_deleted && query.version.is_none() {
        let problem = Problem::new(format!("the file of the artifact `{}` was removed", asked.path));
        return Err(
            ServiceError::NotFound(problem.with_hint("its versions are there: add ?version=v1")).into()
        );
    }
    let version = stored.version(query.version.as_deref()).map_err(ServiceError::NotFound)?;
    let tag = format!("\"{}\"", version.checksum());
    let is_known = headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
    if is_known {
        return Ok((StatusCode::NOT_MODIFIED, [(header::ETAG, tag)]).into_response());
    }
    let content = asked.service.content(&asked.row, version).await?;
    let kind = &version.artifact.mime_type;
    let is_text = kind.starts_with("text/") && !kind.contains(';');
    let kind = if is_text { format!("{kind}; charset=utf-8") } else { kind.clone() };
    let kind = HeaderValue::from_str(&kind);
    let kind = kind.unwrap_or_else(|_| HeaderValue::from_static("application/octet-stream"));
    let tag = HeaderValue::from_str(&tag).unwrap_or_else(|_| HeaderValue::from_static("\"\""));
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::ETAG, tag),
        // It may hold anything that a model wrote.
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox")),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ];
    Ok((headers, content).into_response())
}

/// Lists the versions of an artifact, oldest first.
#[utoipa::path(get, path = "/{id}/artifacts/{path}/versions", tag = "work",
    responses((status = 200, body = Page<ArtifactVersionShown>)))]
fn versions(asked: &AskedArtifact<'_>) -> ApiResult<Response> {
    let all = asked.stored()?.versions.iter().map(ArtifactVersionShown::from).collect();
    Ok(json(&whole::<ArtifactVersionShown>(all)))
}

/// Compares two versions of an artifact.
#[utoipa::path(get, path = "/{id}/artifacts/{path}/diff", tag = "work", params(ArtifactDiffQuery),
    responses((status = 200, body = ArtifactDiff)))]
async fn diff(asked: &AskedArtifact<'_>, query: ArtifactDiffQuery) -> ApiResult<Response> {
    let stored = asked.stored()?;
    let to = stored.version(query.to.as_deref()).map_err(ServiceError::NotFound)?;
    let before = format!("v{}", to.number.saturating_sub(1).max(1));
    let from =
        stored.version(Some(query.from.as_deref().unwrap_or(&before))).map_err(ServiceError::NotFound)?;
    let found = asked.service.diff(&asked.row, &asked.path, from, to).await?;
    let (is_binary, is_too_long) = (found == ContentDiff::Binary, found == ContentDiff::TooLong);
    let diff = match found {
        ContentDiff::Text(diff) => diff,
        ContentDiff::Binary | ContentDiff::TooLong => String::new(),
    };
    let (path, from, to) = (asked.path.to_string(), from.name(), to.name());
    Ok(json(&ArtifactDiff { path, from, to, diff, is_binary, is_too_long }))
}

/// Creates a new version with the content of an earlier one, even while the run is running. Returns the newest version.
#[utoipa::path(post, path = "/{id}/artifacts/{path}/restore/{version}", tag = "work",
    responses((status = 201, body = ArtifactVersionShown),
        (status = 200, description = "the newest version has this content already", body = ArtifactVersionShown)))]
async fn restore(app: &App, asked: &AskedArtifact<'_>, version: &str) -> ApiResult<Response> {
    let wanted = asked.stored()?.version(Some(version)).map_err(ServiceError::NotFound)?;
    let facts = asked.service.restored(&asked.row, &asked.path, wanted).await?;
    let status = if facts.is_empty() { StatusCode::OK } else { StatusCode::CREATED };
    if !facts.is_empty() {
        let facts = facts.into_iter().map(EventKind::Artifact).collect();
        app.state.orchestrator.note(asked.row.run.id, facts).await?;
    }
    let index = asked.service.artifacts(&asked.row).await?;
    let newest = index.get(&asked.path).and_then(StoredArtifact::newest);
    let newest = newest.ok_or_else(|| ServiceError::not_found("the artifact is gone"))?;
    Ok(with_status(status, &ArtifactVersionShown::from(newest)))
}
