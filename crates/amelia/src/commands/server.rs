//! `amelia server`: runs over HTTP and WebSocket, in the foreground. Runs that were at work go on by themselves.

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::ExitCode;
use std::sync::Arc;

use amelia_core::clock::SystemClock;
use amelia_core::config::problem::Checked as _;
use amelia_core::config::secret::Secret;
use amelia_core::config::server::ServerConfig;
use amelia_core::document::Documents;
use amelia_core::store::Store;
use amelia_orchestrator::orchestrator::Orchestrator;
use amelia_orchestrator::settings::Profiles;
use anyhow::{Context, Result};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::cli::{Global, Server};
use crate::counter::Counter;
use crate::home::{Home, runs_on};
use crate::refusal::{Exit, Refusal};
use crate::ui;
use crate::workshop::Workshop;

pub(super) async fn run(args: &Server, home: &Home, global: &Global) -> Result<ExitCode> {
    let config = ServerConfig { host: args.host.clone(), port: args.port, ..ServerConfig::default() };
    if let Some(problem) = config.problems().first().filter(|_| args.port != 0) {
        return Err(Refusal::new(Exit::Usage, problem.to_string()).into());
    }
    let store = home.open()?;
    let address = (config.host.as_str(), config.port);
    let listener = TcpListener::bind(address).await.map_err(|error| {
        let message = format!(
            "{}:{} cannot be listened on: {error}\n  hint: give another --port",
            address.0, address.1
        );
        Refusal::new(Exit::Conflict, message)
    })?;
    let runs = runs_on(Arc::clone(&store) as Arc<dyn Store>);
    let most = usize::try_from(config.max_concurrent).unwrap_or(usize::MAX);
    let orchestrator = Orchestrator::new(runs, Arc::new(Workshop::new(home)), most);
    let goes_on = orchestrator.recover().await?;
    let local = listener.local_addr()?;
    // Before anybody is told where to go with it.
    let token = token(home)?;
    if global.json {
        anstream::println!("{}", serde_json::json!({"url": format!("http://{local}"), "recovered": goes_on}));
    } else {
        anstream::println!("{} http://{local}", ui::bold("amelia server on"));
        anstream::println!("{} {}", ui::dim("token:"), home.path().join("token").display());
        if goes_on > 0 {
            anstream::println!("{goes_on} runs go on");
        }
    }
    let state = amelia_server::State {
        orchestrator: orchestrator.clone(),
        desk: Arc::new(Counter::on(home, &store)),
        profiles: Profiles::new(Arc::clone(&store) as Arc<dyn Documents>, Arc::new(SystemClock)),
        config,
        token,
        version: env!("CARGO_PKG_VERSION").into(),
        clock: Arc::new(SystemClock),
        address: local,
        names: Vec::new(),
    };
    amelia_server::serve(listener, state, stopped()?).await?;
    orchestrator.close().await;
    store.close().await?;
    Ok(ExitCode::SUCCESS)
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
    let mut file =
        std::fs::File::options().write(true).create(true).truncate(true).mode(0o600).open(&path)?;
    file.write_all(text.as_bytes()).with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(Secret::new(text))
}
