//! Which calls there are: from a path of ours to a path of the upstream. Pure.

use amelia_drivers::model::WireFormat;
use axum::http::Method;

/// Whose words an answer of our own is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    OpenAi,
    Anthropic,
}

impl Dialect {
    /// What a path belongs to.
    pub(crate) fn of(path: &str) -> Self {
        match path.strip_prefix("/proxy/anthropic") {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => Self::Anthropic,
            Some(_) | None => Self::OpenAi,
        }
    }
}

/// What an answer says about what it took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Metering {
    /// It costs nothing.
    Free,
    Tokens(WireFormat),
    /// Only its input is counted, because there is nothing else.
    Input,
}

/// One thing that a model can be asked.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ModelCall {
    dialect: Dialect,
    method: Method,
    /// The same here and at the upstream, behind what is in front of it.
    path: &'static str,
    pub(crate) metering: Metering,
}

const CALLS: &[ModelCall] = &[
    post(Dialect::OpenAi, "/chat/completions", Metering::Tokens(WireFormat::Chat)),
    post(Dialect::OpenAi, "/responses", Metering::Tokens(WireFormat::Responses)),
    post(Dialect::Anthropic, "/messages", Metering::Tokens(WireFormat::Messages)),
    post(Dialect::Anthropic, "/messages/count_tokens", Metering::Free),
    post(Dialect::OpenAi, "/embeddings", Metering::Input),
    MODELS,
    ModelCall { dialect: Dialect::Anthropic, ..MODELS },
];

/// The list, and below it one model each.
const MODELS: ModelCall =
    ModelCall { dialect: Dialect::OpenAi, method: Method::GET, path: "/models", metering: Metering::Free };

const fn post(dialect: Dialect, path: &'static str, metering: Metering) -> ModelCall {
    ModelCall { dialect, method: Method::POST, path, metering }
}

impl ModelCall {
    fn is_at(&self, dialect: Dialect, below: &str) -> bool {
        let is_here = match below.strip_prefix(self.path) {
            Some("") => true,
            Some(rest) => self.path == MODELS.path && rest.starts_with('/') && is_plain(rest),
            None => false,
        };
        is_here && self.dialect == dialect
    }
}

/// Leads nowhere else, however it is read.
fn is_plain(rest: &str) -> bool {
    let is_known = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.:@".contains(&byte);
    rest.bytes().all(is_known) && !rest.contains("..")
}

/// What a request is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RequestKind<'p> {
    /// With the path below the upstream's base URL.
    Call(&'static ModelCall, &'p str),
    /// A caller asks whether the proxy is there.
    Probe,
    /// The path is there, for this method.
    OtherMethod(&'static Method),
    Nothing,
}

/// What a method and a path ask for.
pub(crate) fn wanted<'p>(method: &Method, path: &'p str) -> RequestKind<'p> {
    if matches!(path, "/proxy/anthropic" | "/proxy/anthropic/") && *method == Method::HEAD {
        return RequestKind::Probe;
    }
    let dialect = Dialect::of(path);
    let root = match dialect {
        Dialect::OpenAi => "/proxy/v1",
        Dialect::Anthropic => "/proxy/anthropic/v1",
    };
    let Some(below) = path.strip_prefix(root) else { return RequestKind::Nothing };
    match CALLS.iter().find(|call| call.is_at(dialect, below)) {
        Some(call) if call.method == *method => RequestKind::Call(call, below),
        Some(call) => RequestKind::OtherMethod(&call.method),
        None => RequestKind::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_says_what_is_asked_and_in_whose_words() {
        let found = |method, path: &str| match wanted(&method, path) {
            RequestKind::Call(_, below) => below.to_owned(),
            RequestKind::Probe => "probe".to_owned(),
            RequestKind::OtherMethod(_) => "other method".to_owned(),
            RequestKind::Nothing => "nothing".to_owned(),
        };
        assert_eq!(found(Method::POST, "/proxy/v1/responses"), "/responses");
        assert_eq!(found(Method::POST, "/proxy/anthropic/v1/messages"), "/messages");
        assert_eq!(found(Method::GET, "/proxy/anthropic/v1/messages"), "other method");
        assert_eq!(found(Method::HEAD, "/proxy/anthropic/"), "probe");
        assert_eq!(found(Method::GET, "/proxy/anthropic"), "nothing");
        assert_eq!(found(Method::GET, "/proxy/v1/models/some/model-1.5:free"), "/models/some/model-1.5:free");
        assert_eq!(found(Method::GET, "/proxy/anthropic/v1/models"), "/models");
        for elsewhere in ["/models/../files", "/models/%2e%2e/files", "/modelsx", "/messages", "/files"] {
            assert_eq!(found(Method::GET, &format!("/proxy/v1{elsewhere}")), "nothing");
        }
        assert_eq!(found(Method::POST, "/proxy/v1/responses/"), "nothing");
        assert_eq!(Dialect::of("/proxy/anthropic/v1/x"), Dialect::Anthropic);
        assert_eq!(Dialect::of("/proxy/anthropics"), Dialect::OpenAi);
        assert_eq!(Dialect::of("/proxy/v1/x"), Dialect::OpenAi);
    }
}
