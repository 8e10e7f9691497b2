//! Who may call: the right `Host`, the right `Origin`, the right token, not too often. Nothing behind it is reached otherwise.

use std::net::{IpAddr, Ipv6Addr};

use amelia_core::config::server::AuthMode;
use amelia_wire::error::Code;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::connections::Stranger;
use crate::error::ApiError;
use crate::session::Session;
use crate::state::{App, ServerParts as Outside};
use crate::ui::is_ui;

/// Paths that anybody may ask, so that a load balancer needs no token, and a page can ask for one.
const OPEN: [&str; 5] = ["/health", "/health/live", "/health/ready", "/session", "/session/state"];

pub(crate) async fn guard(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let is_open = is_ui(path) || OPEN.contains(&plain(path));
    match check(&app, is_open, request.headers()) {
        Err(refusal) => return refusal.into_response(),
        Ok(None) => {}
        Ok(Some(session)) => {
            // Counted only for signed-in callers: a stranger cannot use up what is ours.
            if let Err(seconds) = app.limits.take(plain(path), app.now()) {
                let hint =
                    format!("try again in {seconds} seconds; the server setting `rate_limits` has the limit");
                return ApiError::new(Code::TooManyRequests, "too many requests")
                    .hint(hint)
                    .after(seconds)
                    .into_response();
            }
            known(&request);
            request.extensions_mut().insert(session);
        }
    }
    next.run(request).await
}

/// What is served beside us knows its callers by itself, and refuses the others.
pub(crate) async fn beside(request: Request, next: Next) -> Response {
    let stranger = request.extensions().get::<Stranger>().cloned();
    let answer = next.run(request).await;
    if let Some(stranger) = stranger.filter(|_| answer.status() != StatusCode::UNAUTHORIZED) {
        stranger.known();
    }
    answer
}

fn known(request: &Request) {
    if let Some(stranger) = request.extensions().get::<Stranger>() {
        stranger.known();
    }
}

/// A path as it is at the root.
pub(crate) fn plain(path: &str) -> &str {
    path.strip_prefix("/api").unwrap_or(path)
}

/// The session of the caller who may pass; nothing for paths that are open.
fn check(app: &App, is_open: bool, headers: &HeaderMap) -> Result<Option<Session>, ApiError> {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    if !is_ours(&app.state, host) {
        return Err(ApiError::new(Code::Forbidden, format!("`{host}` is not a known name of this server"))
            .hint("use the address that it listens on, or add the name to its configuration"));
    }
    if let Some(origin) = headers.get(header::ORIGIN)
        && !is_same(origin.to_str().unwrap_or_default(), host)
    {
        return Err(ApiError::new(Code::Forbidden, "requests from pages of other sites are refused"));
    }
    if is_open {
        return Ok(None);
    }
    let session = match &app.state.config.auth {
        AuthMode::None => Some(app.sessions.open()),
        AuthMode::Token | AuthMode::Jwt(_) => session_of(app, headers),
    };
    let refuse = || {
        ApiError::new(Code::Unauthorized, "sign in first")
            .hint("send `Authorization: Bearer TOKEN`; the token is in the file `token` of the server's home")
    };
    session.map(Some).ok_or_else(refuse)
}

/// The cookie with a session id. Browsers keep cookies by the name of a machine, without the port: two servers on one
/// machine must not sign each other out.
pub(crate) fn cookie_name(state: &Outside) -> String {
    format!("amelia_session_{}", state.address.port())
}

/// The session that a request belongs to, by its token or its cookie.
pub(crate) fn session_of(app: &App, headers: &HeaderMap) -> Option<Session> {
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let bearer = bearer
        .and_then(|value| value.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    if let Some((_, token)) = bearer {
        return app.sessions.of(token.trim());
    }
    ids_of(app, headers).find_map(|id| app.sessions.of_browser(id))
}

/// The session ids that a browser shows.
pub(crate) fn ids_of<'h>(app: &App, headers: &'h HeaderMap) -> impl Iterator<Item = &'h str> {
    let ours = cookie_name(&app.state);
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(move |(name, _)| *name == ours).map(|(_, value)| value)
}

/// A name that leads here by itself. A foreign name that was made to lead here (DNS rebinding) is none; an address cannot be
/// made to.
fn is_ours(state: &Outside, host: &str) -> bool {
    let name = name_of(host);
    let is_named = |other: &str| !other.is_empty() && name.eq_ignore_ascii_case(name_of(other));
    if is_named(&state.config.host) || state.names.iter().any(|other| is_named(other)) {
        return true;
    }
    let bound = state.address.ip();
    let is_local = bound.is_loopback() || bound.is_unspecified();
    match address_of(name) {
        Some(address) => address == bound || bound.is_unspecified() || (is_local && address.is_loopback()),
        None => is_local && name.eq_ignore_ascii_case("localhost"),
    }
}

/// A page of our own: same name, same port.
fn is_same(origin: &str, host: &str) -> bool {
    let Some((scheme, authority)) = origin.split_once("://") else { return false };
    let usual = match scheme {
        "http" => ":80",
        "https" => ":443",
        _ => return false,
    };
    let plain = |authority: &str| authority.strip_suffix(usual).unwrap_or(authority).to_ascii_lowercase();
    plain(authority) == plain(host)
}

/// `host[:port]` without the port.
fn name_of(host: &str) -> &str {
    if host.parse::<Ipv6Addr>().is_ok() {
        return host;
    }
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

fn address_of(name: &str) -> Option<IpAddr> {
    let inner = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    inner.unwrap_or(name).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_ours_only_with_the_same_name_and_port() {
        let cases = [
            ("http://localhost:8420", "localhost:8420", true),
            ("https://amelia.test", "amelia.test", true),
            ("https://amelia.test:443", "amelia.test", true),
            ("http://localhost:3000", "localhost:8420", false),
            ("http://evil.test", "localhost:8420", false),
            ("null", "localhost:8420", false),
            ("file://localhost:8420", "localhost:8420", false),
            ("", "localhost:8420", false),
        ];
        for (origin, host, expected) in cases {
            assert_eq!(is_same(origin, host), expected, "{origin} {host}");
        }
    }

    #[test]
    fn the_port_is_no_part_of_a_name() {
        let cases = [("a.test:1", "a.test"), ("[::1]:80", "[::1]"), ("::1", "::1"), ("a.test", "a.test")];
        for (host, name) in cases {
            assert_eq!(name_of(host), name);
        }
        assert_eq!(address_of("[::1]"), Some(IpAddr::V6(Ipv6Addr::LOCALHOST)));
    }
}
