//! From a request to a run: the request is read, the service looks at the repository, the orchestrator takes it.

use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use amelia_core::attachment::MAX_ATTACHED_BYTES;
use amelia_core::config::problem::ConfigProblem;
use amelia_core::config::provider::Provider;
use amelia_core::id::RunId;
use amelia_core::object::Object;
use amelia_core::run::RunSpec;
use amelia_orchestrator::orchestrator::StartMode;
use amelia_orchestrator::service::{
    DefinitionName, GivenPlan, ModelChoice, RequestedTeam, RequestedWork, ReviewOf, RunRequest,
};
use amelia_wire::agentx::team::TeamConfig;
use amelia_wire::amelia::v1::plan::{design_in, plan_in};
use amelia_wire::error::Code;
use amelia_wire::read::{Refused, read};
use amelia_wire::rest::attachment::attached_files;
use amelia_wire::rest::request::{
    Accepted, ModelWanted, NewReview, NewSingle, NewTask, NewWorkflow, ReviewMode,
};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use serde_json::Value;

use super::{accepted, steer};
use crate::error::{ApiError, ApiResult};
use crate::request::{BODY_LIMIT, JsonBody, idempotency_key, too_long};
use crate::state::App;

/// The most that is read of a plan in a file.
const LONGEST_PLAN: u64 = 1024 * 1024;
/// The most bytes of a request with attachments: those that a run may have, in base64, and everything else.
pub(super) const ATTACHMENTS_LIMIT: usize = MAX_ATTACHED_BYTES / 3 * 4 + BODY_LIMIT;

#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "describes a header, which `key` reads")]
pub(crate) struct IdempotencyKey {
    /// Returns the existing run if one was started with this key
    #[param(rename = "Idempotency-Key", min_length = 1, max_length = 255)]
    idempotency_key: Option<String>,
}

/// Starts a run that plans, implements and reviews an issue.
#[utoipa::path(post, path = "/", tag = "runs", request_body = NewWorkflow,
    params(IdempotencyKey),
    responses((status = 201, body = Accepted)))]
pub(crate) async fn create(
    State(app): State<App>,
    headers: HeaderMap,
    body: JsonBody,
) -> ApiResult<Response> {
    let length = body.length();
    let new = body.read::<NewWorkflow>()?;
    // Only files may be larger than what is read elsewhere.
    let attached: usize = new.attachments.iter().map(|file| file.data.len()).sum();
    if length.saturating_sub(attached) > BODY_LIMIT {
        return Err(too_long());
    }
    let kept = RunOptions {
        days: new.retention_days,
        label: new.label.clone(),
        auto_approve: new.auto_approve,
        ..RunOptions::default()
    };
    if let Some(pipeline) = new.other_pipeline() {
        let pipeline = pipeline.to_owned();
        return take_named(&app, new, pipeline, idempotency_key(&headers)?).await;
    }
    let plan = match (new.plan, new.plan_content, new.plan_file) {
        (Some(tasks), _, _) => Some(GivenPlan::Tasks(Box::new(tasks.into()))),
        (None, Some(text), _) => Some(given_plan("plan_content", text)?),
        (None, None, Some(file)) => {
            Some(given_plan("plan_file", file_below(new.worktree_path.clone(), file).await?)?)
        }
        (None, None, None) => None,
    };
    let design = new.design.map(|text| design_in("design", text)).transpose()?.map(Box::new);
    // A plan that is made now waits for approval all the same.
    let when = if new.queue && !new.plan_now { StartMode::Told } else { StartMode::Soon };
    let request = RunRequest {
        work: RequestedWork::Implementation {
            issue: new.issue_id,
            title: new.title,
            description: new.description,
            attachments: attached_files(new.attachments)?,
            plan,
            design,
        },
        profile: new.profile,
        worktree: new.worktree_path,
        branch: new.branch,
        base: new.base,
        in_place: new.in_place,
        budget: new.budget.unwrap_or_default().into(),
        idempotency_key: idempotency_key(&headers)?,
    };
    take(&app, request, kept, when).await
}

async fn take_named(
    app: &App,
    new: NewWorkflow,
    pipeline: String,
    idempotency_key: Option<String>,
) -> ApiResult<Response> {
    let when = if new.queue { StartMode::Told } else { StartMode::Soon };
    let input = new.input.unwrap_or_default();
    let kept = RunOptions {
        days: new.retention_days,
        label: new.label,
        auto_approve: new.auto_approve,
        ..RunOptions::default()
    };
    let request = RunRequest {
        work: RequestedWork::Named { pipeline, title: new.title, input },
        profile: new.profile,
        worktree: new.worktree_path,
        branch: new.branch,
        base: new.base,
        in_place: new.in_place,
        budget: new.budget.unwrap_or_default().into(),
        idempotency_key,
    };
    take(app, request, kept, when).await
}

/// Starts a review of existing changes.
#[utoipa::path(post, path = "/review", tag = "runs", request_body = NewReview,
    params(IdempotencyKey),
    responses((status = 201, body = Accepted)))]
pub(crate) async fn review(
    State(app): State<App>,
    headers: HeaderMap,
    body: JsonBody,
) -> ApiResult<Response> {
    let new = body.read::<NewReview>()?;
    let what = match (new.pull_request, new.diff, new.base) {
        (Some(number), _, _) => ReviewOf::PullRequest(number),
        (None, Some(diff), _) => ReviewOf::Diff(diff),
        (None, None, Some(base)) => ReviewOf::Since(base),
        (None, None, None) => ReviewOf::Local,
    };
    let fix = match new.mode {
        ReviewMode::ReviewOnly => false,
        ReviewMode::ReviewFix => true,
    };
    let request = RunRequest {
        work: RequestedWork::Review { what, fix, personas: new.personas },
        profile: new.profile,
        worktree: new.worktree_path,
        budget: new.budget.unwrap_or_default().into(),
        idempotency_key: idempotency_key(&headers)?,
        ..RunRequest::default()
    };
    take(&app, request, RunOptions::default(), StartMode::Soon).await
}

/// Starts one agent on one task.
#[utoipa::path(post, path = "/single", tag = "runs", request_body = NewSingle,
    params(IdempotencyKey),
    responses((status = 201, body = Accepted)))]
pub(crate) async fn single(
    State(app): State<App>,
    headers: HeaderMap,
    body: JsonBody,
) -> ApiResult<Response> {
    let new = body.read::<NewSingle>()?;
    let ModelWanted { model, provider, base_url, api_key_env, wire, tools } = new.model;
    // A caller names a variable and an address: only those that the server may give away.
    if let Some(name) = api_key_env.as_ref().filter(|name| !app.state.config.api_key_envs.contains(name)) {
        let message = format!("`{name}` is not among the server's api_key_envs");
        let problem = ConfigProblem { path: "model.api_key_env".to_owned(), message };
        return Err(ApiError::from(Refused(vec![problem]))
            .hint("add it to api_key_envs in config/server.yaml, or use another variable"));
    }
    let model = ModelChoice { model, provider, base_url, api_key_env, wire, tools };
    let kept = RunOptions { days: new.retention_days, label: new.label, ..RunOptions::default() };
    let request = RunRequest {
        work: RequestedWork::Single {
            prompt: new.prompt,
            model,
            read_only: new.read_only,
            max_turns: new.max_turns,
        },
        profile: new.profile,
        worktree: new.worktree_path,
        base: new.base,
        in_place: new.in_place,
        budget: new.budget.unwrap_or_default().into(),
        idempotency_key: idempotency_key(&headers)?,
        ..RunRequest::default()
    };
    take(&app, request, kept, StartMode::Soon).await
}

/// Starts a workflow, an agent or a team.
#[utoipa::path(post, path = "/", tag = "runs", request_body = NewTask,
    params(IdempotencyKey),
    responses((status = 201, body = Accepted)))]
pub(crate) async fn task(State(app): State<App>, headers: HeaderMap, body: JsonBody) -> ApiResult<Response> {
    let new = body.read::<NewTask>()?;
    let (prompt, inputs) = (new.prompt, new.inputs);
    let defined = |definition, prompt, inputs| RequestedWork::Defined { definition, prompt, inputs };
    let work = match (new.workflow, new.team, new.team_config) {
        (Some(name), _, _) => defined(DefinitionName::Workflow(name), prompt, inputs),
        (None, Some(name), _) => RequestedWork::Team { team: RequestedTeam::Named(name), prompt, inputs },
        (None, None, Some(document)) => {
            check_team_keys(&app, &document)?;
            RequestedWork::Team { team: RequestedTeam::Given(Value::Object(document)), prompt, inputs }
        }
        (None, None, None) => defined(DefinitionName::Agent(new.agent.unwrap_or_default()), prompt, inputs),
    };
    let parent = new.parent_task_id.map(RunId);
    if let Some(parent) = parent
        && app.store().run(parent).await?.is_none()
    {
        let message = format!("there is no run {parent}");
        return Err(Refused(vec![ConfigProblem { path: "parent_task_id".to_owned(), message }]).into());
    }
    let kept = RunOptions {
        days: new.retention_days,
        label: new.label,
        breakpoints: new.breakpoints,
        parent,
        ..RunOptions::default()
    };
    let request = RunRequest {
        work,
        profile: new.profile,
        worktree: new.worktree_path,
        branch: new.branch,
        base: new.base,
        in_place: new.in_place,
        budget: new.budget.unwrap_or_default().into(),
        idempotency_key: idempotency_key(&headers)?,
    };
    take(&app, request, kept, StartMode::Soon).await
}

/// A caller names a variable and an address: only those that the server may give away, and a provider's own.
fn check_team_keys(app: &App, document: &Object) -> ApiResult<()> {
    // What is wrong with the document itself is reported by the service, with everything else.
    let Ok(team) = read::<TeamConfig>(Value::Object(document.clone())) else { return Ok(()) };
    let of_agents = team.agents.iter().enumerate().filter_map(|(index, member)| {
        Some((format!("agents[{index}].llm_config"), member.llm_config.as_ref()?))
    });
    for (field, llm) in [("default_llm".to_owned(), &team.default_llm)].into_iter().chain(of_agents) {
        let Some(name) = &llm.api_key_env else { continue };
        let own = llm.provider.parse::<Provider>().ok().and_then(Provider::key_env);
        let is_own = llm.base_url.is_none() && own == Some(name.as_str());
        if !is_own && !app.state.config.api_key_envs.contains(name) {
            let message = format!("`{name}` is not among the server's api_key_envs");
            let problem = ConfigProblem { path: format!("team_config.{field}.api_key_env"), message };
            return Err(ApiError::from(Refused(vec![problem]))
                .hint("add it to api_key_envs in config/server.yaml, or use another variable"));
        }
    }
    Ok(())
}

/// How long a run is kept after its end, where it stops before, which one it belongs to, and who approves its plan.
#[derive(Default)]
struct RunOptions {
    days: Option<u32>,
    label: Option<String>,
    breakpoints: Vec<String>,
    parent: Option<RunId>,
    auto_approve: bool,
}

async fn take(app: &App, request: RunRequest, kept: RunOptions, when: StartMode) -> ApiResult<Response> {
    let seconds = app.state.config.workflow_start_timeout_seconds;
    let patience = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    let taken = tokio::time::timeout(patience, app.state.service.prepare(request)).await;
    let spec = taken.map_err(|_| {
        ApiError::new(Code::Unavailable, format!("the run was not created within {seconds} seconds")).hint(
            "check that git, the tracker and the MCP servers respond (`amelia mcp list`); the limit is \
                 workflow_start_timeout_seconds",
        )
    })??;
    let mut spec = RunSpec {
        retention_days: kept.days,
        label: kept.label,
        parent: kept.parent,
        auto_approve: kept.auto_approve,
        ..spec
    };
    if !kept.breakpoints.is_empty() {
        let (nodes, stops) = steer::of_new_run(app, &spec, &kept.breakpoints).await?;
        // A team has some of its own.
        spec.breakpoints.extend(nodes);
        spec.stops.extend(stops);
    }
    let run = app.state.orchestrator.start(spec, when).await?;
    accepted(app, StatusCode::CREATED, run).await
}

/// A plan as its text says it.
fn given_plan(field: &str, text: String) -> ApiResult<GivenPlan> {
    let tasks = plan_in(field, &text)?;
    Ok(tasks.map_or(GivenPlan::Markdown(text), |tasks| GivenPlan::Tasks(Box::new(tasks))))
}

/// A plan below the directory that the request is for, and nowhere else.
async fn file_below(directory: PathBuf, file: String) -> ApiResult<String> {
    let refuse = |why: &str| {
        let problem = ConfigProblem { path: "plan_file".to_owned(), message: why.to_owned() };
        ApiError::from(Refused(vec![problem]))
    };
    if !is_below(&file) {
        return Err(refuse("must be a relative path without `..`"));
    }
    let read = tokio::task::spawn_blocking(move || {
        let top = directory.canonicalize()?;
        let path = top.join(&file).canonicalize()?;
        let size = path.metadata()?.len();
        // A link may lead out.
        if !path.starts_with(&top) || size > LONGEST_PLAN {
            return Ok(None);
        }
        std::fs::read_to_string(path).map(Some)
    });
    match read.await {
        Ok(Ok(Some(plan))) => Ok(plan),
        Ok(Ok(None)) => Err(refuse("leads out of worktree_path, or is longer than 1 MB")),
        Ok(Err(_)) | Err(_) => Err(refuse("is not a readable text file below worktree_path")),
    }
}

/// Names that stay below the directory they are joined to.
pub(super) fn is_below(path: &str) -> bool {
    let mut parts = Path::new(path).components().peekable();
    parts.peek().is_some()
        && !path.contains(['\0', '\\'])
        && parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

#[cfg(test)]
mod tests {
    use super::is_below;

    #[test]
    fn only_names_below_are_below() {
        for path in ["a", "a/b.md", "./a", "a/./b"] {
            assert!(is_below(path), "{path}");
        }
        for path in ["", "/etc/passwd", "..", "a/../../b", "a/..", "a\\..\\b", "a\0b"] {
            assert!(!is_below(path), "{path}");
        }
    }
}
