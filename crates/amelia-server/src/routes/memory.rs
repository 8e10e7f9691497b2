//! What agents remember: of all runs, and of one.

use std::path::Path;

use amelia_core::memory::summary::SUMMARY_PREFIX;
use amelia_core::memory::{
    MemoryFilter, MemoryQuery, MemoryScope, MemorySpace, NewMemory, expiry, memory_number,
};
use amelia_core::message::MemoryKind;
use amelia_core::problem::Problem;
use amelia_core::view::RunRow;
use amelia_orchestrator::memory_service::{ConsolidationRequest, MemoryService, PlannedConsolidation};
use amelia_orchestrator::orchestrator::StartMode;
use amelia_orchestrator::service::ServiceError;
use amelia_wire::error::Code;
use amelia_wire::rest::Page;
use amelia_wire::rest::memory::{
    ConsolidateMemory, ConsolidatedTopic, ConsolidationRun, ConsolidationStarted, CreateMemory,
    MemoriesQuery, MemoryDetail, MemoryShown, RunMemorySummary, SearchMemory,
};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};

use super::whole;
use crate::error::{ApiError, ApiResult, json, with_status};
use crate::live;
use crate::live::run_channel::RunChannel;
use crate::request::{JsonBody, NamePath, Query, RunIdPath};
use crate::state::App;

/// Who writes over the API, as entries name them.
const PERSON: &str = "user";
const DEFAULT_FOUND: u32 = 5;
const MAX_FOUND: u32 = 100;
/// Types of which entries are stored.
const STORED: [MemoryKind; 2] = [MemoryKind::LongTerm, MemoryKind::Semantic];

/// Lists what agents remember, newest first.
#[utoipa::path(get, path = "/memory", tag = "memory", params(MemoriesQuery),
    responses((status = 200, body = Page<MemoryShown>)))]
pub(crate) async fn list(State(app): State<App>, Query(query): Query<MemoriesQuery>) -> ApiResult<Response> {
    let limit = query.limit.get();
    let filter = MemoryFilter {
        scope: query.scope,
        kinds: query.kind.into_iter().collect(),
        key: query.key,
        before: query.cursor.map(amelia_wire::rest::Place::get),
        limit: limit.saturating_add(1),
        ..MemoryFilter::default()
    };
    let mut found = service(&app)?.memories(filter).await?;
    let has_more = found.len() > limit;
    found.truncate(limit);
    let next_cursor = found.last().filter(|_| has_more).map(|last| last.number.to_string());
    Ok(json(&Page { items: found.into_iter().map(MemoryShown::from).collect(), next_cursor }))
}

/// Shows an entry with its versions.
#[utoipa::path(get, path = "/memory/{name}", tag = "memory", responses((status = 200, body = MemoryDetail)))]
pub(crate) async fn show(State(app): State<App>, NamePath(id): NamePath) -> ApiResult<Response> {
    let versions = service(&app)?.memory_versions(number(&id)?).await?;
    let newest = versions.last().cloned().ok_or_else(|| missing(&id))?;
    let versions = versions.into_iter().map(Into::into).collect();
    let sources = match newest.consolidation.method() {
        Some(_) => service(&app)?.memory_sources(newest.number).await?,
        None => Vec::new(),
    };
    let sources = sources.into_iter().map(Into::into).collect();
    Ok(json(&MemoryDetail { entry: newest.into(), versions, sources }))
}

/// Stores an entry, or a new version of the entry with its key.
#[utoipa::path(post, path = "/memory", tag = "memory", request_body = CreateMemory,
    responses((status = 201, body = MemoryShown), (status = 200, description = "it was stored already", body = MemoryShown)))]
pub(crate) async fn create(State(app): State<App>, body: JsonBody) -> ApiResult<Response> {
    let wanted: CreateMemory = body.shape()?;
    let service = service(&app)?;
    let kind = wanted.kind.unwrap_or(MemoryKind::LongTerm);
    if !STORED.contains(&kind) {
        return Err(ApiError::new(Code::Invalid, "type: use long_term or semantic"));
    }
    if kind == MemoryKind::LongTerm && wanted.key.is_none() {
        return Err(ApiError::new(Code::Invalid, "key: is missing; only semantic entries can have none"));
    }
    let now = app.now();
    let expires_at = expiry(now, wanted.ttl_seconds).map_err(ServiceError::Invalid)?;
    let directory = wanted.repository.unwrap_or_default();
    if wanted.scope == MemoryScope::Repository && directory.is_empty() {
        return Err(ApiError::new(Code::Invalid, "repository: is missing"));
    }
    let space = service.space(wanted.scope, wanted.team.as_deref(), Path::new(&directory)).await?;
    let key = wanted.key.map(|key| key.trim().to_owned());
    let (by, run) = (PERSON.to_owned(), None);
    let new = NewMemory { space, kind, key, text: wanted.content, by, run, at: now, expires_at };
    let written = service.remember(new).await?;
    let status = if written.is_known { StatusCode::OK } else { StatusCode::CREATED };
    Ok(with_status(status, &MemoryShown::from(written.entry)))
}

/// Removes an entry with all its versions.
#[utoipa::path(delete, path = "/memory/{name}", tag = "memory", responses((status = 204, description = "removed")))]
pub(crate) async fn delete(State(app): State<App>, NamePath(id): NamePath) -> ApiResult<Response> {
    match service(&app)?.forget(number(&id)?).await? {
        true => Ok(StatusCode::NO_CONTENT.into_response()),
        false => Err(missing(&id)),
    }
}

/// Searches all entries.
#[utoipa::path(post, path = "/memory/search", tag = "memory", request_body = SearchMemory,
    responses((status = 200, body = Page<MemoryShown>)))]
pub(crate) async fn search(State(app): State<App>, body: JsonBody) -> ApiResult<Response> {
    found(&app, body.shape()?, None).await
}

/// Shows how much the agents of a run can read. As a WebSocket: sends what they store and read, after `?after=SEQ`.
#[utoipa::path(get, path = "/{id}/memory", tag = "memory",
    responses((status = 200, body = RunMemorySummary), (status = 101, description = "a WebSocket")))]
pub(crate) async fn of_run(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    request: Request,
) -> ApiResult<Response> {
    if live::run::is_upgrade(&request) {
        return live::run::open(&app, run, &mut request.into_parts().0, RunChannel::Memory).await;
    }
    let row = app.row(run).await?;
    let service = service(&app)?;
    let spaces = service.spaces_of(&row);
    let long_term = service.memory_totals(spaces.clone(), MemoryKind::LongTerm).await?.into();
    let semantic = service.memory_totals(spaces.clone(), MemoryKind::Semantic).await?.into();
    let consolidated = consolidated(service, spaces).await?;
    Ok(json(&RunMemorySummary { long_term, semantic, consolidated }))
}

/// The topics that have a summary in these spaces. Without spaces there are none.
async fn consolidated(
    service: &dyn MemoryService,
    spaces: Vec<MemorySpace>,
) -> ApiResult<Vec<ConsolidatedTopic>> {
    if spaces.is_empty() {
        return Ok(Vec::new());
    }
    let topic = Some(SUMMARY_PREFIX.trim_end_matches('/').to_owned());
    let found = service.memories(MemoryFilter { spaces, topic, ..MemoryFilter::default() }).await?;
    let mut all = Vec::new();
    for entry in found.into_iter().filter(|entry| entry.consolidation.method().is_some()) {
        let items = service.memory_sources(entry.number).await?.len();
        let key = entry.key.as_deref().unwrap_or_default();
        all.push(ConsolidatedTopic {
            topic: key.strip_prefix(SUMMARY_PREFIX).unwrap_or(key).to_owned(),
            memory_id: entry.id(),
            items: u64::try_from(items).unwrap_or(u64::MAX),
            updated_at: entry.at,
        });
    }
    Ok(all)
}

/// Summarises entries about one topic, in runs of their own.
#[utoipa::path(post, path = "/memory/consolidate", tag = "memory", request_body = Option<ConsolidateMemory>,
    responses((status = 202, body = ConsolidationStarted),
        (status = 200, description = "there is nothing to summarise", body = ConsolidationStarted)))]
pub(crate) async fn consolidate(State(app): State<App>, body: JsonBody) -> ApiResult<Response> {
    consolidated_by(&app, body.shape()?, None).await
}

/// Summarises what the agents of a run can store, by the model of its team.
#[utoipa::path(post, path = "/{id}/memory/consolidate", tag = "memory", request_body = Option<ConsolidateMemory>,
    responses((status = 202, body = ConsolidationStarted),
        (status = 200, description = "there is nothing to summarise", body = ConsolidationStarted)))]
pub(crate) async fn consolidate_run(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    body: JsonBody,
) -> ApiResult<Response> {
    let row = app.row(run).await?;
    consolidated_by(&app, body.shape()?, Some(&row)).await
}

async fn consolidated_by(app: &App, wanted: ConsolidateMemory, run: Option<&RunRow>) -> ApiResult<Response> {
    let topic = wanted.topic.as_deref().map(|topic| topic.trim().trim_end_matches('/'));
    if topic.is_some_and(str::is_empty) {
        return Err(ApiError::new(Code::Invalid, "topic: must not be empty"));
    }
    let asked = ConsolidationRequest { run, scope: wanted.scope, topic };
    let mut started = ConsolidationStarted::default();
    for PlannedConsolidation { topics, method, spec } in service(app)?.consolidations(asked).await? {
        let run = app.state.orchestrator.start(spec, StartMode::Soon).await?;
        let number = app.row(run).await?.run.number.0;
        started.topics.extend(topics.iter().cloned());
        started.runs.push(ConsolidationRun { run_id: run.0, number, topics, method });
    }
    let status = if started.runs.is_empty() { StatusCode::OK } else { StatusCode::ACCEPTED };
    Ok(with_status(status, &started))
}

/// Searches what the agents of a run can read.
#[utoipa::path(post, path = "/{id}/memory/search", tag = "memory", request_body = SearchMemory,
    responses((status = 200, body = Page<MemoryShown>)))]
pub(crate) async fn search_run(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    body: JsonBody,
) -> ApiResult<Response> {
    let row = app.row(run).await?;
    let wanted: SearchMemory = body.shape()?;
    let spaces = service(&app)?.spaces_of(&row);
    found(&app, wanted, Some(spaces)).await
}

async fn found(app: &App, wanted: SearchMemory, spaces: Option<Vec<MemorySpace>>) -> ApiResult<Response> {
    let limit = wanted.limit.unwrap_or(DEFAULT_FOUND);
    if !(1..=MAX_FOUND).contains(&limit) {
        return Err(ApiError::new(Code::Invalid, format!("limit: {limit} is not in 1..={MAX_FOUND}")));
    }
    if wanted.query.trim().is_empty() {
        return Err(ApiError::new(Code::Invalid, "query: must not be empty"));
    }
    let SearchMemory { query: text, scopes, types: kinds, threshold, with_sources, .. } = wanted;
    let limit = usize::try_from(limit).unwrap_or_default();
    let query = MemoryQuery { text, spaces, scopes, kinds, with_sources, limit };
    let items = service(app)?.find_memories(query).await?;
    let threshold = threshold.unwrap_or_default();
    let items = items.into_iter().filter(|found| found.relevance >= threshold);
    Ok(json(&whole(items.map(MemoryShown::from).collect())))
}

fn service(app: &App) -> ApiResult<&dyn MemoryService> {
    let missing = || ServiceError::not_found("this server keeps no memory");
    Ok(app.state.service.memory_service().ok_or_else(missing)?)
}

fn number(id: &str) -> ApiResult<u64> {
    memory_number(id).ok_or_else(|| missing(id))
}

fn missing(id: &str) -> ApiError {
    let problem = Problem::new(format!("there is no memory entry `{id}`"));
    ServiceError::NotFound(problem.with_hint("`amelia memory list` lists them")).into()
}
