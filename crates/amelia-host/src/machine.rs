//! The machine that this program runs on, as the server shows it: repositories, issues, definitions, MCP servers, what is
//! missing, and how the server is configured.

mod definitions;
mod look;
mod mcp;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use amelia_core::tracker::Issue;
use amelia_orchestrator::service::ServiceError;
use amelia_server::{Machine, NotChanged};
use amelia_wire::rest::config::{ServerChange, ServerValue};
use amelia_wire::rest::doctor::{Checkup, CheckupQuery, Finding};
use amelia_wire::rest::issue::IssueQuery;
use amelia_wire::rest::repository::RepositoryLook;
use async_trait::async_trait;

use crate::doctor::check::DoctorCheck;
use crate::doctor::{self, ProfileOrigin};
use crate::error::problem_of;
use crate::home::Home;
use crate::mcp_servers::McpServers;
use crate::run_service::LocalRunService;
use crate::server_config::{self, ConfigValue, FIELDS, MergedConfig};
use crate::tracking;

/// A disk that does not answer by then is not looked at.
const GLANCE: Duration = Duration::from_secs(2);

pub(crate) struct HostMachine {
    pub(crate) home: Home,
    pub(crate) run_service: Arc<LocalRunService>,
    pub(crate) mcp: Arc<McpServers>,
    /// Where this server listens.
    pub(crate) address: SocketAddr,
    /// What this server was started with, and the flags among it.
    pub(crate) started: MergedConfig,
    pub(crate) flags: Vec<ConfigValue>,
}

#[async_trait]
impl Machine for HostMachine {
    fn name(&self) -> String {
        rustix::system::uname().nodename().to_string_lossy().into_owned()
    }

    async fn look(&self, path: &str) -> RepositoryLook {
        let found = tokio::time::timeout(GLANCE, look::look(path)).await;
        found.unwrap_or_else(|_| look::nothing(path, "it cannot be read: the disk does not respond"))
    }

    async fn issues(&self, query: &IssueQuery) -> Result<Vec<Issue>, ServiceError> {
        let directory = query.worktree_path.as_deref().map(look::expanded).unwrap_or_default();
        let profile = self.run_service.profile(query.profile.as_deref(), Path::new(&directory)).await?;
        let repository = query.worktree_path.as_deref().unwrap_or(&profile.repo_root);
        let repository = look::expanded(repository);
        let words = query.q.as_deref().unwrap_or_default();
        tracking::search(&profile, Path::new(&repository), &self.home, words.trim(), query.limit.get()).await
    }

    async fn checkup(&self, query: &CheckupQuery) -> Checkup {
        let kept = self.run_service.settings().await;
        let kept = kept.map_or_else(
            |error| ProfileOrigin::Failed(error.into()),
            |kept| ProfileOrigin::Settings(kept.into()),
        );
        let directory = query.worktree_path.as_deref().map(look::expanded).map(PathBuf::from);
        // Where the server was started is not what is asked about.
        let directory = directory.filter(|directory| directory.is_absolute());
        let server = this_server(self.address);
        let checks = doctor::checks(&self.home, server, kept, directory.as_deref()).await;
        Checkup { checks: checks.into_iter().map(Finding::from).collect() }
    }

    async fn values(&self) -> Result<Vec<ServerValue>, ServiceError> {
        let now = server_config::gather(&self.home, self.flags.clone());
        let now = now.map_err(|error| ServiceError::Conflict(problem_of(&error)))?;
        let value = |key: &str| {
            let (value, next) = (self.started.value(key), now.value(key));
            let source = self.started.source(key);
            // The one that it listens on: it may be any free one, or the next one if another server has the first.
            let used = (key == "port").then(|| self.address.port().into());
            ServerValue {
                key: key.to_owned(),
                value: used.or_else(|| value.cloned()).unwrap_or_default(),
                source: source.word().to_owned(),
                source_name: source.to_string(),
                next: next.filter(|next| value != Some(*next)).cloned(),
            }
            .without_secrets()
        };
        Ok(FIELDS.iter().map(|field| value(field.key)).collect())
    }

    async fn change(&self, change: ServerChange) -> Result<(), NotChanged> {
        server_config::keep_all(&self.home, &change.values)
    }
}

/// The server that was asked: it is there, or there would be no answer.
fn this_server(address: SocketAddr) -> DoctorCheck {
    let (version, process) = (env!("CARGO_PKG_VERSION"), std::process::id());
    DoctorCheck::ok("server", format!("running: http://{address}, version {version}, process {process}"))
}
