//! The values of the variables of a server, and what must not be shown because of them.

use std::cell::RefCell;
use std::path::Path;

use amelia_core::config::mcp::{McpServer, McpTransport};
use amelia_core::config::secret::Secret;
use amelia_core::problem::Problem;
use amelia_core::redact::Redactor;
use amelia_mcp::expand;
use amelia_orchestrator::service::ServiceError;

use crate::error::service_error;
use crate::home::Home;
use crate::keys::Keys;
use crate::mcp_servers::signing_in::sign_ins;

/// A server with the values of its variables.
pub(super) struct ExpandedServer {
    pub(super) server: McpServer,
    /// Takes out what the server was started with, and all keys.
    pub(super) redactor: Redactor,
}

/// Looks up the variables of a server in the keys of the home and in the environment.
pub(super) fn expand_server(home: &Home, server: &McpServer) -> Result<ExpandedServer, ServiceError> {
    let keys = Keys::gather(home, &[]).map_err(service_error)?;
    let used = RefCell::new(Vec::new());
    let value_of = |name: &str| {
        let value = match keys.get(name) {
            Some(key) => Some(key.reveal().to_owned()),
            None => std::env::var(name).ok(),
        };
        used.borrow_mut().extend(value.clone());
        value
    };
    let server = expand(server, value_of).map_err(|missing| {
        let hint = format!("export {}, or put it into config/keys.env of the home", missing.name);
        ServiceError::Invalid(Problem::new(missing.to_string()).with_hint(hint))
    })?;
    let of_sign_in = match &server.transport {
        McpTransport::Stdio { .. } => Vec::new(),
        McpTransport::Sse { url, .. } | McpTransport::StreamableHttp { url, .. } => {
            sign_ins(home).secrets(url)
        }
    };
    let texts = used.into_inner().into_iter().chain(private_texts(&server.transport)).chain(of_sign_in);
    let secrets = texts.filter(|text| !is_place(text)).map(Secret::new);
    let redactor = secrets.fold(keys.redactor().as_ref().clone(), |redactor, secret| redactor.with(secret));
    Ok(ExpandedServer { server, redactor })
}

/// Values of its environment and headers, and the token in `Bearer TOKEN`.
fn private_texts(transport: &McpTransport) -> Vec<String> {
    let values = match transport {
        McpTransport::Stdio { env, .. } => env.values(),
        McpTransport::Sse { headers, .. } | McpTransport::StreamableHttp { headers, .. } => headers.values(),
    };
    values
        .flat_map(|value| [Some(value.as_str()), value.split_whitespace().last()])
        .flatten()
        .map(str::to_owned)
        .collect()
}

/// Paths may be shown: they say which file a server uses.
fn is_place(text: &str) -> bool {
    let path = Path::new(text);
    let is_in_directory = || path.parent().is_some_and(|parent| parent.parent().is_some() && parent.is_dir());
    path.is_absolute() && (path.exists() || is_in_directory())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use amelia_core::text::REDACTED;

    use super::*;

    #[test]
    fn what_a_server_is_started_with_is_not_shown() {
        let home = tempfile::tempdir().unwrap();
        let place = home.path().join("memory.json").display().to_string();
        let env = BTreeMap::from([
            ("API".to_owned(), "a-literal-value-1".to_owned()),
            ("FILE".to_owned(), place.clone()),
        ]);
        let stdio = McpTransport::Stdio { command: "node".to_owned(), args: Vec::new(), env };
        let expanded = expand_server(&Home::at(home.path()), &McpServer::new("a", stdio)).unwrap();
        let text = format!("a-literal-value-1 in {place}");
        assert_eq!(expanded.redactor.text(&text), format!("{REDACTED} in {place}"));
        let headers = BTreeMap::from([("Authorization".to_owned(), "Bearer token-of-mine-22".to_owned())]);
        let http = McpTransport::StreamableHttp { url: "https://example.org/mcp".to_owned(), headers };
        let expanded = expand_server(&Home::at(home.path()), &McpServer::new("b", http)).unwrap();
        assert!(!expanded.redactor.text("401 for token-of-mine-22").contains("mine"));
    }
}
