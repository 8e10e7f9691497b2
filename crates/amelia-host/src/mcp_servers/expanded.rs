//! The values of the variables of a server, and what must not be shown because of them.

use std::cell::RefCell;
use std::path::Path;

use amelia_core::config::mcp::{McpServer, McpTransport};
use amelia_core::config::secret::Secret;
use amelia_core::problem::Problem;
use amelia_core::redact::Redactor;
use amelia_mcp::expand;
use amelia_orchestrator::service::ServiceError;
use amelia_wire::maf::files::MCP_SERVERS;

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

/// Looks up the variables of a server in the keys of the home and in the environment. It may use only those in `allowed`,
/// if there is such a list.
pub(super) fn expand_server(
    home: &Home,
    server: &McpServer,
    allowed: Option<&[String]>,
) -> Result<ExpandedServer, ServiceError> {
    let keys = Keys::gather(home, &[]).map_err(service_error)?;
    let used = RefCell::new(Vec::new());
    let is_allowed = |name: &str| allowed.is_none_or(|all| all.iter().any(|one| one == name));
    let value_of = |name: &str| {
        let value = match keys.get(name) {
            _ if !is_allowed(name) => None,
            Some(key) => Some(key.reveal().to_owned()),
            None => std::env::var(name).ok(),
        };
        used.borrow_mut().extend(value.clone());
        value
    };
    let server = expand(server, value_of).map_err(|missing| {
        let (server, name) = (&missing.server, &missing.name);
        let problem = match is_allowed(name) {
            true => Problem::new(missing.to_string())
                .with_hint(format!("export {name}, or put it into config/keys.env of the home")),
            false => Problem::new(format!("the MCP server `{server}` may not use `${{{name}}}`"))
                .with_hint(format!("add {name} to `mcp_envs` in {MCP_SERVERS} of the home")),
        };
        ServiceError::Invalid(problem)
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
    use std::os::unix::fs::PermissionsExt as _;

    use amelia_core::problem::Hinted as _;
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
        let expanded = expand_server(&Home::at(home.path()), &McpServer::new("a", stdio), None).unwrap();
        let text = format!("a-literal-value-1 in {place}");
        assert_eq!(expanded.redactor.text(&text), format!("{REDACTED} in {place}"));
        let headers = BTreeMap::from([("Authorization".to_owned(), "Bearer token-of-mine-22".to_owned())]);
        let http = McpTransport::StreamableHttp { url: "https://example.org/mcp".to_owned(), headers };
        let expanded = expand_server(&Home::at(home.path()), &McpServer::new("b", http), None).unwrap();
        assert!(!expanded.redactor.text("401 for token-of-mine-22").contains("mine"));
    }

    #[test]
    fn a_server_uses_no_variable_that_is_not_in_the_list() {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join("config")).unwrap();
        let keys = home.path().join("config/keys.env");
        std::fs::write(&keys, "A_KEY=one-of-the-home\n").unwrap();
        std::fs::set_permissions(&keys, std::fs::Permissions::from_mode(0o600)).unwrap();
        let args = vec!["${A_KEY}".to_owned()];
        let stdio = McpTransport::Stdio { command: "node".to_owned(), args, env: BTreeMap::new() };
        let server = McpServer::new("a", stdio);
        let expand = |allowed: Option<&[String]>| expand_server(&Home::at(home.path()), &server, allowed);
        assert!(expand(None).is_ok() && expand(Some(&["A_KEY".to_owned()])).is_ok());
        for allowed in [&[] as &[String], &["ANOTHER".to_owned()]] {
            let refused = expand(Some(allowed)).err().unwrap();
            assert_eq!(refused.to_string(), "the MCP server `a` may not use `${A_KEY}`");
            let hint = refused.hint().unwrap();
            assert_eq!(hint, "add A_KEY to `mcp_envs` in config/mcp_servers.yaml of the home");
        }
    }
}
