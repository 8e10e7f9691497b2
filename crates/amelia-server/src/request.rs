//! Requests, read: bodies and queries with every problem named, ids, keys.

use amelia_core::id::{RequestId, RunId, RunNumber};
use amelia_wire::error::Code;
use amelia_wire::read;
use amelia_wire::rest::run::RunQuery;
use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::IntoResponse;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::{ApiError, ApiResult};
use crate::state::App;

/// The document in a body, not looked at yet. No body is an empty document.
pub(crate) struct JsonBody {
    document: Value,
    /// In bytes.
    length: usize,
}

/// The most bytes of a body, unless its path takes more.
pub(crate) const BODY_LIMIT: usize = 10 * 1024 * 1024;

/// The refusal of a body with more bytes than that.
pub(crate) fn too_long() -> ApiError {
    ApiError::new(Code::TooLarge, "the body is too large")
        .hint("send at most 10 MB, and at most 20 MB of attachments with a new run")
}

impl JsonBody {
    /// How many bytes it has.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// As a shape whose types are its only rules.
    pub(crate) fn shape<T: DeserializeOwned>(self) -> ApiResult<T> {
        Ok(read::shape(self.document)?)
    }

    /// As a shape with rules of its own.
    pub(crate) fn read<W: read::Incoming>(self) -> ApiResult<W::Core> {
        Ok(read::read::<W>(self.document)?)
    }

    /// An object's field, set when it is not there.
    pub(crate) fn default_field(&mut self, name: &str, value: &str) {
        if let Value::Object(fields) = &mut self.document {
            fields.entry(name).or_insert_with(|| value.into());
        }
    }
}

impl<S: Send + Sync> FromRequest<S> for JsonBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> ApiResult<Self> {
        let is_json = request.headers().get(header::CONTENT_TYPE).is_none_or(|kind| {
            let kind = kind.to_str().unwrap_or_default();
            let kind = kind.split(';').next().unwrap_or_default().trim();
            kind.eq_ignore_ascii_case("application/json")
        });
        if !is_json {
            return Err(ApiError::new(Code::UnsupportedMediaType, "the body must be JSON")
                .hint("send `Content-Type: application/json`"));
        }
        let body = Bytes::from_request(request, state).await.map_err(|rejection| {
            match rejection.into_response().status() {
                StatusCode::PAYLOAD_TOO_LARGE => too_long(),
                _ => ApiError::new(Code::Malformed, "the body was cut off"),
            }
        })?;
        let length = body.len();
        let body: &[u8] = if body.is_empty() { b"null" } else { &body };
        let document = serde_json::from_slice(body)
            .map_err(|error| ApiError::new(Code::Malformed, format!("the body is not JSON: {error}")))?;
        match document {
            Value::Null => Ok(Self { document: Value::Object(serde_json::Map::new()), length }),
            Value::Object(_) => Ok(Self { document, length }),
            // A list would be read as the fields in their order.
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                Err(ApiError::new(Code::Invalid, "the body must be an object"))
            }
        }
    }
}

/// The query of an address.
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        Ok(Self(read::query(parts.uri.query().unwrap_or_default())?))
    }
}

/// The `{id}` of a path: a run, if there is one. People write `r12`.
pub(crate) struct RunIdPath(pub(crate) RunId);

impl FromRequestParts<App> for RunIdPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> ApiResult<Self> {
        let text = parameter(parts, app, "id").await?;
        let found = match (text.parse(), text.parse::<RunNumber>()) {
            (Ok(run), _) => Some(run),
            (Err(_), Ok(_)) => {
                let query = RunQuery { reference: Some(text.clone()), ..RunQuery::default() };
                app.catalogue.ids(&query).await?.items.first().copied()
            }
            (Err(_), Err(_)) => None,
        };
        found
            .map(Self)
            .ok_or_else(|| ApiError::new(Code::NotFound, format!("`{text}` is not the id of a run")))
    }
}

/// The `{request_id}` of a path.
pub(crate) struct RequestIdPath(pub(crate) RequestId);

impl<S: Send + Sync> FromRequestParts<S> for RequestIdPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        let text = parameter(parts, state, "request_id").await?;
        let refuse = |_| ApiError::new(Code::NotFound, format!("`{text}` is not the id of a request"));
        text.parse().map(Self).map_err(refuse)
    }
}

/// The `{session_id}` of a path.
pub(crate) struct SessionIdPath(pub(crate) RunId);

impl<S: Send + Sync> FromRequestParts<S> for SessionIdPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        let text = parameter(parts, state, "session_id").await?;
        let refuse = |_| ApiError::new(Code::NotFound, format!("`{text}` is not the id of a session"));
        text.parse().map(Self).map_err(refuse)
    }
}

/// The `{name}` of a path.
pub(crate) struct NamePath(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for NamePath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        parameter(parts, state, "name").await.map(Self)
    }
}

/// The `{number}` of a path.
pub(crate) struct NumberPath(pub(crate) u32);

impl<S: Send + Sync> FromRequestParts<S> for NumberPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        let text = parameter(parts, state, "number").await?;
        let refuse = |_| ApiError::new(Code::NotFound, format!("`{text}` is not the number of a checkpoint"));
        text.parse().map(Self).map_err(refuse)
    }
}

/// A parameter of a path, decoded.
pub(crate) async fn parameter<S: Send + Sync>(parts: &mut Parts, state: &S, name: &str) -> ApiResult<String> {
    let bad = |_| ApiError::new(Code::Malformed, "the path is not UTF-8");
    let parameters = RawPathParams::from_request_parts(parts, state).await.map_err(bad)?;
    let found = parameters.iter().find(|(key, _)| *key == name).map(|(_, value)| value.to_owned());
    Ok(found.unwrap_or_default())
}

/// The version of a document that a request changes, when it says so. What is not a tag of ours is no version that there
/// could be.
pub(crate) fn if_match(headers: &HeaderMap) -> ApiResult<Option<u32>> {
    let Some(given) = headers.get(header::IF_MATCH) else { return Ok(None) };
    let text = given.to_str().unwrap_or_default().trim();
    if text == "*" {
        return Ok(None);
    }
    let version =
        text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).and_then(|text| text.parse().ok());
    let wrong = || ApiError::new(Code::Invalid, "If-Match: must be the ETag of a version, such as \"3\"");
    version.map(Some).ok_or_else(wrong)
}

/// A version of a document, as an `ETag`.
pub(crate) fn tag(version: u32) -> String {
    format!("\"{version}\"")
}

/// The key by which a repeated request is recognised.
pub(crate) fn idempotency_key(headers: &HeaderMap) -> ApiResult<Option<String>> {
    let Some(key) = headers.get("idempotency-key") else { return Ok(None) };
    let key = key.to_str().unwrap_or_default().trim();
    if (1..=255).contains(&key.len()) {
        Ok(Some(key.to_owned()))
    } else {
        Err(ApiError::new(Code::Malformed, "`Idempotency-Key` must have 1 to 255 visible characters"))
    }
}
