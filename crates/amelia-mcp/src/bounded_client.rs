//! The HTTP client for streamable HTTP. That of `rmcp` limits events only: another answer may be as large as the server likes.
//! Here, an answer that is too large is an error of the request, in any form. Like that of `rmcp` otherwise.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::StreamExt as _;
use futures_util::stream::{BoxStream, once};
use http::header::{ACCEPT, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue, StatusCode};
use reqwest::{Client, Response};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, SseError, StreamableHttpClient,
    StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::{Sse, SseStream};

use crate::message_limit::{LARGEST, bounded, refusal};

const SESSION: &str = "mcp-session-id";
const EVENTS: &str = "text/event-stream";
const JSON: &str = "application/json";
/// Headers that the protocol needs for itself.
const RESERVED: [&str; 3] = ["accept", SESSION, "last-event-id"];
/// As much of an answer as an error shows.
const SHOWN: usize = 256;

type HttpError = StreamableHttpError<reqwest::Error>;
type Events = BoxStream<'static, Result<Sse, SseError>>;

/// A client whose answers have an end.
#[derive(Clone)]
pub(crate) struct BoundedClient(pub(crate) Client);

impl StreamableHttpClient for BoundedClient {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        let is_in_session = session_id.is_some();
        let mut request = self.0.post(uri.as_ref()).header(ACCEPT, format!("{EVENTS}, {JSON}"));
        if let Some(token) = auth_header {
            request = request.bearer_auth(token);
        }
        if let Some(session) = session_id {
            request = request.header(SESSION, session.as_ref());
        }
        for (name, value) in custom_headers {
            if RESERVED.contains(&name.as_str()) {
                return Err(HttpError::ReservedHeaderConflict(name.to_string()));
            }
            request = request.header(name, value);
        }
        let response = request.json(&message).send().await?;
        answer(response, &message, is_in_session).await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), HttpError> {
        self.0.delete_session(uri, session_id, auth_header, custom_headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<Events, HttpError> {
        let size = LARGEST;
        self.0
            .get_stream_with_max_sse_event_size(
                uri,
                session_id,
                last_event_id,
                auth_header,
                custom_headers,
                size,
            )
            .await
    }
}

/// What a server has answered to a message.
async fn answer(
    response: Response,
    message: &ClientJsonRpcMessage,
    is_in_session: bool,
) -> Result<StreamableHttpPostResponse, HttpError> {
    if let Some(challenge) = challenge(&response) {
        return Err(challenge);
    }
    match response.status() {
        StatusCode::ACCEPTED | StatusCode::NO_CONTENT => return Ok(StreamableHttpPostResponse::Accepted),
        StatusCode::NOT_FOUND if is_in_session => return Err(HttpError::SessionExpired),
        status if !status.is_success() => return refused(response, message, is_in_session).await,
        _ => {}
    }
    // Only a request is answered; some servers have an empty answer for the others.
    let id = id_of(message);
    if id.is_none() && response.content_length() == Some(0) {
        return Ok(StreamableHttpPostResponse::Accepted);
    }
    let session = text_of(&response, &HeaderName::from_static(SESSION));
    match text_of(&response, &CONTENT_TYPE) {
        Some(kind) if kind.starts_with(EVENTS) => {
            Ok(StreamableHttpPostResponse::Sse(events(response, id), session))
        }
        Some(kind) if kind.starts_with(JSON) => {
            let Some(body) = body_of(response).await? else {
                return Ok(id.map_or(StreamableHttpPostResponse::Accepted, |id| {
                    StreamableHttpPostResponse::Json(too_large(id), session)
                }));
            };
            match (serde_json::from_slice(&body), id) {
                (Ok(message), _) => Ok(StreamableHttpPostResponse::Json(message, session)),
                (Err(_), None) => Ok(StreamableHttpPostResponse::Accepted),
                (Err(error), Some(_)) => {
                    Err(unexpected(format!("no message of the protocol ({error}): {}", shown(&body))))
                }
            }
        }
        kind => Err(HttpError::UnexpectedContentType(kind)),
    }
}

/// What a server wants to know before it answers.
fn challenge(response: &Response) -> Option<HttpError> {
    let wanted = text_of(response, &WWW_AUTHENTICATE)?;
    match response.status() {
        StatusCode::UNAUTHORIZED => Some(HttpError::AuthRequired(AuthRequiredError::new(wanted))),
        StatusCode::FORBIDDEN => {
            Some(HttpError::InsufficientScope(InsufficientScopeError::new(wanted, None)))
        }
        _ => None,
    }
}

/// What a status says that is no success. Its body may be an error of the protocol all the same.
async fn refused(
    response: Response,
    message: &ClientJsonRpcMessage,
    is_in_session: bool,
) -> Result<StreamableHttpPostResponse, HttpError> {
    let status = response.status();
    let is_limit = status == StatusCode::TOO_MANY_REQUESTS;
    let is_json = text_of(&response, &CONTENT_TYPE).is_some_and(|kind| kind.starts_with(JSON));
    let has_failed = is_limit || status.is_server_error();
    let retry_after = text_of(&response, &RETRY_AFTER);
    let failed = || HttpError::from(HttpStatusError::new(status.as_u16(), retry_after));
    if is_limit || (has_failed && !is_json) {
        return Err(failed());
    }
    let session = text_of(&response, &HeaderName::from_static(SESSION));
    let body = body_of(response).await.ok().flatten().unwrap_or_default();
    let said = serde_json::from_slice::<ServerJsonRpcMessage>(&body).ok();
    let said = said.filter(|said| matches!(said, ServerJsonRpcMessage::Error(_)));
    let is_sign_in = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    // An older server does not know this request. Its answer may lack the id, without which it would be passed over.
    if let Some(id) = discovery(message).filter(|_| !is_in_session && status.is_client_error() && !is_sign_in)
    {
        let error = match said {
            Some(ServerJsonRpcMessage::Error(said)) => said.error,
            _ => ErrorData::invalid_request(format!("HTTP {status}: {}", shown(&body)), None),
        };
        let error = ServerJsonRpcMessage::error(error, Some(id));
        return Ok(StreamableHttpPostResponse::Json(error, None));
    }
    match said.filter(|_| is_json && !is_sign_in) {
        Some(said) => Ok(StreamableHttpPostResponse::Json(said, session)),
        None if has_failed => Err(failed()),
        None => Err(unexpected(format!("HTTP {status}: {}", shown(&body)))),
    }
}

/// The events of an answer. One that is too large is an error of the request, and the end.
fn events(response: Response, id: Option<RequestId>) -> Events {
    let was_refused = Arc::new(AtomicBool::new(false));
    let refuses = Arc::clone(&was_refused);
    let bytes = bounded(response.bytes_stream(), move || refuses.store(true, Ordering::Relaxed));
    let last = once(async move {
        let error = id.filter(|_| was_refused.load(Ordering::Relaxed)).map(too_large)?;
        Some(Ok(Sse::default().data(serde_json::to_string(&error).ok()?)))
    });
    SseStream::from_bytes_stream(bytes).chain(last.filter_map(std::future::ready)).boxed()
}

/// The whole body; `None` if there is more of it than there may be.
async fn body_of(mut response: Response) -> Result<Option<Vec<u8>>, reqwest::Error> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await? {
        if body.len().saturating_add(piece.len()) > LARGEST {
            return Ok(None);
        }
        body.extend_from_slice(&piece);
    }
    Ok(Some(body))
}

fn id_of(message: &ClientJsonRpcMessage) -> Option<RequestId> {
    match message {
        ClientJsonRpcMessage::Request(request) => Some(request.id.clone()),
        ClientJsonRpcMessage::Notification(_)
        | ClientJsonRpcMessage::Response(_)
        | ClientJsonRpcMessage::Error(_) => None,
    }
}

/// The id of the request with which the newest protocol begins.
fn discovery(message: &ClientJsonRpcMessage) -> Option<RequestId> {
    match message {
        ClientJsonRpcMessage::Request(request)
            if matches!(request.request, ClientRequest::DiscoverRequest(_)) =>
        {
            Some(request.id.clone())
        }
        _ => None,
    }
}

fn text_of(response: &Response, name: &HeaderName) -> Option<String> {
    response.headers().get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

fn too_large(id: RequestId) -> ServerJsonRpcMessage {
    ServerJsonRpcMessage::error(ErrorData::internal_error(refusal(), None), Some(id))
}

fn unexpected(what: String) -> HttpError {
    HttpError::UnexpectedServerResponse(what.into())
}

fn shown(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body.get(..SHOWN).unwrap_or(body));
    text.trim().to_owned()
}
