//! Who may call: the right `Host`, the right `Origin`, the right token, not too often. Nothing behind it is reached otherwise.

use std::net::{IpAddr, Ipv6Addr};

use amelia_core::config::server::Auth;
use amelia_wire::error::Code;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use subtle::ConstantTimeEq;

use crate::error::Refusal;
use crate::state::{App, State as Outside};

/// The cookie that a link with the token becomes.
pub(crate) const COOKIE: &str = "amelia_session";

/// Paths that anybody may ask, so that a load balancer needs no token. `/session` takes the token itself.
const OPEN: [&str; 4] = ["/health", "/health/live", "/health/ready", "/session"];

pub(crate) async fn guard(State(app): State<App>, request: Request, next: Next) -> Response {
    let path = plain(request.uri().path());
    if let Err(refusal) = check(&app.state, path, request.headers()) {
        return refusal.into_response();
    }
    // Counted only for whoever has signed in: a stranger cannot use up what is ours.
    let counted = if OPEN.contains(&path) { Ok(()) } else { app.limits.take(path, app.now()) };
    if let Err(seconds) = counted {
        let refusal = Refusal::new(Code::TooManyRequests, "this is asked too often")
            .hint(format!("ask again in {seconds} seconds; `rate_limits` of the server has the limit"));
        return ([(header::RETRY_AFTER, seconds.to_string())], refusal).into_response();
    }
    next.run(request).await
}

/// A path as it is at the root.
pub(crate) fn plain(path: &str) -> &str {
    path.strip_prefix("/api").unwrap_or(path)
}

fn check(state: &Outside, path: &str, headers: &HeaderMap) -> Result<(), Refusal> {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    if !is_ours(state, host) {
        return Err(Refusal::new(Code::Forbidden, format!("this server is not called `{host}`"))
            .hint("use the address that it listens on, or add the name to its configuration"));
    }
    if let Some(origin) = headers.get(header::ORIGIN)
        && !is_same(origin.to_str().unwrap_or_default(), host)
    {
        return Err(Refusal::new(Code::Forbidden, "requests from pages of other sites are refused"));
    }
    match &state.config.auth {
        Auth::None => Ok(()),
        Auth::Token | Auth::Jwt(_) if OPEN.contains(&path) => Ok(()),
        Auth::Token | Auth::Jwt(_) if is_signed_in(state, headers) => Ok(()),
        Auth::Token | Auth::Jwt(_) => Err(Refusal::new(Code::Unauthorized, "sign in first").hint(
            "send `Authorization: Bearer TOKEN`; the token is in the file `token` of the server's home",
        )),
    }
}

/// Equal, found out in a time that does not depend on where they differ.
pub(crate) fn is_token(state: &Outside, given: &str) -> bool {
    let token = state.token.reveal().as_bytes();
    !token.is_empty() && bool::from(token.ct_eq(given.as_bytes()))
}

fn is_signed_in(state: &Outside, headers: &HeaderMap) -> bool {
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let bearer = bearer
        .and_then(|value| value.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    if let Some((_, token)) = bearer {
        return is_token(state, token.trim());
    }
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.any(|(name, value)| name == COOKIE && is_token(state, value))
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
