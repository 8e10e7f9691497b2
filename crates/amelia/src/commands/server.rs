//! `amelia server`: runs over HTTP and WebSocket, in the foreground. Runs that were at work go on by themselves.

mod neighbour;

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::ExitCode;
use std::sync::Arc;

use amelia_core::clock::SystemClock;
use amelia_core::config::secret::Secret;
use amelia_core::config::server::{Durability, ServerConfig};
use amelia_core::document::Documents;
use amelia_core::store::Store;
use amelia_orchestrator::orchestrator::Orchestrator;
use amelia_orchestrator::prompts::PromptBook;
use amelia_orchestrator::retention::{Keeper, Retention};
use amelia_orchestrator::settings::Profiles;
use amelia_store::sqlite::{self, SqliteStore};
use anyhow::{Context, Result};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::cli::{Global, Server};
use crate::counter::Counter;
use crate::home::{Home, runs_on};
use crate::logging;
use crate::refusal::{Exit, Refusal};
use crate::server_config::{self, Given, Source};
use crate::ui;
use crate::workshop::Workshop;

pub(super) async fn run(args: &Server, home: &Home, global: &Global) -> Result<ExitCode> {
    let config = server_config::load(home, flags(args)?)?;
    logging::begin(args.log_format, args.level(global));
    let store = open(&config)?;
    let listener = listen(&config).await?;
    let runs = runs_on(Arc::clone(&store) as Arc<dyn Store>);
    let most = usize::try_from(config.max_concurrent).unwrap_or(usize::MAX);
    let orchestrator = Orchestrator::new(runs, Arc::new(Workshop::new(home)), most);
    let goes_on = orchestrator.recover().await?;
    let retention =
        Retention { days: config.log_retention_days, max_events: config.log_retention_max_events };
    let keeper = Keeper::new(Arc::clone(&store) as Arc<dyn Store>, Arc::new(SystemClock), retention);
    let local = listener.local_addr()?;
    // Before anybody is told where to go: what they need there, and how it ends.
    let token = token(home)?;
    let stopped = stopped()?;
    greet(home, local, goes_on, global);
    let state = amelia_server::State {
        orchestrator: orchestrator.clone(),
        desk: Arc::new(Counter::on(home, &store).under(&config)),
        profiles: Profiles::new(Arc::clone(&store) as Arc<dyn Documents>, Arc::new(SystemClock)),
        prompts: PromptBook::new(Arc::clone(&store) as Arc<dyn Documents>, Arc::new(SystemClock)),
        config,
        token,
        version: env!("CARGO_PKG_VERSION").into(),
        clock: Arc::new(SystemClock),
        address: local,
        names: Vec::new(),
    };
    tracing::info!(address = %local, version = state.version, recovered = goes_on, "server started");
    tokio::select! {
        served = amelia_server::serve(listener, state, stopped) => served?,
        // It looks as long as the server lives, and no longer.
        () = keeper.keep() => {}
    }
    orchestrator.close().await;
    store.close().await?;
    tracing::info!("server stopped; runs at work go on at the next start");
    Ok(ExitCode::SUCCESS)
}

/// What the command line says, as a layer of configuration.
fn flags(args: &Server) -> Result<Vec<Given>> {
    let flag = |name: &str| Source::Flag(name.to_owned());
    let mut given = Vec::new();
    for pair in &args.set {
        let (key, text) = pair.split_once('=').ok_or_else(|| {
            Refusal::new(
                Exit::Usage,
                format!("--set {pair}: expected KEY=VALUE\n  hint: --set max_concurrent=10"),
            )
        })?;
        given.push(server_config::typed(key.trim(), text, flag("--set"))?);
    }
    let port = args.port.map(|port| port.to_string());
    for (key, name, text) in [("host", "--host", args.host.as_deref()), ("port", "--port", port.as_deref())] {
        if let Some(text) = text {
            given.push(server_config::typed(key, text, flag(name))?);
        }
    }
    Ok(given)
}

fn open(config: &ServerConfig) -> Result<Arc<SqliteStore>> {
    let durability = match config.durability {
        Durability::Full => sqlite::Durability::Full,
        Durability::Relaxed => sqlite::Durability::Relaxed,
    };
    let options = sqlite::Options { durability, ..sqlite::Options::default() };
    Ok(Arc::new(SqliteStore::open(&config.database_path, options)?))
}

async fn listen(config: &ServerConfig) -> Result<TcpListener> {
    let (host, port) = (config.host.as_str(), config.port);
    match TcpListener::bind((host, port)).await {
        Ok(listener) => Ok(listener),
        Err(error) => {
            let who = match error.kind() {
                std::io::ErrorKind::AddrInUse => neighbour::who(host, port).await,
                _ => None,
            };
            let why = who.unwrap_or_else(|| error.to_string());
            let message = format!("{host}:{port} cannot be listened on: {why}\n  hint: give another --port");
            Err(Refusal::new(Exit::Conflict, message).into())
        }
    }
}

fn greet(home: &Home, local: std::net::SocketAddr, goes_on: usize, global: &Global) {
    if global.json {
        anstream::println!("{}", serde_json::json!({"url": format!("http://{local}"), "recovered": goes_on}));
        return;
    }
    anstream::println!("{} http://{local}", ui::bold("amelia server on"));
    anstream::println!("{} {}", ui::dim("token:"), home.path().join("token").display());
    if goes_on > 0 {
        anstream::println!("{goes_on} runs go on");
    }
}

/// Ends at Ctrl-C and at SIGTERM.
fn stopped() -> Result<impl Future<Output = ()>> {
    let (mut pressed, mut told) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = pressed.recv() => {}
            _ = told.recv() => {}
        }
    })
}

/// The token of this home; made at the first start, for its owner alone.
fn token(home: &Home) -> Result<Secret> {
    let path = home.path().join("token");
    match std::fs::read_to_string(&path) {
        Ok(text) if !text.trim().is_empty() => return Ok(Secret::new(text.trim())),
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(error).with_context(|| format!("{} cannot be read", path.display())),
    }
    let text = format!("{}{}", uuid::Uuid::new_v4().simple(), uuid::Uuid::new_v4().simple());
    // With a store elsewhere nothing has made the home yet.
    std::fs::create_dir_all(home.path())?;
    let mut file =
        std::fs::File::options().write(true).create(true).truncate(true).mode(0o600).open(&path)?;
    file.write_all(text.as_bytes()).with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(Secret::new(text))
}
