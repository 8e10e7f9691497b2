//! Which headers are forwarded, and which are not: what is about one connection, and who the caller is, stays here. Pure.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::access::Upstream;
use crate::call::Dialect;

/// About one connection, not about the message.
const OF_A_CONNECTION: [HeaderName; 8] = [
    header::CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    header::PROXY_AUTHENTICATE,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// The caller's own, or written anew.
const OF_THE_CALLER: [HeaderName; 10] = [
    header::AUTHORIZATION,
    API_KEY,
    HeaderName::from_static("api-key"),
    header::PROXY_AUTHORIZATION,
    header::COOKIE,
    header::HOST,
    header::CONTENT_LENGTH,
    header::ACCEPT_ENCODING,
    header::EXPECT,
    header::FORWARDED,
];

/// The token in either header.
pub(crate) fn token(headers: &HeaderMap) -> Option<&str> {
    let text = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let bearer = text(&header::AUTHORIZATION)
        .and_then(|value| value.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    bearer.map(|(_, token)| token.trim()).or_else(|| text(&API_KEY).map(str::trim))
}

/// The headers for the upstream.
pub(crate) fn onwards(headers: &HeaderMap, upstream: &Upstream, dialect: Dialect) -> HeaderMap {
    let mut onwards =
        passed(headers, |name| !OF_THE_CALLER.contains(name) && !name.as_str().starts_with("x-forwarded"));
    // What comes back is read while it passes.
    onwards.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    let Some(key) = &upstream.key else { return onwards };
    let (name, text) = match dialect {
        Dialect::Anthropic if !upstream.is_token => (API_KEY, key.reveal().to_owned()),
        Dialect::Anthropic | Dialect::OpenAi => (header::AUTHORIZATION, format!("Bearer {}", key.reveal())),
    };
    // A key that cannot stand in a header is refused by the upstream as a missing one.
    if let Ok(mut value) = HeaderValue::from_str(&text) {
        value.set_sensitive(true);
        onwards.insert(name, value);
    }
    onwards
}

/// The headers for the caller.
pub(crate) fn back(headers: &HeaderMap) -> HeaderMap {
    passed(headers, |name| *name != header::SET_COOKIE)
}

fn passed(headers: &HeaderMap, is_wanted: impl Fn(&HeaderName) -> bool) -> HeaderMap {
    let named: Vec<String> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    let mut passed = HeaderMap::with_capacity(headers.len() + 2);
    for (name, value) in headers {
        let stays = OF_A_CONNECTION.contains(name) || named.iter().any(|other| other == name.as_str());
        if !stays && is_wanted(name) {
            passed.append(name, value.clone());
        }
    }
    passed
}

#[cfg(test)]
mod tests {
    use amelia_core::config::secret::Secret;
    use amelia_drivers::model::WireFormat;

    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn the_caller_stays_here_and_the_key_goes_on() {
        let came = headers(&[
            ("host", "127.0.0.1:1"),
            ("authorization", "Bearer amp-1"),
            ("x-api-key", "amp-1"),
            ("cookie", "a=b"),
            ("connection", "keep-alive, x-mine"),
            ("x-mine", "1"),
            ("te", "trailers"),
            ("accept-encoding", "gzip"),
            ("content-length", "3"),
            ("anthropic-version", "2023-06-01"),
            ("anthropic-beta", "one"),
            ("content-type", "application/json"),
        ]);
        let upstream = |key: Option<&str>, is_token: bool| Upstream {
            provider: "here".to_owned(),
            base_url: "http://127.0.0.1:1/v1".to_owned(),
            wire: WireFormat::Messages,
            key: key.map(Secret::new),
            is_token,
        };
        let key = upstream(Some("sk-1"), false);
        let rest = [
            ("anthropic-version", "2023-06-01"),
            ("anthropic-beta", "one"),
            ("content-type", "application/json"),
            ("accept-encoding", "identity"),
        ];
        let expected = |more: (&'static str, &'static str)| headers(&[&rest[..], &[more]].concat());
        assert_eq!(onwards(&came, &key, Dialect::OpenAi), expected(("authorization", "Bearer sk-1")));
        assert_eq!(onwards(&came, &key, Dialect::Anthropic), expected(("x-api-key", "sk-1")));
        let token = upstream(Some("sk-1"), true);
        assert_eq!(onwards(&came, &token, Dialect::Anthropic), expected(("authorization", "Bearer sk-1")));
        assert_eq!(onwards(&came, &upstream(None, false), Dialect::OpenAi), headers(&rest));
    }

    #[test]
    fn a_token_is_found_in_either_header() {
        assert_eq!(token(&headers(&[("authorization", "bearer amp-1")])), Some("amp-1"));
        assert_eq!(token(&headers(&[("x-api-key", "amp-2")])), Some("amp-2"));
        assert_eq!(token(&headers(&[("authorization", "Basic x")])), None);
    }

    #[test]
    fn answers_keep_what_is_theirs() {
        let came = headers(&[
            ("content-length", "3"),
            ("set-cookie", "a"),
            ("retry-after", "3"),
            ("keep-alive", "5"),
        ]);
        assert_eq!(back(&came), headers(&[("content-length", "3"), ("retry-after", "3")]));
    }
}
