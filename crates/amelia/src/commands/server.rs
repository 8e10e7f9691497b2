//! `amelia server`: runs over HTTP and WebSocket, in the foreground. Runs that were at work resume by themselves.

mod neighbour;
mod running;

use std::io::IsTerminal as _;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use amelia_core::clock::SystemClock;
use amelia_core::config::server::ServerConfig;
use amelia_core::store::{Store, StoreError};
use amelia_host::home::Home;
use amelia_host::local_server::{self, ServerAudience};
use amelia_host::logging;
use amelia_host::presence::{Presence, token};
use amelia_host::server_config::{self, ConfigSource, ConfigValue};
use amelia_host::task_files::TaskFiles;
use amelia_host::trace_export::TraceExport;
use amelia_host::webhooks::Webhooks;
use amelia_orchestrator::memory_schedule::ConsolidationSchedule;
use amelia_orchestrator::retention::{Retention, RetentionSweeper};
use amelia_orchestrator::run_retention::RunSweeper;
use amelia_store::sqlite::{SqliteOptions, SqliteStore};
use anyhow::{Context, Result};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use super::mcp;
use crate::cli::{Global, LogFormat, ServerArgs, ServerCommand};
use crate::cli_error::{CliError, Exit};
use crate::dashboard;
use crate::ui;

/// How often a server looks whether its home is still there.
const HOME_CHECK_INTERVAL: std::time::Duration = std::time::Duration::from_secs(2);

pub(super) async fn run(args: &ServerArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    match args.command {
        Some(ServerCommand::Start) => return running::start(home, global).await,
        Some(ServerCommand::Stop) => return running::stop(home, global).await,
        Some(ServerCommand::Restart) => return running::restart(home, global).await,
        Some(ServerCommand::Status) => return running::status(home, global).await,
        None => {}
    }
    if args.detached {
        // Closing the terminal does not close this.
        rustix::process::setsid().ok();
    }
    let started = server_config::start(home, flags(args)?)?;
    let config = &started.config.clone();
    logging::begin(args.log_format == LogFormat::Json, args.level(global));
    home.make()?;
    let store = open(config).map_err(|error| already_running(error, home))?;
    let listener = listen(config, Presence::last_port(home), args.detached).await?;
    // Before the address is shown: what they need there, and how it ends.
    let token = token(home)?;
    let stopped = stopped()?;
    let retention =
        Retention { days: config.log_retention_days, max_events: config.log_retention_max_events };
    let webhooks = Webhooks::read(home)?;
    let traces = TraceExport::new(home, config.otlp_endpoint.as_deref())?;
    let ui = args.dashboard.as_deref().map_or_else(|| Ok(dashboard::embedded()), dashboard::read)?;
    let (orchestrator, mut state) = local_server::assemble(
        home,
        &store,
        started,
        token.clone(),
        &listener,
        ServerAudience::Everybody,
        ui,
    )
    .await?;
    state.mcp = Some(mcp::endpoint(home, global));
    let goes_on = orchestrator.recover().await?;
    let keeper =
        RetentionSweeper::new(Arc::clone(&store) as Arc<dyn Store>, Arc::new(SystemClock), retention);
    let local = listener.local_addr()?;
    let announced = Presence::here(format!("http://{local}")).announce(home)?;
    greet(&dashboard::lasting_link(&reachable(local), &token), local, goes_on, global);
    tracing::info!(address = %local, version = state.version, recovered = goes_on, "server started");
    let (service, address) = (Arc::clone(&state.service), reachable(local));
    let sweeper = RunSweeper {
        runs: orchestrator.runs().clone(),
        service: Arc::clone(&service),
        policy: Arc::clone(&state.retention_policy),
        clock: Arc::new(SystemClock),
    };
    let schedule = ConsolidationSchedule::new(&orchestrator, &service, Arc::new(SystemClock));
    let mut task_files =
        TaskFiles::new(home, config.task_files, orchestrator.runs(), &service, &state.retention_policy);
    tokio::select! {
        served = amelia_server::serve(listener, state, stopped) => served?,
        never = webhooks.serve(&orchestrator, &service, &address) => match never {},
        never = traces.serve(&orchestrator) => match never {},
        // It looks as long as the server lives, and no longer.
        () = keeper.keep() => {}
        () = sweeper.keep() => {}
        () = schedule.keep() => {}
        () = task_files.keep() => {}
        () = home_is_gone(config.database_path.clone()) => {
            let message = format!("the database of this server, {}, was removed", config.database_path.display());
            tracing::error!("{message}; the server stops");
            orchestrator.close().await;
            return Err(CliError::new(Exit::Failed, message).with_hint("start the server again").into());
        }
    }
    drop(announced);
    orchestrator.close().await;
    task_files.flush().await;
    store.close().await?;
    tracing::info!("server stopped; running runs continue at the next start");
    Ok(ExitCode::SUCCESS)
}

/// What the command line says, as a layer of configuration.
fn flags(args: &ServerArgs) -> Result<Vec<ConfigValue>> {
    let flag = |name: &str| ConfigSource::Flag(name.to_owned());
    let mut given = Vec::new();
    for pair in &args.set {
        let (key, text) = pair.split_once('=').ok_or_else(|| {
            CliError::new(Exit::Usage, format!("--set {pair}: expected KEY=VALUE"))
                .with_hint("--set max_concurrent=10")
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

/// A home that is in use says where its server listens.
fn already_running(error: anyhow::Error, home: &Home) -> anyhow::Error {
    let is_locked = matches!(error.downcast_ref(), Some(StoreError::Locked { .. }));
    match Presence::of(home).filter(|_| is_locked) {
        Some(other) => {
            let message = format!("a server already uses this home: {} (process {})", other.url, other.pid);
            let hint = "use that one (amelia dashboard opens it), stop it with amelia server stop, or set AMELIA_HOME to another directory";
            CliError::new(Exit::Conflict, message).with_hint(hint).into()
        }
        None => error,
    }
}

fn open(config: &ServerConfig) -> Result<Arc<SqliteStore>> {
    let options = SqliteOptions { durability: config.durability, ..SqliteOptions::default() };
    Ok(Arc::new(SqliteStore::open(&config.database_path, options)?))
}

/// A server that was killed had pages open: in the background, the next one comes back where they look for it.
async fn listen(config: &ServerConfig, last_port: Option<u16>, is_detached: bool) -> Result<TcpListener> {
    let (host, port) = (config.host.as_str(), config.port);
    let is_free_choice = is_detached && port == ServerConfig::default().port;
    if let Some(last) = last_port.filter(|last| is_free_choice && *last != port)
        && let Ok(listener) = TcpListener::bind((host, last)).await
    {
        return Ok(listener);
    }
    match TcpListener::bind((host, port)).await {
        Ok(listener) => Ok(listener),
        // Its starter finds it by its home, at any address.
        Err(error) if is_detached && error.kind() == std::io::ErrorKind::AddrInUse => {
            TcpListener::bind((host, 0)).await.context("no port is free")
        }
        Err(error) => {
            let who = match error.kind() {
                std::io::ErrorKind::AddrInUse => neighbour::who(host, port).await,
                _ => None,
            };
            let why = who.unwrap_or_else(|| error.to_string());
            let message = format!("cannot listen on {host}:{port}: {why}");
            Err(CliError::new(Exit::Conflict, message).with_hint("use another --port").into())
        }
    }
}

/// An address as a browser on this machine takes it.
fn reachable(local: SocketAddr) -> String {
    let ip = match local.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    format!("http://{}", SocketAddr::new(ip, local.port()))
}

/// Without the token in what a program reads: it may be kept in a log.
fn greet(link: &str, local: SocketAddr, goes_on: usize, global: &Global) {
    if global.json {
        anstream::println!("{}", serde_json::json!({"url": format!("http://{local}"), "recovered": goes_on}));
        return;
    }
    ui::say!("{} http://{local}", ui::bold("amelia server on"));
    if std::io::stdout().is_terminal() {
        ui::say!("{} {link}", ui::dim("dashboard:"));
    } else {
        let command = ui::command(global);
        ui::say!("dashboard: http://{local}/ui/ (`{command} dashboard` opens it signed in)");
    }
    if goes_on > 0 {
        let verb = if goes_on == 1 { "continues" } else { "continue" };
        ui::say!("{} {verb}", ui::counted(goes_on, "run"));
    }
}

/// Returns when the file is not there any more, or is another one: what is written then reaches no next start.
async fn home_is_gone(database: PathBuf) {
    let look = |path: &PathBuf| std::fs::metadata(path).map(|file| (file.dev(), file.ino()));
    let Ok(first) = look(&database) else { return };
    loop {
        tokio::time::sleep(HOME_CHECK_INTERVAL).await;
        match look(&database) {
            Ok(now) if now == first => {}
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {}
            Ok(_) | Err(_) => return,
        }
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
