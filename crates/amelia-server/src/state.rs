//! What the server is made from, and what it keeps beside it.

use std::io;
use std::net::SocketAddr;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use amelia_core::clock::Clock;
use amelia_core::config::secret::Secret;
use amelia_core::config::server::{RateLimit, ServerConfig};
use amelia_core::id::RunId;
use amelia_core::store::{Store, StoreError};
use amelia_core::view::RunRow;
use amelia_orchestrator::orchestrator::Orchestrator;
use amelia_orchestrator::prompts::PromptBook;
use amelia_orchestrator::run_retention::PolicySource;
use amelia_orchestrator::service::RunService;
use amelia_orchestrator::settings::Profiles;
use amelia_orchestrator::stored_definitions::StoredDefinitions;
use amelia_wire::rest::why::Worker;
use jiff::Timestamp;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::board::Board;
use crate::catalogue::{Catalogue, worker};
use crate::encoded::EncodedEvents;
use crate::error::ApiResult;
use crate::folds::Folds;
use crate::limits::RateLimits;
use crate::logs::LogCache;
use crate::machine::Machine;
use crate::mcp_endpoint::McpEndpoint;
use crate::metrics::Metrics;
use crate::session::Sessions;
use crate::ui::Ui;

/// How many wrong tokens are looked at, and within what time.
const GUESSES: RateLimit = RateLimit { requests: 20, per_seconds: 60 };

/// Makes a new token, kept where the next start finds it.
pub type RenewToken = Arc<dyn Fn() -> io::Result<Secret> + Send + Sync>;

/// Everything that the server needs from outside.
pub struct ServerParts {
    pub orchestrator: Orchestrator,
    pub service: Arc<dyn RunService>,
    pub profiles: Profiles,
    pub prompts: PromptBook,
    /// Agents, workflows, teams and guardrail policies that were sent here.
    pub definitions: StoredDefinitions,
    pub config: ServerConfig,
    /// Callers with this token may call. Not looked at when `config.auth` is `None`.
    pub token: Secret,
    /// Asked when a person wants another.
    pub renew_token: RenewToken,
    /// Where everything is kept.
    pub home: PathBuf,
    /// Whether that is where commands look by default.
    pub is_default_home: bool,
    /// Whether the crew plays a script: pages say so.
    pub is_demo: bool,
    pub machine: Arc<dyn Machine>,
    /// The dashboard, if this build has one.
    pub ui: Ui,
    pub version: String,
    pub clock: Arc<dyn Clock>,
    /// How long runs are kept.
    pub retention_policy: PolicySource,
    /// Where it listens: a `Host` header must say so. [`crate::serve`] sets it to the listener's.
    pub address: SocketAddr,
    /// Other names that the server is called by, behind a proxy.
    pub names: Vec<String>,
    /// What MCP clients talk to, if there is something.
    pub mcp: Option<Arc<dyn McpEndpoint>>,
    /// Served beside all this, by its own authentication: the way of programs to models.
    pub beside: Option<axum::Router>,
}

/// The state, as handlers share it.
#[derive(Clone)]
pub(crate) struct App(Arc<AppState>);

pub(crate) struct AppState {
    pub(crate) state: ServerParts,
    pub(crate) catalogue: Catalogue,
    pub(crate) board: Board,
    pub(crate) logs: LogCache,
    pub(crate) folds: Folds,
    pub(crate) encoded: EncodedEvents,
    pub(crate) limits: RateLimits,
    /// Wrong tokens, in the same manner.
    pub(crate) guesses: RateLimits,
    pub(crate) sessions: Sessions,
    /// Held while the token is replaced.
    pub(crate) rotating: tokio::sync::Mutex<()>,
    pub(crate) metrics: Metrics,
    pub(crate) started_at: Timestamp,
    /// The description of all routes, in JSON.
    pub(crate) openapi: String,
    /// The same as a page; made on demand.
    pub(crate) page: OnceLock<String>,
    /// Requests that change something.
    pub(crate) commands: TaskTracker,
    /// Ends every socket.
    pub(crate) closing: CancellationToken,
    pub(crate) sockets: TaskTracker,
    /// What works for all sockets together.
    pub(crate) keepers: TaskTracker,
}

impl App {
    pub(crate) fn new(state: ServerParts, openapi: String) -> Self {
        let runs = state.orchestrator.runs();
        let closing = CancellationToken::new();
        let inner = AppState {
            catalogue: Catalogue::new(state.orchestrator.clone(), Arc::clone(&state.service)),
            board: Board::default(),
            logs: LogCache::new(Arc::clone(runs.store())),
            folds: Folds::new(Arc::clone(runs.store())),
            encoded: EncodedEvents::default(),
            limits: RateLimits::new(state.config.rate_limits.clone()),
            guesses: RateLimits::new([("default".to_owned(), GUESSES)].into()),
            sessions: Sessions::new(state.token.clone(), state.home.join("sessions"), closing.clone()),
            rotating: tokio::sync::Mutex::default(),
            metrics: Metrics::default(),
            started_at: state.clock.now(),
            openapi,
            page: OnceLock::new(),
            closing,
            commands: TaskTracker::new(),
            sockets: TaskTracker::new(),
            keepers: TaskTracker::new(),
            state,
        };
        Self(Arc::new(inner))
    }

    pub(crate) fn store(&self) -> &dyn Store {
        &**self.state.orchestrator.runs().store()
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.state.clock.now()
    }

    /// What moves a run now.
    pub(crate) fn worker(&self, run: RunId) -> Worker {
        worker(&self.state.orchestrator, run)
    }

    /// The run, or that there is none.
    pub(crate) async fn row(&self, run: RunId) -> ApiResult<RunRow> {
        Ok(self.store().run(run).await?.ok_or(StoreError::NotFound(run))?)
    }
}

impl Deref for App {
    type Target = AppState;

    fn deref(&self) -> &AppState {
        &self.0
    }
}
