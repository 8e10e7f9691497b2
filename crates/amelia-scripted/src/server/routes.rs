//! Which path is what. Every answer says that it is scripted.

use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, Request};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Router, middleware};

use super::body::json;
use super::{catalogue, play};
use crate::player::ScriptPlayer;

const BODY_LIMIT: usize = 64 << 20;

pub(super) fn router(stage: Arc<ScriptPlayer>) -> Router {
    Router::new()
        .route("/", get(|| async { "scripted model of Amelia: not a real one\n" }))
        .route("/v1/chat/completions", post(play::chat))
        .route("/chat/completions", post(play::chat))
        .route("/v1/responses", post(play::responses))
        .route("/responses", post(play::responses))
        .route("/v1/messages", post(play::messages))
        .route("/v1/messages/count_tokens", post(catalogue::count_tokens))
        .route("/v1/models", get(catalogue::models))
        .route("/models", get(catalogue::models))
        .route("/v1/models/{*id}", get(catalogue::model))
        .route("/v1/embeddings", post(catalogue::embeddings))
        .route("/embeddings", post(catalogue::embeddings))
        .fallback(nothing_here)
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(middleware::map_response(labelled))
        .with_state(stage)
}

async fn nothing_here(request: Request) -> Response {
    let message = format!("nothing is served at {} {}", request.method(), request.uri().path());
    let error = serde_json::json!({"message": message, "type": "invalid_request_error", "code": "not_found"});
    json(StatusCode::NOT_FOUND, &serde_json::json!({"type": "error", "error": error}))
}

async fn labelled(mut response: Response) -> Response {
    response.headers_mut().insert("x-amelia-scripted", HeaderValue::from_static("true"));
    response
}
