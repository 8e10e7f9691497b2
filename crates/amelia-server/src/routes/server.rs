//! The server about itself, for machines and for people: counters, and the page with all routes.

use amelia_wire::facts::milliseconds;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};

use crate::error::ApiResult;
use crate::metrics::MetricsSnapshot;
use crate::page;
use crate::state::App;

/// Returns counters in the Prometheus text format.
#[utoipa::path(get, path = "/metrics", tag = "server",
    responses((status = 200, description = "counters", body = String, content_type = "text/plain")))]
pub(crate) async fn metrics(State(app): State<App>) -> ApiResult<Response> {
    let (runs, spend) = app.catalogue.census().await?;
    let (at_work, queued) = app.state.orchestrator.load();
    let snapshot = MetricsSnapshot {
        runs,
        at_work,
        queued,
        events: app.store().end().await?,
        tokens: spend.tokens,
        cost_usd: spend.usd,
        sockets: app.sockets.len(),
        uptime_seconds: milliseconds(app.started_at, app.now()) / 1000,
    };
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    Ok((kind, app.metrics.text(&snapshot)).into_response())
}

/// Shows all routes as a page.
#[utoipa::path(get, path = "/docs", tag = "server",
    responses((status = 200, description = "a page", body = String, content_type = "text/html")))]
pub(crate) async fn docs(State(app): State<App>) -> Response {
    let page = app.page.get_or_init(|| page::of(&app.openapi));
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        // Everything is on the page; nothing is fetched, nothing is sent.
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'",
        ),
    ];
    (headers, page.clone()).into_response()
}
