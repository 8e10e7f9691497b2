//! Why a server did not answer, by what can be done about it.

use std::error::Error;
use std::io;
use std::time::Duration;

use amelia_core::problem::Hinted;
use amelia_core::tool_failure::{RetryableFailure, ToolFailure};
use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::streamable_http_client::StreamableHttpError;

use crate::sse::SseError;

/// Why a server did not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum McpFailure {
    #[error("the MCP server `{server}` could not be started: {reason}")]
    NotStarted { server: String, reason: String },
    /// A remote server, by its address without secrets.
    #[error("the MCP server `{server}` cannot be reached at {url}: {reason}")]
    Unreached { server: String, url: String, reason: String },
    #[error("the MCP server `{server}` does not speak MCP: it printed `{printed}` in the place of a message")]
    NotMcp { server: String, printed: String },
    #[error("the MCP server `{server}` did not answer within {} s", .after.as_secs())]
    Silent { server: String, after: Duration },
    #[error("the connection to the MCP server `{server}` was lost: {reason}")]
    Lost { server: String, reason: String },
    #[error("the MCP server `{server}` requires you to sign in")]
    NotSignedIn { server: String },
    /// The server has answered, and says no.
    #[error("{0}")]
    Refused(String),
    #[error("cancelled")]
    Cancelled,
}

impl McpFailure {
    pub(crate) fn of_start(
        server: &str,
        url: Option<&str>,
        error: &ClientInitializeError,
        last_word: Option<String>,
    ) -> Self {
        if error.is_authorization_required() {
            return Self::NotSignedIn { server: server.to_owned() };
        }
        if let Some(unreached) = url.and_then(|url| Self::unreached(server, url, sent(error)?)) {
            return unreached;
        }
        let reason = match last_word {
            Some(word) => format!("{}; it wrote: {word}", start_reason(error)),
            None => start_reason(error),
        };
        Self::NotStarted { server: server.to_owned(), reason }
    }

    /// A request that could not be sent at all.
    pub(crate) fn unreached(server: &str, url: &str, error: &(dyn Error + 'static)) -> Option<Self> {
        let reason = match error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
            Some(StreamableHttpError::Client(error)) => connect_reason(error)?,
            Some(_) => return None,
            None => match error.downcast_ref::<SseError>()? {
                SseError::Http(error) => connect_reason(error)?,
                SseError::NoEndpoint | SseError::Elsewhere => return None,
            },
        };
        Some(Self::Unreached { server: server.to_owned(), url: shown_url(url), reason })
    }

    pub(crate) fn of_call(server: &str, error: &ServiceError) -> Self {
        let server = server.to_owned();
        match error {
            ServiceError::McpError(error) => Self::Refused(error.message.to_string()),
            ServiceError::Timeout { timeout } => Self::Silent { server, after: *timeout },
            ServiceError::Cancelled { .. } => Self::Cancelled,
            ServiceError::UnexpectedResponse => {
                Self::Refused("the server answered with something other than a result".to_owned())
            }
            ServiceError::TransportSend(error) => match is_too_often(&*error.error) {
                true => Self::Refused(format!("the MCP server `{server}` got too many requests (HTTP 429)")),
                false => Self::Lost { server, reason: transport_reason(&*error.error) },
            },
            ServiceError::TransportClosed => {
                Self::Lost { server, reason: "it closed the connection".to_owned() }
            }
            ServiceError::InputRequiredRoundsExceeded { max_rounds } => {
                Self::Refused(format!("the server asked for input more than {max_rounds} times"))
            }
            _ => Self::Lost { server, reason: "it does not follow the protocol".to_owned() },
        }
    }

    /// What kind of failure this is to those who may try again.
    #[must_use]
    pub fn kind(&self) -> ToolFailure {
        match self {
            Self::NotStarted { .. } | Self::Unreached { .. } | Self::Lost { .. } => {
                ToolFailure::MayPass(RetryableFailure::Connection)
            }
            Self::Silent { .. } => ToolFailure::MayPass(RetryableFailure::Timeout),
            Self::Refused(message) => refusal(message),
            Self::NotSignedIn { .. } | Self::NotMcp { .. } | Self::Cancelled => ToolFailure::Failed,
        }
    }
}

/// Whether a server wants fewer requests. The connection to it is as it was.
fn is_too_often(error: &(dyn Error + 'static)) -> bool {
    let error = error.downcast_ref::<StreamableHttpError<reqwest::Error>>();
    matches!(error, Some(StreamableHttpError::HttpStatus(status)) if status.status == 429)
}

/// What the transport says about a request that was not answered.
fn sent(error: &ClientInitializeError) -> Option<&(dyn Error + 'static)> {
    match error {
        ClientInitializeError::TransportError { error, .. } => Some(&*error.error),
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => sent(fallback),
        _ => None,
    }
}

/// The innermost reason why there is no connection.
fn connect_reason(error: &reqwest::Error) -> Option<String> {
    if !error.is_connect() {
        return None;
    }
    let mut deepest: &dyn Error = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    let reason = deepest.to_string();
    // The number of the error says nothing to people.
    let reason = reason.split(" (os error").next().unwrap_or_default();
    let mut letters = reason.chars();
    Some(letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default())
}

/// An address without users, queries and fragments, which may hold secrets.
fn shown_url(url: &str) -> String {
    let Ok(mut url) = reqwest::Url::parse(url) else { return "its URL".to_owned() };
    url.set_query(None);
    url.set_fragment(None);
    url.set_username("").ok();
    url.set_password(None).ok();
    url.to_string()
}

/// Why a connection could not be opened, without names of types.
fn start_reason(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::ConnectionClosed(_) => "it closed the connection".to_owned(),
        ClientInitializeError::TransportError { error, .. } => transport_reason(&*error.error),
        ClientInitializeError::JsonRpcError(error) => error.message.to_string(),
        ClientInitializeError::NoCompatibleProtocolVersion { .. } => {
            "it supports no protocol version that Amelia supports".to_owned()
        }
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => start_reason(fallback),
        ClientInitializeError::Cancelled => "cancelled".to_owned(),
        _ => "its answer does not follow the protocol".to_owned(),
    }
}

/// Why a message could not be sent. To a program that has ended, it is a broken pipe.
fn transport_reason(error: &(dyn Error + 'static)) -> String {
    if has_ended(error) { "it has ended".to_owned() } else { error.to_string() }
}

fn has_ended(error: &(dyn Error + 'static)) -> bool {
    // The source of an I/O error is that of the error in it, not that error.
    let inner = match error.downcast_ref::<io::Error>() {
        Some(error) if error.kind() == io::ErrorKind::BrokenPipe => return true,
        Some(error) => error.get_ref().map(|inner| inner as &(dyn Error + 'static)),
        None => None,
    };
    inner.or_else(|| error.source()).is_some_and(has_ended)
}

/// What a server means by its words: the protocol has no code for a rate limit.
pub(crate) fn refusal(message: &str) -> ToolFailure {
    let message = message.to_lowercase();
    let is_limit =
        ["rate limit", "rate-limit", "too many requests", "429"].iter().any(|words| message.contains(words));
    if is_limit { ToolFailure::MayPass(RetryableFailure::RateLimit) } else { ToolFailure::Failed }
}

impl Hinted for McpFailure {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NotStarted { server, .. } | Self::Silent { server, .. } => {
                format!("check the `config` of `{server}`; `amelia doctor` finds programs that are missing")
            }
            Self::Unreached { server, .. } => format!("start the server, or correct the `url` of `{server}`"),
            Self::NotMcp { server, .. } => format!(
                "check the `command` and `args` of `{server}`: an MCP server prints only messages to standard output"
            ),
            Self::NotSignedIn { server } => {
                format!("amelia mcp login {server}, or put its token into its `headers`")
            }
            Self::Lost { .. } | Self::Refused(_) | Self::Cancelled => return None,
        };
        Some(hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_has_ended_is_no_broken_pipe() {
        let ended = io::Error::from(io::ErrorKind::BrokenPipe);
        assert_eq!(transport_reason(&ended), "it has ended");
        let wrapped = io::Error::other(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(transport_reason(&wrapped), "it has ended");
        assert_eq!(transport_reason(&io::Error::other("it is busy")), "it is busy");
    }
}
