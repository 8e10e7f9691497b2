//! From a request to its answer: who asks, what, may they, and then onwards. One place, in this order.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use amelia_drivers::program::MeterReport;
use axum::body::Body;
use axum::extract::State;
use axum::http::{Method, Request, Response, StatusCode, header};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use parking_lot::Mutex;

use crate::call::{Dialect, Metering, ModelCall, RequestKind, wanted};
use crate::error::ProxyError;
use crate::exchange::ModelExchange;
use crate::frame::ExchangeEnding;
use crate::grant::Grant;
use crate::headers;
use crate::metered_body::MeteredBody;
use crate::parsed_request;
use crate::token_registry::TokenRegistry;
use crate::upstream_client::{SendError, UpstreamBody, UpstreamRequest};

/// Larger requests are refused.
pub(crate) const LARGEST: usize = 32 * 1024 * 1024;
/// A request that is too large is still read up to here: a caller that is still writing does not read the answer.
const LARGEST_READ: usize = 2 * LARGEST;

/// How long a call waits before it looks again whether what was kept before it is written.
const BREATH: Duration = Duration::from_millis(5);

/// Answers everything below `/proxy`.
pub(crate) async fn forward(
    State(token_registry): State<TokenRegistry>,
    request: Request<Body>,
) -> Response<Body> {
    let dialect = Dialect::of(request.uri().path());
    match answer(&token_registry, dialect, request).await {
        Ok(answer) => answer,
        Err(refusal) => {
            tracing::debug!(reason = %refusal, "a program was refused by the proxy");
            refusal.answer(dialect)
        }
    }
}

async fn answer(
    token_registry: &TokenRegistry,
    dialect: Dialect,
    request: Request<Body>,
) -> Result<Response<Body>, ProxyError> {
    let (call, path) = match wanted(request.method(), request.uri().path()) {
        RequestKind::Call(call, path) => (call, path),
        RequestKind::Probe => return Ok(Response::new(Body::empty())),
        RequestKind::OtherMethod(method) => return Err(ProxyError::OtherMethod(method.to_string())),
        RequestKind::Nothing => return Err(ProxyError::NoSuchPath),
    };
    // Programs have no origin; a page that could guess a token would have one.
    if request.headers().contains_key(header::ORIGIN) {
        return Err(ProxyError::Browser);
    }
    let token = headers::token(request.headers()).ok_or(ProxyError::NoToken)?;
    let grant = token_registry.grant(token).ok_or(ProxyError::Unknown)?;
    let idle = token_registry.timeouts().idle;
    let onwards = headers::onwards(request.headers(), &grant.access.upstream, dialect);
    let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
    let (target, method) = (format!("{path}{query}"), request.method().clone());
    let body = read(request.into_body(), idle).await?;
    // What is under way is kept in any case; nothing is added to it while the disk does not keep up.
    while grant.channel.tape.is_behind() {
        tokio::time::sleep(BREATH).await;
    }
    let exchange = admit(&grant, call, target, body).await?;
    send(&grant, exchange, method, onwards, idle).await
}

/// The whole body: what it may cost is known only then, and it is kept.
async fn read(mut body: Body, idle: Duration) -> Result<Bytes, ProxyError> {
    let unread = |detail: String| ProxyError::Unread(detail);
    let mut first: Option<Bytes> = None;
    let mut all: Option<BytesMut> = None;
    let mut size = 0_usize;
    loop {
        let frame =
            tokio::time::timeout(idle, body.frame()).await.map_err(|_| unread("it stopped".to_owned()))?;
        let Some(frame) = frame else { break };
        let Ok(data) = frame.map_err(|error| unread(error.to_string()))?.into_data() else { continue };
        size = size.saturating_add(data.len());
        if size > LARGEST_READ {
            break;
        }
        if size > LARGEST {
            (first, all) = (None, None);
            continue;
        }
        match (&mut first, &mut all) {
            (None, None) => first = Some(data),
            (_, Some(all)) => all.extend_from_slice(&data),
            (Some(begun), None) => {
                let mut both = BytesMut::with_capacity(begun.len() + data.len());
                both.extend_from_slice(begun);
                both.extend_from_slice(&data);
                all = Some(both);
            }
        }
    }
    if size > LARGEST {
        return Err(ProxyError::TooLarge(LARGEST));
    }
    Ok(all.map(BytesMut::freeze).or(first).unwrap_or_default())
}

/// Within the budget, and unless the upstream is held back.
async fn admit(
    grant: &Arc<Grant>,
    call: &'static ModelCall,
    target: String,
    body: Bytes,
) -> Result<Arc<Mutex<ModelExchange>>, ProxyError> {
    let (asked, body) = parsed_request::read(call, body);
    let access = &grant.access;
    let reservation = match call.metering {
        Metering::Free => None,
        Metering::Tokens(_) | Metering::Input => {
            let reserved = tokio::select! {
                reserved = grant.limiter.reserve(access, &asked) => reserved,
                () = grant.ended.cancelled() => return Err(ProxyError::Ended),
            };
            Some(reserved.map_err(|exceeded| {
                let refusal = ProxyError::Budget(exceeded.to_string());
                grant.tell(MeterReport::Exceeded(exceeded));
                refusal
            })?)
        }
    };
    let exchange = ModelExchange::new(Arc::clone(grant), call, target, (asked, body), reservation);
    let admitted = access.breaker.lock().admit(access.clock.now());
    if let Err(wait) = admitted {
        exchange.lock().release();
        return Err(ProxyError::Held { provider: access.upstream.provider.clone(), wait });
    }
    Ok(exchange)
}

async fn send(
    grant: &Arc<Grant>,
    exchange: Arc<Mutex<ModelExchange>>,
    method: Method,
    headers: axum::http::HeaderMap,
    idle: Duration,
) -> Result<Response<Body>, ProxyError> {
    let upstream = &grant.access.upstream;
    let (target, body) = {
        let exchange = exchange.lock();
        (exchange.target().to_owned(), exchange.request().clone())
    };
    let url = format!("{}{target}", upstream.base_url.trim_end_matches('/'));
    let request = UpstreamRequest { method, url, headers, body };
    let sent = tokio::select! {
        sent = tokio::time::timeout(idle, grant.client.send(request)) => sent,
        () = grant.ended.cancelled() => return Err(ProxyError::Ended),
    };
    let provider = upstream.provider.clone();
    let refused = match sent {
        Ok(Ok(response)) => {
            judge(grant, response.status());
            grant.is_unreached.store(false, Ordering::Relaxed);
            return Ok(pass(grant, exchange, response, idle));
        }
        Ok(Err(SendError::Late)) => {
            grant.tell_unreached("the connection timed out");
            ProxyError::Late { provider }
        }
        Err(_) => {
            grant.tell_unreached(&format!("no answer for {} s", idle.as_secs()));
            ProxyError::Late { provider }
        }
        Ok(Err(SendError::Failed(detail))) => {
            let detail = grant.redactor.text(&detail).into_owned();
            grant.tell_unreached(&detail);
            ProxyError::Unreached { provider, detail }
        }
    };
    // A server that is not there has nothing to be spared, and a program that asks again wants to know when it is back.
    if !matches!(refused, ProxyError::Unreached { .. }) {
        judge(grant, StatusCode::BAD_GATEWAY);
    }
    exchange.lock().end(ExchangeEnding::Cut);
    Err(refused)
}

fn pass(
    grant: &Arc<Grant>,
    exchange: Arc<Mutex<ModelExchange>>,
    response: Response<UpstreamBody>,
    idle: Duration,
) -> Response<Body> {
    let (parts, body) = response.into_parts();
    exchange.lock().begin(parts.status, &parts.headers);
    let mut answer = Response::new(Body::new(MeteredBody::new(body, exchange, idle, grant.ended.clone())));
    *answer.status_mut() = parts.status;
    *answer.headers_mut() = headers::back(&parts.headers);
    answer
}

/// Whether the upstream is well. One that answers with a refusal is.
fn judge(grant: &Grant, status: StatusCode) {
    let mut breaker = grant.access.breaker.lock();
    match status.is_server_error() {
        true => breaker.failed(grant.access.clock.now()),
        false => breaker.succeeded(),
    }
}
