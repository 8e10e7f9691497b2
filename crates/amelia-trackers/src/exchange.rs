//! One request and its answer, for every transport: an HTTP client of ours or the `gh` program.

use serde_json::Value;

/// No answer of a tracker is larger than this.
pub(crate) const LARGEST_ANSWER: usize = 10 * 1024 * 1024;

pub(crate) const JSON: &str = "application/json";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    /// Changes nothing, and so may be asked again at any time.
    Get,
    /// Changes something: asked again only when it certainly was not taken.
    Post,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TrackerRequest {
    pub(crate) method: Method,
    /// With its query, from the base of the API, without a slash in front.
    pub(crate) path: String,
    pub(crate) accept: &'static str,
    pub(crate) body: Option<Value>,
}

impl TrackerRequest {
    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self { method: Method::Get, path: path.into(), accept: JSON, body: None }
    }

    pub(crate) fn post(path: impl Into<String>, body: Value) -> Self {
        Self { method: Method::Post, path: path.into(), accept: JSON, body: Some(body) }
    }

    pub(crate) fn accepting(self, accept: &'static str) -> Self {
        Self { accept, ..self }
    }
}

/// Any answer, success or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TrackerResponse {
    pub(crate) status: u16,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl TrackerResponse {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(held, _)| held == name).map(|(_, value)| value.as_str())
    }
}

/// `text` as one segment of a path, or one value of a query.
pub(crate) fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
