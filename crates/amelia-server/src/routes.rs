//! The table of routes: read this first. What is documented is what is served, because both come from here.

mod agents;
mod artifacts;
mod cleanup;
mod compare;
mod control;
mod definitions;
mod delivery;
mod edit;
mod graphs;
mod guardrails;
mod health;
mod human;
mod intervene;
mod log;
mod machine;
mod mcp;
mod memory;
mod profiles;
mod prompts;
mod runs;
mod server;
mod session;
mod settings;
mod start;
mod steer;
mod teams;
mod travel;
mod usage;

use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use utoipa::OpenApi;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt as _};
use utoipa_axum::routes;

use crate::error::{ApiResult, with_status};
use crate::live;
use crate::openapi::Description;
use crate::state::App;
use amelia_core::id::RunId;
use amelia_wire::rest::Page;
use amelia_wire::rest::request::Accepted;

pub(crate) fn router() -> OpenApiRouter<App> {
    OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(health::health))
        .routes(routes!(health::live))
        .routes(routes!(health::ready))
        .routes(routes!(health::description))
        .routes(routes!(server::docs))
        .routes(routes!(server::metrics))
        .routes(routes!(session::open, session::enter, session::close))
        .routes(routes!(session::state))
        .routes(routes!(session::rotate))
        .routes(routes!(session::link))
        .routes(routes!(human::inbox))
        .routes(routes!(usage::usage))
        .routes(routes!(settings::show, settings::replace))
        .routes(routes!(machine::values, machine::change))
        .routes(routes!(machine::repositories))
        .routes(routes!(machine::look))
        .routes(routes!(machine::issues))
        .routes(routes!(machine::doctor))
        .routes(routes!(agents::list, agents::create))
        .routes(routes!(agents::show, agents::replace, agents::delete))
        .routes(routes!(agents::validate))
        .routes(routes!(graphs::list, graphs::create))
        .routes(routes!(graphs::show, graphs::replace, graphs::delete))
        .routes(routes!(graphs::validate))
        .routes(routes!(teams::list, teams::create))
        .routes(routes!(teams::validate))
        .routes(routes!(teams::show, teams::replace, teams::delete))
        .routes(routes!(guardrails::list, guardrails::create))
        .routes(routes!(guardrails::show, guardrails::replace, guardrails::delete))
        .routes(routes!(mcp::servers, mcp::create))
        .routes(routes!(mcp::show, mcp::replace, mcp::delete))
        .routes(routes!(mcp::tools))
        .routes(routes!(mcp::call))
        .routes(routes!(memory::list, memory::create))
        .routes(routes!(memory::show, memory::delete))
        .routes(routes!(memory::search))
        .routes(routes!(memory::consolidate))
        .routes(routes!(profiles::list, profiles::create))
        .routes(routes!(profiles::show, profiles::replace, profiles::delete))
        .routes(routes!(profiles::activate))
        .routes(routes!(profiles::add_rule, profiles::remove_rule))
        .routes(routes!(prompts::list))
        .routes(routes!(prompts::show, prompts::replace, prompts::reset))
        .routes(routes!(prompts::history))
        .routes(routes!(compare::compare))
        .routes(routes!(cleanup::cleanup))
        .routes(routes!(live::feed::follow))
        .routes(routes!(live::board::follow))
        .nest("/workflows", of_workflows())
        .nest("/tasks", of_runs().routes(routes!(runs::list, start::task)))
}

fn of_workflows() -> OpenApiRouter<App> {
    of_runs()
        .routes(routes!(runs::list, start::create).layer(DefaultBodyLimit::max(start::ATTACHMENTS_LIMIT)))
        .routes(routes!(start::review))
        .routes(routes!(start::single))
        .routes(routes!(control::start_batch))
}

/// The same objects under both names.
fn of_runs() -> OpenApiRouter<App> {
    OpenApiRouter::with_openapi(artifacts::ArtifactOperations::openapi())
        .routes(routes!(artifacts::list))
        .route("/{id}/artifacts/{*path}", get(artifacts::get).post(artifacts::post))
        .routes(routes!(runs::show, control::remove))
        .routes(routes!(control::start))
        .routes(routes!(control::pause))
        .routes(routes!(control::say))
        .routes(routes!(control::resume))
        .routes(routes!(control::cancel))
        .routes(routes!(control::archive))
        .routes(routes!(control::unarchive))
        .routes(routes!(steer::step))
        .routes(routes!(steer::go_on))
        .routes(routes!(steer::breakpoints))
        .routes(routes!(steer::remove_rule))
        .routes(routes!(edit::show, edit::change))
        .routes(routes!(control::limits))
        .routes(routes!(control::checks_from_profile))
        .routes(routes!(control::agents_from_profile))
        .routes(routes!(human::approve))
        .routes(routes!(human::reject))
        .routes(routes!(human::replan))
        .routes(routes!(human::requests))
        .routes(routes!(human::respond))
        .routes(routes!(intervene::intervene))
        .routes(routes!(log::events))
        .routes(routes!(log::history))
        .routes(routes!(log::trace))
        .routes(routes!(log::sessions))
        .routes(routes!(log::session))
        .routes(routes!(travel::plan, human::replace_plan))
        .routes(routes!(travel::plans))
        .routes(routes!(travel::diff))
        .routes(routes!(travel::file))
        .routes(routes!(travel::graph))
        .routes(routes!(travel::checkpoints))
        .routes(routes!(travel::checkpoint))
        .routes(routes!(travel::fork))
        .routes(routes!(delivery::merge))
        .routes(routes!(delivery::open_pull_request, delivery::pull_request))
        .routes(routes!(memory::of_run))
        .routes(routes!(memory::search_run))
        .routes(routes!(memory::consolidate_run))
        .routes(routes!(usage::metrics))
        .routes(routes!(live::run::stream))
        .routes(routes!(live::run::content))
        .routes(routes!(live::run::hitl))
        .routes(routes!(live::run::guardrails))
}

/// A list that is small enough to be had as a whole.
fn whole<T>(items: Vec<T>) -> Page<T> {
    Page { items, next_cursor: None }
}

/// A run as it stands after a command.
async fn accepted(app: &App, status: StatusCode, run: RunId) -> ApiResult<Response> {
    let row = app.row(run).await?;
    Ok(with_status(status, &Accepted { id: run.0, status: row.view.status.into() }))
}
