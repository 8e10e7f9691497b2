//! Signing in with a browser: the token, or a link that works once, becomes a cookie with a session id of its own.

use amelia_core::config::server::AuthMode;
use amelia_wire::error::Code;
use amelia_wire::rest::health::{NewLink, NewToken, SessionQuery, SessionState, SignIn};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::error::{ApiError, ApiResult, json, with_status};
use crate::guard::{cookie_name, ids_of, session_of};
use crate::request::{JsonBody, Query};
use crate::state::App;

/// The end of an address that tells the dashboard why the sign-in failed.
const USED_LINK: &str = "#used-link";

/// Signs a browser in: sets a cookie, and redirects to `next`, if given.
#[utoipa::path(get, path = "/session", tag = "server", params(SessionQuery), security(()),
    responses((status = 204, description = "signed in"), (status = 303, description = "redirects to `next`")))]
pub(crate) async fn open(
    State(app): State<App>,
    headers: HeaderMap,
    Query(query): Query<SessionQuery>,
) -> ApiResult<Response> {
    let next = query.next.as_deref().map(here).transpose()?;
    let signed_in = match (&query.code, &query.token) {
        (Some(code), _) if app.sessions.take_link(code, app.now()) => cookie(&app),
        (Some(_), _) => Err(ApiError::new(Code::Unauthorized, "this link was already used, or has expired")
            .hint("`amelia dashboard` creates a new link")),
        (None, Some(token)) => signed_in(&app, token),
        (None, None) => Err(ApiError::new(Code::Invalid, "`code` or `token` is missing")),
    };
    match (signed_in, next) {
        (Ok(cookie), None) => Ok((StatusCode::NO_CONTENT, cookie).into_response()),
        (Ok(cookie), Some(next)) => {
            Ok((StatusCode::SEE_OTHER, cookie, [(header::LOCATION, next)]).into_response())
        }
        // A person with an old link: the page says that it is old, or still knows them.
        (Err(_), Some(next)) if is_browser(&headers) => {
            let told = query.code.as_ref().and_then(|_| with_reason(&next));
            Ok((StatusCode::SEE_OTHER, [(header::LOCATION, told.unwrap_or(next))]).into_response())
        }
        (Err(refusal), _) => Err(refusal),
    }
}

/// Signs a browser in with the token in the body.
#[utoipa::path(post, path = "/session", tag = "server", request_body = SignIn, security(()),
    responses((status = 204, description = "signed in")))]
pub(crate) async fn enter(State(app): State<App>, body: JsonBody) -> ApiResult<Response> {
    let SignIn { token } = body.shape()?;
    Ok((StatusCode::NO_CONTENT, signed_in(&app, token.trim())?).into_response())
}

/// Signs a browser out.
#[utoipa::path(delete, path = "/session", tag = "server", security(()),
    responses((status = 204, description = "signed out")))]
pub(crate) async fn close(State(app): State<App>, headers: HeaderMap) -> Response {
    ids_of(&app, &headers).for_each(|id| app.sessions.sign_out(id));
    let gone = format!("{}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0", cookie_name(&app.state));
    (StatusCode::NO_CONTENT, [(header::SET_COOKIE, gone)]).into_response()
}

/// Says whether this browser is signed in, and to which server.
#[utoipa::path(get, path = "/session/state", tag = "server", security(()),
    responses((status = 200, body = SessionState)))]
pub(crate) async fn state(State(app): State<App>, headers: HeaderMap) -> Response {
    let asks_for_token = app.state.config.auth != AuthMode::None;
    let is_signed_in = !asks_for_token || session_of(&app, &headers).is_some();
    let is_demo = app.state.is_demo;
    let home = app.state.home.to_string_lossy().into_owned();
    json(&SessionState {
        is_signed_in,
        asks_for_token,
        version: app.state.version.clone(),
        is_demo,
        // A demo's home holds nothing of anybody, and who has signed out of it needs it in a command.
        home: (is_signed_in || is_demo).then_some(home),
        is_default_home: app.state.is_default_home,
        machine: is_signed_in.then(|| app.state.machine.name()),
    })
}

/// Creates a new token. The server rejects the old one at once and closes sockets that were opened with it.
#[utoipa::path(post, path = "/session/rotate", tag = "server",
    responses((status = 200, body = NewToken, description = "the new token, also set as a cookie")))]
pub(crate) async fn rotate(State(app): State<App>) -> ApiResult<Response> {
    if app.state.config.auth == AuthMode::None {
        return Err(ApiError::new(Code::WrongState, "this server does not use a token"));
    }
    // One after the other: of two at once, one could write the file last and the other count.
    let _rotating = app.rotating.lock().await;
    let renew = app.state.renew_token.clone();
    let made = tokio::task::spawn_blocking(move || renew()).await.map_err(std::io::Error::other);
    let token = made.flatten().map_err(|error| {
        tracing::error!("the new token cannot be saved: {error}");
        ApiError::new(Code::Unavailable, "the new token cannot be saved; the old one stays valid")
    })?;
    app.sessions.replace(token.clone());
    let shown = json(&NewToken { token: token.reveal().to_owned() });
    Ok((cookie(&app)?, shown).into_response())
}

/// Creates a link that signs one browser in. It works once and expires after two minutes.
#[utoipa::path(post, path = "/session/link", tag = "server",
    responses((status = 201, body = NewLink)))]
pub(crate) async fn link(State(app): State<App>) -> Response {
    let code = app.sessions.new_link(app.now());
    with_status(StatusCode::CREATED, &NewLink { path: format!("/session?code={code}") })
}

type Cookie = [(HeaderName, HeaderValue); 2];

/// The cookie for the right token. Wrong ones are counted; the right one is accepted all the same, or any page of the web could
/// keep a person out by guessing in their browser. It is far too long to be found by guessing quickly.
fn signed_in(app: &App, token: &str) -> ApiResult<Cookie> {
    if app.sessions.of(token).is_some() {
        return cookie(app);
    }
    let too_often = |seconds| {
        ApiError::new(Code::TooManyRequests, "too many wrong tokens")
            .hint(format!("try again in {seconds} seconds, or with the right one"))
            .after(seconds)
    };
    app.guesses.take("/session", app.now()).map_err(too_often)?;
    Err(ApiError::new(Code::Unauthorized, "the token is wrong")
        .hint("`amelia dashboard` opens the right link, `amelia token show` shows the token"))
}

/// A cookie with a new session id.
fn cookie(app: &App) -> ApiResult<Cookie> {
    let (name, id) = (cookie_name(&app.state), app.sessions.sign_in());
    let text = format!("{name}={id}; Path=/; HttpOnly; SameSite=Strict");
    let cookie = HeaderValue::from_str(&text)
        .map_err(|_| ApiError::new(Code::Internal, "the session does not fit into a cookie"))?;
    Ok([(header::SET_COOKIE, cookie), (header::CACHE_CONTROL, HeaderValue::from_static("no-store"))])
}

/// A path, and not a name of another server in the form of one.
fn here(next: &str) -> ApiResult<HeaderValue> {
    // Browsers leave some signs out before they look at the rest.
    let is_plain = next.chars().all(|sign| !sign.is_control() && sign != '\\');
    let is_here = next.starts_with('/') && !next.starts_with("//") && is_plain;
    let value = HeaderValue::from_str(next).ok().filter(|_| is_here);
    value.ok_or_else(|| ApiError::new(Code::Invalid, "next: must be a path on this server"))
}

/// The address of a page, with the reason why the person is not signed in.
fn with_reason(next: &HeaderValue) -> Option<HeaderValue> {
    let page = next.to_str().ok()?.split('#').next()?;
    HeaderValue::from_str(&format!("{page}{USED_LINK}")).ok()
}

fn is_browser(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accepted.contains("text/html")
}
