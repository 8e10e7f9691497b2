//! A server in this process: what `amelia server` serves, and what commands talk to when there is no other.

use std::sync::Arc;

use amelia_core::clock::SystemClock;
use amelia_core::config::secret::Secret;
use amelia_core::document::Documents;
use amelia_core::memory::Memories;
use amelia_core::quota::ExhaustedQuota;
use amelia_core::store::{RunFilter, Store, StoreError};
use amelia_drivers::quota::QuotaRegistry;
use amelia_orchestrator::orchestrator::Orchestrator;
use amelia_orchestrator::prompts::PromptBook;
use amelia_orchestrator::settings::Profiles;
use amelia_orchestrator::stored_definitions::StoredDefinitions;
use amelia_proxy::TokenRegistry;
use amelia_server::{RenewToken, Ui};
use amelia_store::sqlite::SqliteStore;
use anyhow::{Context, Result};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::assemble::ModelAccess;
use crate::database::runs_on;
use crate::home::Home;
use crate::limits::SpendLimits;
use crate::machine::HostMachine;
use crate::mcp_servers::McpServers;
use crate::memory::SharedMemory;
use crate::presence::{Presence, PresenceFile, new_token, renew_token, token};
use crate::retention;
use crate::run_assembler::RunAssembler;
use crate::run_service::LocalRunService;
use crate::server_config::{self, StartConfig};
use crate::task_files::TaskFiles;
use crate::workplace::own_edits;

/// Who talks to a server.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ServerAudience {
    /// The command that it lives in: any key may be used, and no other process knows its token.
    Owner,
    /// Callers with the token of the home.
    Everybody,
    /// The same, and the crew plays a script: pages say so.
    Demo,
}

/// Everything that is served, and what moves the runs behind it.
pub async fn assemble(
    home: &Home,
    store: &Arc<SqliteStore>,
    started: StartConfig,
    token: Secret,
    listener: &TcpListener,
    whose: ServerAudience,
    ui: Ui,
) -> Result<(Orchestrator, amelia_server::ServerParts)> {
    let StartConfig { config, merged, flags } = started;
    let runs = runs_on(Arc::clone(store) as Arc<dyn Store>);
    let most = usize::try_from(config.max_concurrent).unwrap_or(usize::MAX);
    let token_registry = TokenRegistry::default();
    token_registry.listening_on(listener.local_addr()?);
    let profiles = Profiles::new(Arc::clone(store) as Arc<dyn Documents>, Arc::new(SystemClock));
    let limits = SpendLimits::new(&config, profiles.clone(), &**store).await?;
    let quotas = used_up(&**store).await?;
    own_edits::forget_ended(&home.own_edits(), &**store).await?;
    let mcp = Arc::new(McpServers::of(home).with_documents(Arc::clone(store) as Arc<dyn Documents>));
    let model_access = ModelAccess { token_registry: token_registry.clone(), quotas };
    let assembler = RunAssembler::new(home, model_access, limits, &mcp);
    let memory = SharedMemory::of(home, Arc::clone(store) as Arc<dyn Memories>);
    let assembler = assembler.with_logs(Arc::clone(store) as Arc<dyn Store>).with_memory(memory.clone());
    let orchestrator = Orchestrator::new(runs, Arc::new(assembler), most);
    let renew_token: RenewToken = match whose {
        ServerAudience::Owner => Arc::new(|| Ok(new_token())),
        ServerAudience::Everybody | ServerAudience::Demo => {
            let home = home.clone();
            Arc::new(move || renew_token(&home).map_err(std::io::Error::other))
        }
    };
    let run_service = Arc::new(
        LocalRunService::on(home, store, &mcp)
            .with_memory(memory)
            .under(&config)
            .for_its_owner(whose == ServerAudience::Owner),
    );
    let address = listener.local_addr()?;
    let machine = HostMachine {
        home: home.clone(),
        run_service: Arc::clone(&run_service),
        mcp,
        address,
        started: merged,
        flags,
    };
    let state = amelia_server::ServerParts {
        orchestrator: orchestrator.clone(),
        service: run_service,
        profiles,
        prompts: PromptBook::new(Arc::clone(store) as Arc<dyn Documents>, Arc::new(SystemClock)),
        definitions: StoredDefinitions::new(Arc::clone(store) as Arc<dyn Documents>, Arc::new(SystemClock)),
        config,
        token,
        renew_token,
        home: home.path().to_owned(),
        is_default_home: home.is_default(),
        is_demo: whose == ServerAudience::Demo,
        machine: Arc::new(machine),
        ui,
        version: env!("CARGO_PKG_VERSION").into(),
        clock: Arc::new(SystemClock),
        retention_policy: retention::source(home),
        address,
        names: Vec::new(),
        mcp: None,
        beside: Some(amelia_proxy::router(&token_registry)),
    };
    Ok((orchestrator, state))
}

/// The accounts that runs wait for: no call has to find out again.
async fn used_up(store: &dyn Store) -> Result<Arc<QuotaRegistry>, StoreError> {
    let quotas = Arc::new(QuotaRegistry::default());
    for row in store.runs(&RunFilter { unfinished: true, ..RunFilter::default() }).await? {
        if let Some((_, ExhaustedQuota { account, provider, resets_at })) =
            ExhaustedQuota::waited_for(&row.view)
        {
            quotas.hold(&account, &provider, resets_at, "another run reached the limit");
        }
    }
    Ok(quotas)
}

/// A server for the time of one command. Runs that others have left are not moved.
pub struct LocalServer {
    pub url: String,
    pub token: Secret,
    /// How others find it; those of most commands are for the command alone.
    announced: Option<PresenceFile>,
    store: Arc<SqliteStore>,
    orchestrator: Orchestrator,
    closing: CancellationToken,
    served: JoinHandle<Result<(), amelia_server::ServeError>>,
    /// Ends when the last file is written.
    task_files: JoinHandle<()>,
    files_end: CancellationToken,
}

impl LocalServer {
    /// For a command that only looks, and for it alone.
    pub async fn start_to_look(home: &Home, store: Arc<SqliteStore>, ui: Ui) -> Result<Self> {
        let started = server_config::start(home, Vec::new())?;
        Self::serve(home, store, started, new_token(), ServerAudience::Owner, ui).await
    }

    /// For a command that executes runs by itself: those that control its run find it. `keys` are variables that the person at
    /// the terminal has named.
    pub async fn start_to_work(
        home: &Home,
        store: Arc<SqliteStore>,
        keys: Vec<String>,
        ui: Ui,
    ) -> Result<Self> {
        let mut started = server_config::start(home, Vec::new())?;
        started.config.api_key_envs.extend(keys);
        let mut server = Self::serve(home, store, started, token(home)?, ServerAudience::Owner, ui).await?;
        server.announced = Some(Presence::here(server.url.clone()).announce_command(home)?);
        Ok(server)
    }

    /// For the demo: commands of its home find it, as they find a server in the background.
    pub async fn start_demo(home: &Home, store: Arc<SqliteStore>, ui: Ui) -> Result<Self> {
        let started = server_config::start(home, Vec::new())?;
        let mut server = Self::serve(home, store, started, token(home)?, ServerAudience::Demo, ui).await?;
        server.announced = Some(Presence::here(server.url.clone()).announce(home)?);
        Ok(server)
    }

    async fn serve(
        home: &Home,
        store: Arc<SqliteStore>,
        started: StartConfig,
        token: Secret,
        whose: ServerAudience,
        ui: Ui,
    ) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.context("no port is free on 127.0.0.1")?;
        let url = format!("http://{}", listener.local_addr()?);
        let has_task_files = started.config.task_files;
        let (orchestrator, state) =
            assemble(home, &store, started, token.clone(), &listener, whose, ui).await?;
        let task_files = TaskFiles::new(
            home,
            has_task_files,
            orchestrator.runs(),
            &state.service,
            &state.retention_policy,
        );
        let (closing, files_end) = (CancellationToken::new(), CancellationToken::new());
        let task_files = tokio::spawn(task_files.follow_until(files_end.clone()));
        let stop = closing.clone().cancelled_owned();
        let served = tokio::spawn(amelia_server::serve(listener, state, stop));
        let announced = None;
        Ok(Self { url, token, announced, store, orchestrator, closing, served, task_files, files_end })
    }

    /// Stops the server. Runs that were at work can be resumed later.
    pub async fn close(self) -> Result<()> {
        drop(self.announced);
        self.closing.cancel();
        self.served.await??;
        self.orchestrator.close().await;
        self.files_end.cancel();
        self.task_files.await?;
        match self.store.close().await {
            // One that was only looked at has nothing to close.
            Ok(()) | Err(StoreError::Closed) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}
