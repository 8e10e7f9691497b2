//! A link with the token becomes a cookie, once: the page behind it never sees the token again.

use amelia_wire::error::Code;
use amelia_wire::rest::health::SessionQuery;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::error::{Answer, Refusal};
use crate::guard::{COOKIE, is_token};
use crate::request::Query;
use crate::state::App;

/// Signs a browser in: sets a cookie, and leads to `next` when that is given.
#[utoipa::path(get, path = "/session", tag = "server", params(SessionQuery), security(()),
    responses((status = 204, description = "signed in"), (status = 303, description = "signed in, go to `next`")))]
pub(crate) async fn open(State(app): State<App>, Query(query): Query<SessionQuery>) -> Answer<Response> {
    if !is_token(&app.state, &query.token) {
        return Err(Refusal::new(Code::Unauthorized, "this is not the token"));
    }
    let cookie = format!("{COOKIE}={}; Path=/; HttpOnly; SameSite=Strict", app.state.token.reveal());
    let cookie = HeaderValue::from_str(&cookie)
        .map_err(|_| Refusal::new(Code::Internal, "the token does not fit into a cookie"))?;
    let signed_in =
        [(header::SET_COOKIE, cookie), (header::CACHE_CONTROL, HeaderValue::from_static("no-store"))];
    let Some(next) = query.next else {
        return Ok((StatusCode::NO_CONTENT, signed_in).into_response());
    };
    let next = HeaderValue::from_str(&next)
        .ok()
        .filter(|_| is_here(&next))
        .ok_or_else(|| Refusal::new(Code::Invalid, "next: must be a path on this server"))?;
    Ok((StatusCode::SEE_OTHER, signed_in, [(header::LOCATION, next)]).into_response())
}

/// Signs a browser out.
#[utoipa::path(delete, path = "/session", tag = "server", security(()),
    responses((status = 204, description = "signed out")))]
pub(crate) async fn close() -> Response {
    let gone = format!("{COOKIE}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0");
    (StatusCode::NO_CONTENT, [(header::SET_COOKIE, gone)]).into_response()
}

/// A path, and not a name of another server in the form of one.
fn is_here(next: &str) -> bool {
    next.starts_with('/') && !next.starts_with("//") && !next.contains('\\')
}
