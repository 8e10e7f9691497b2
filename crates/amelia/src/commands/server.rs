//! `amelia server`: runs over HTTP and WebSocket, in the foreground. Runs that were at work go on by themselves.

use std::process::ExitCode;
use std::sync::Arc;

use amelia_core::clock::SystemClock;
use amelia_core::config::problem::Checked as _;
use amelia_core::config::server::ServerConfig;
use amelia_core::document::Documents;
use amelia_core::store::Store;
use amelia_orchestrator::orchestrator::Orchestrator;
use amelia_orchestrator::settings::Profiles;
use anyhow::{Context, Result};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::cli::{Global, Server, ServerCommand};
use crate::counter::Counter;
use crate::home::{Home, runs_on};
use crate::presence::{Presence, token};
use crate::refusal::{Exit, Refusal};
use crate::ui;
use crate::workshop::Workshop;

pub(super) async fn run(args: &Server, home: &Home, global: &Global) -> Result<ExitCode> {
    if let Some(ServerCommand::Stop) = args.command {
        return stop(home, global).await;
    }
    if args.detached {
        // Whoever closes the terminal does not close this.
        rustix::process::setsid().ok();
    }
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
    let me = Presence {
        url: format!("http://{local}"),
        pid: std::process::id(),
        version: env!("CARGO_PKG_VERSION").into(),
    };
    let announced = me.announce(home)?;
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
    drop(announced);
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

/// Ends the server of this home, and waits until it has let go.
async fn stop(home: &Home, global: &Global) -> Result<ExitCode> {
    let Some(found) = Presence::of(home) else {
        return Err(Refusal::new(Exit::NotFound, "no server is running for this home").into());
    };
    let pid = i32::try_from(found.pid).ok().and_then(rustix::process::Pid::from_raw);
    let pid = pid.context("its process has no number")?;
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).context("it cannot be told")?;
    while Presence::of(home).is_some_and(|now| now.pid == found.pid) || home.owner() == Some(found.pid) {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    if !global.quiet && !global.json {
        anstream::println!("the server at {} has ended; its runs go on at the next start", found.url);
    }
    Ok(ExitCode::SUCCESS)
}
