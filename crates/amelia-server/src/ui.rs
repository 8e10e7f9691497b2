//! The dashboard, as it was built: files in memory, looked up by name, so that no request ever becomes a path on a disk.
//! Anybody may have them; what they show comes from the API, which asks for the token.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use amelia_wire::error::Code;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use uuid::Uuid;

use crate::error::{ApiError, ApiResult};

/// Where it begins.
const INDEX: &str = "index.html";
/// What a build without the dashboard shows in its place.
const NONE: &str = include_str!("ui/none.html");
/// Stands in a page where the nonce of each answer comes.
const NONCE: &str = "__CSP_NONCE__";
/// No file of the dashboard is larger.
const MAX_PLAIN_BYTES: u64 = 64 * 1024 * 1024;
/// Names below have a hash of their content in them.
const HASHED: &str = "assets/";
/// Nothing that a page could ask of the machine of its reader.
const PERMISSIONS: &str = "accelerometer=(), autoplay=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), \
     hid=(), magnetometer=(), microphone=(), midi=(), payment=(), serial=(), usb=()";

/// The files of the dashboard.
#[derive(Clone, Default)]
pub struct Ui {
    files: BTreeMap<String, File>,
}

#[derive(Clone)]
struct File {
    body: Bytes,
    /// As `name.gz` was: sent as it is, and unpacked by the browser.
    is_packed: bool,
    tag: String,
}

impl Ui {
    /// From names below the built directory. Of a file and its `.gz` the packed one is kept; of pages the plain one, because
    /// they are not sent as they are.
    pub fn new(files: impl IntoIterator<Item = (String, Bytes)>) -> Self {
        let mut ui = Self::default();
        for (name, body) in files {
            let (name, is_packed) = match name.strip_suffix(".gz") {
                Some(name) => (name.to_owned(), true),
                None => (name, false),
            };
            let is_kept = ui.files.contains_key(&name) && is_packed == is_page(&name);
            if !is_kept {
                let tag = tag(&body);
                ui.files.insert(name, File { body, is_packed, tag });
            }
        }
        ui
    }

    fn index(&self) -> &str {
        let text = self.files.get(INDEX).and_then(|file| std::str::from_utf8(&file.body).ok());
        text.unwrap_or(NONE)
    }
}

pub(crate) fn router(ui: Ui) -> Router {
    Router::new()
        .route("/", get(async || Redirect::to("/ui/")))
        .route("/ui", get(async || Redirect::to("/ui/")))
        .route("/ui/", get(begin))
        .route("/ui/{*path}", get(below))
        .with_state(Arc::new(ui))
}

/// Whether a path is the dashboard's, and needs no token.
pub(crate) fn is_ui(path: &str) -> bool {
    path == "/" || path == "/ui" || path.starts_with("/ui/")
}

async fn begin(State(ui): State<Arc<Ui>>, headers: HeaderMap) -> Response {
    page(&ui, &headers)
}

async fn below(
    State(ui): State<Arc<Ui>>,
    Path(path): Path<String>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    match ui.files.get(&path) {
        Some(_) if path == INDEX => Ok(page(&ui, &headers)),
        Some(file) => file_of(&path, file, &headers),
        // An address that the dashboard itself makes sense of.
        None if !path.starts_with(HASHED) && kind_of(&path).is_none() => Ok(page(&ui, &headers)),
        None => Err(ApiError::new(Code::NotFound, format!("the dashboard has no file `{path}`"))),
    }
}

/// The page that everything begins with, for one look at it.
fn page(ui: &Ui, headers: &HeaderMap) -> Response {
    let text = ui.index();
    let kept = [(header::ETAG, tag(text.as_bytes())), (header::CACHE_CONTROL, "no-cache".to_owned())];
    if has(headers, &tag(text.as_bytes())) {
        // Without a policy: the one that the browser has kept belongs to the page that it has kept.
        return (StatusCode::NOT_MODIFIED, kept).into_response();
    }
    let nonce = Uuid::new_v4().simple().to_string();
    let shown = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8".to_owned()),
        (header::CONTENT_SECURITY_POLICY, policy(&nonce)),
        (HeaderName::from_static("permissions-policy"), PERMISSIONS.to_owned()),
    ];
    (kept, shown, text.replace(NONCE, &nonce)).into_response()
}

/// Only what we serve, and no markup that others have written.
fn policy(nonce: &str) -> String {
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data:; \
         font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}

fn file_of(path: &str, file: &File, headers: &HeaderMap) -> ApiResult<Response> {
    let cache = if path.starts_with(HASHED) { "public, max-age=31536000, immutable" } else { "no-cache" };
    let kept = [
        (header::ETAG, file.tag.clone()),
        (header::CACHE_CONTROL, cache.to_owned()),
        (header::VARY, "accept-encoding".to_owned()),
    ];
    if has(headers, &file.tag) {
        return Ok((StatusCode::NOT_MODIFIED, kept).into_response());
    }
    let is_packed = file.is_packed && takes_gzip(headers);
    // Every browser takes it packed; what does not is rare enough to unpack it each time.
    let body = if file.is_packed && !is_packed { unpacked(&file.body)? } else { file.body.clone() };
    let kind = kind_of(path).unwrap_or("application/octet-stream");
    let mut answer = (kept, [(header::CONTENT_TYPE, kind)], body).into_response();
    if is_packed {
        answer.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    Ok(answer)
}

fn unpacked(body: &Bytes) -> ApiResult<Bytes> {
    use std::io::Read as _;
    let mut plain = Vec::new();
    let read = flate2::read::GzDecoder::new(body.as_ref()).take(MAX_PLAIN_BYTES).read_to_end(&mut plain);
    match read {
        Ok(_) => Ok(plain.into()),
        Err(_) => Err(ApiError::new(Code::Internal, "a file of the dashboard cannot be unpacked")),
    }
}

fn is_page(name: &str) -> bool {
    kind_of(name).is_some_and(|kind| kind.starts_with("text/html"))
}

/// By the end of a name, for everything that a build writes.
fn kind_of(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or_default();
    let (_, extension) = name.rsplit_once('.')?;
    Some(match extension {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "txt" => "text/plain; charset=utf-8",
        "woff2" => "font/woff2",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "webp" => "image/webp",
        "wasm" => "application/wasm",
        _ => return None,
    })
}

fn tag(body: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    body.hash(&mut hasher);
    format!("\"{:016x}\"", hasher.finish())
}

/// Whether the browser has it already.
fn has(headers: &HeaderMap, tag: &str) -> bool {
    let asked = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let mut tags = asked.flat_map(|value| value.split(',')).map(str::trim);
    tags.any(|known| known == "*" || known.trim_start_matches("W/") == tag)
}

fn takes_gzip(headers: &HeaderMap) -> bool {
    let asked = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let mut codings = asked.flat_map(|value| value.split(','));
    codings.any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let is_it = matches!(parts.next(), Some("gzip" | "x-gzip" | "*"));
        let is_refused = parts.any(|part| {
            part.strip_prefix("q=").and_then(|q| q.parse::<f32>().ok()).is_some_and(|q| q <= 0.0)
        });
        is_it && !is_refused
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_sent_to_who_takes_it() {
        let cases = [
            ("gzip", true),
            ("br, gzip;q=0.5", true),
            ("*", true),
            ("br", false),
            ("gzip;q=0", false),
            ("gzip; q=0.0, br", false),
            ("", false),
        ];
        for (value, expected) in cases {
            let headers = HeaderMap::from_iter([(header::ACCEPT_ENCODING, value.parse().unwrap())]);
            assert_eq!(takes_gzip(&headers), expected, "{value}");
        }
        assert!(!takes_gzip(&HeaderMap::new()));
    }
}
