//! From a request to its answer: who asks, what, may they, and then onwards. One place, in this order.

use std::sync::Arc;
use std::sync::PoisonError;
use std::time::Duration;

use amelia_drivers::program::Metered;
use axum::body::Body;
use axum::extract::State;
use axum::http::{Method, Request, Response, StatusCode, header};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;

use crate::asked;
use crate::call::{Call, Dialect, Metering, Wanted, wanted};
use crate::carrier::{Coming, Parcel, Unsent};
use crate::exchange::Exchange;
use crate::frame::Ending;
use crate::headers;
use crate::holder::Holder;
use crate::passes::Passes;
use crate::passing::Passing;
use crate::refusal::Refusal;

/// Larger requests are refused.
pub(crate) const LARGEST: usize = 32 * 1024 * 1024;
/// A request that is too large is still read up to here: a caller that is still writing does not read what it is told.
const LARGEST_READ: usize = 2 * LARGEST;

/// How long a call waits before it looks again whether what was kept before it is written.
const BREATH: Duration = Duration::from_millis(5);

/// Answers everything below `/proxy`.
pub(crate) async fn forward(State(passes): State<Passes>, request: Request<Body>) -> Response<Body> {
    let dialect = Dialect::of(request.uri().path());
    match answer(&passes, dialect, request).await {
        Ok(answer) => answer,
        Err(refusal) => {
            tracing::debug!(reason = %refusal, "a program was refused by the proxy");
            refusal.answer(dialect)
        }
    }
}

async fn answer(
    passes: &Passes,
    dialect: Dialect,
    request: Request<Body>,
) -> Result<Response<Body>, Refusal> {
    let (call, path) = match wanted(request.method(), request.uri().path()) {
        Wanted::Call(call, path) => (call, path),
        Wanted::Probe => return Ok(Response::new(Body::empty())),
        Wanted::OtherMethod(method) => return Err(Refusal::OtherMethod(method.to_string())),
        Wanted::Nothing => return Err(Refusal::NoSuchPath),
    };
    // Programs have no origin; a page that could guess a token would have one.
    if request.headers().contains_key(header::ORIGIN) {
        return Err(Refusal::Browser);
    }
    let token = headers::token(request.headers()).ok_or(Refusal::NoToken)?;
    let holder = passes.holder(token).ok_or(Refusal::Unknown)?;
    let idle = passes.timeouts().idle;
    let onwards = headers::onwards(request.headers(), holder.access.upstream.key.as_ref(), dialect);
    let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
    let (target, method) = (format!("{path}{query}"), request.method().clone());
    let body = read(request.into_body(), idle).await?;
    // What is under way is kept in any case; nothing is added to it while the disk does not keep up.
    while holder.strand.tape.is_behind() {
        tokio::time::sleep(BREATH).await;
    }
    let exchange = admit(&holder, call, target, body).await?;
    send(&holder, exchange, method, onwards, idle).await
}

/// The whole body: what it may cost is known only then, and it is kept.
async fn read(mut body: Body, idle: Duration) -> Result<Bytes, Refusal> {
    let unread = |detail: String| Refusal::Unread(detail);
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
        return Err(Refusal::TooLarge(LARGEST));
    }
    Ok(all.map(BytesMut::freeze).or(first).unwrap_or_default())
}

/// Within the budget, and unless the upstream is held back.
async fn admit(
    holder: &Arc<Holder>,
    call: &'static Call,
    target: String,
    body: Bytes,
) -> Result<Exchange, Refusal> {
    let (asked, body) = asked::read(call, body);
    let access = &holder.access;
    let reservation = match call.metering {
        Metering::Free => None,
        Metering::Tokens(_) | Metering::Input => {
            let reserved = tokio::select! {
                reserved = holder.lane.reserve(access, &asked) => reserved,
                () = holder.ended.cancelled() => return Err(Refusal::Ended),
            };
            Some(reserved.map_err(|exceeded| {
                let refusal = Refusal::Budget(exceeded.to_string());
                holder.tell(Metered::Exceeded(exceeded));
                refusal
            })?)
        }
    };
    let exchange = Exchange::new(Arc::clone(holder), call, target, (asked, body), reservation);
    let admitted = access.breaker.lock().unwrap_or_else(PoisonError::into_inner).admit(access.clock.now());
    if let Err(wait) = admitted {
        exchange.release();
        return Err(Refusal::Held { provider: access.upstream.provider.clone(), wait });
    }
    Ok(exchange)
}

async fn send(
    holder: &Arc<Holder>,
    mut exchange: Exchange,
    method: Method,
    headers: axum::http::HeaderMap,
    idle: Duration,
) -> Result<Response<Body>, Refusal> {
    let upstream = &holder.access.upstream;
    let url = format!("{}{}", upstream.base_url.trim_end_matches('/'), exchange.target());
    let parcel = Parcel { method, url, headers, body: exchange.request().clone() };
    let sent = tokio::select! {
        sent = tokio::time::timeout(idle, holder.carrier.send(parcel)) => sent,
        () = holder.ended.cancelled() => return Err(Refusal::Ended),
    };
    let provider = upstream.provider.clone();
    let refused = match sent {
        Ok(Ok(response)) => {
            judge(holder, response.status());
            return Ok(pass(holder, exchange, response, idle));
        }
        Ok(Err(Unsent::Late)) | Err(_) => Refusal::Late { provider },
        Ok(Err(Unsent::Failed(detail))) => {
            Refusal::Unreached { provider, detail: holder.redactor.text(&detail).into_owned() }
        }
    };
    judge(holder, StatusCode::BAD_GATEWAY);
    exchange.end(Ending::Cut);
    Err(refused)
}

fn pass(
    holder: &Arc<Holder>,
    mut exchange: Exchange,
    response: Response<Coming>,
    idle: Duration,
) -> Response<Body> {
    let (parts, body) = response.into_parts();
    exchange.begin(parts.status, &parts.headers);
    let mut answer = Response::new(Body::new(Passing::new(body, exchange, idle, holder.ended.clone())));
    *answer.status_mut() = parts.status;
    *answer.headers_mut() = headers::back(&parts.headers);
    answer
}

/// Whether the upstream is well. Somebody who is there and says no is.
fn judge(holder: &Holder, status: StatusCode) {
    let mut breaker = holder.access.breaker.lock().unwrap_or_else(PoisonError::into_inner);
    match status.is_server_error() {
        true => breaker.failed(holder.access.clock.now()),
        false => breaker.succeeded(),
    }
}
