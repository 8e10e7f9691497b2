//! A server with everything that is needed to start it.

use std::ffi::OsString;
use std::path::PathBuf;

use amelia_core::config::mcp::McpServer;
use reqwest::Client;

use crate::sign_in::SignIns;

/// A server with everything that is needed to start it. Its texts may hold secrets.
#[derive(Clone)]
pub struct ResolvedServer {
    pub server: McpServer,
    /// Where its process is started.
    pub directory: Option<PathBuf>,
    /// The directory that it has to work in, if it asks for the roots of its client.
    pub root: Option<PathBuf>,
    /// What its process finds in its environment, beside its own `env`.
    pub vars: Vec<(OsString, OsString)>,
    /// Who its process belongs to.
    pub owner: String,
    /// For a server at a URL.
    pub client: Option<Client>,
    /// Where its tokens are, if people sign in to it.
    pub sign_ins: Option<SignIns>,
}

impl ResolvedServer {
    /// The same servers share a connection.
    pub(crate) fn key(&self) -> String {
        let transport = serde_json::to_string(&self.server.transport).unwrap_or_default();
        format!("{}\n{}\n{transport}\n{:?}", self.owner, self.server.name, self.directory)
    }
}
