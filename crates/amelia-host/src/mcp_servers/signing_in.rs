//! Signing in to the servers of a home or a repository, and out again.

use amelia_core::config::mcp::{McpServer, McpTransport};
use amelia_core::problem::Problem;
use amelia_drivers::model::prepare_tls;
pub use amelia_mcp::{PendingSignIn, SignInOptions};
use amelia_mcp::{SignInError, SignIns};
use amelia_orchestrator::service::ServiceError;

use crate::home::Home;
use crate::mcp_servers::{McpServers, ServerScope};

/// Where the tokens of a home are.
pub(super) fn sign_ins(home: &Home) -> SignIns {
    SignIns::at(home.path().join("mcp-sign-ins"))
}

impl McpServers {
    /// Begins a sign-in, which a person completes in a browser. The browser comes back to `redirect`.
    pub async fn sign_in(
        &self,
        name: &str,
        redirect: &str,
        options: SignInOptions,
    ) -> Result<PendingSignIn, ServiceError> {
        let url = self.url_of(name)?;
        prepare_tls();
        sign_ins(&self.home).begin(&url, redirect, options).await.map_err(refused)
    }

    /// Deletes the tokens of a server, and says whether there were any.
    pub fn sign_out(&self, name: &str) -> Result<bool, ServiceError> {
        let forgotten = sign_ins(&self.home).forget(&self.url_of(name)?);
        forgotten.map_err(|error| ServiceError::invalid(format!("the token cannot be deleted: {error}")))
    }

    /// Whether there is a token for a server; `None` for a program, which has no sign-in.
    #[must_use]
    pub fn is_signed_in(&self, server: &McpServer) -> Option<bool> {
        let config = self.checked_config(ServerScope::of(self.here.as_deref())).ok()?;
        match self.expanded(&config, server).ok()?.server.transport {
            McpTransport::Stdio { .. } => None,
            McpTransport::Sse { url, .. } | McpTransport::StreamableHttp { url, .. } => {
                Some(sign_ins(&self.home).has(&url))
            }
        }
    }

    fn url_of(&self, name: &str) -> Result<String, ServiceError> {
        let config = self.checked_config(ServerScope::of(self.here.as_deref()))?;
        match self.expanded(&config, self.known(&config, name)?)?.server.transport {
            McpTransport::Sse { url, .. } | McpTransport::StreamableHttp { url, .. } => Ok(url),
            McpTransport::Stdio { .. } => Err(ServiceError::invalid(
                Problem::new(format!("the MCP server `{name}` is a program: there is no sign-in"))
                    .with_hint("pass its key in `env` of its configuration"),
            )),
        }
    }
}

/// What went wrong, with what to do about it.
pub fn refused(error: SignInError) -> ServiceError {
    ServiceError::Invalid(error.into())
}
