//! Whether the server lives, and whether it can work. Works without signing in.

use std::collections::BTreeMap;

use amelia_core::id::RunId;
use amelia_wire::facts::milliseconds;
use amelia_wire::rest::health::{Health, HealthStatus, Readiness};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use uuid::Uuid;

use crate::error::{json, with_status};
use crate::state::App;

/// Returns the version, uptime and load of the server.
#[utoipa::path(get, path = "/health", tag = "server", security(()), responses((status = 200, body = Health)))]
pub(crate) async fn health(State(app): State<App>) -> Response {
    let (at_work, queued) = app.state.orchestrator.load();
    json(&Health {
        status: HealthStatus::Ok,
        version: app.state.version.clone(),
        process_id: std::process::id(),
        uptime_seconds: milliseconds(app.started_at, app.now()) / 1000,
        active_workflows: at_work,
        queued_workflows: queued,
    })
}

/// Responds as long as the process is alive.
#[utoipa::path(get, path = "/health/live", tag = "server", security(()), responses((status = 200, body = Readiness)))]
pub(crate) async fn live() -> Response {
    json(&Readiness { status: HealthStatus::Ok, dependencies: BTreeMap::new() })
}

/// Checks that the server can process requests.
#[utoipa::path(get, path = "/health/ready", tag = "server", security(()),
    responses((status = 200, body = Readiness), (status = 503, body = Readiness)))]
pub(crate) async fn ready(State(app): State<App>) -> Response {
    // The cheapest question to the store that is a real one.
    let (status, word) = match app.store().run(RunId(Uuid::nil())).await {
        Ok(_) if !app.closing.is_cancelled() => (HealthStatus::Ok, "ok".to_owned()),
        Ok(_) => (HealthStatus::Unavailable, "the server is shutting down".to_owned()),
        Err(error) => {
            tracing::error!("{error}");
            (HealthStatus::Unavailable, "cannot be read".to_owned())
        }
    };
    let code = match status {
        HealthStatus::Ok => StatusCode::OK,
        HealthStatus::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
    };
    with_status(code, &Readiness { status, dependencies: BTreeMap::from([("store".to_owned(), word)]) })
}

/// Returns this description.
#[utoipa::path(get, path = "/openapi.json", tag = "server",
    responses((status = 200, body = serde_json::Value)))]
pub(crate) async fn description(State(app): State<App>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], app.openapi.clone()).into_response()
}
