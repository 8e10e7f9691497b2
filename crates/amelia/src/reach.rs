//! Which server a command talks to: the one that it names, the one that owns the home, or one in this process; and a
//! new one in the background for work that is to continue after the command has ended.

mod autostart;
mod lasting;

use std::sync::Once;
use std::time::{Duration, Instant};

use amelia_core::config::secret::Secret;
use amelia_core::problem::Problem;
use amelia_host::home::Home;
use amelia_host::local_server::LocalServer;
use amelia_host::presence::{Presence, known_token};
use anyhow::Result;

use crate::cli::Global;
use crate::cli_error::{CliError, Exit};
use crate::client::Client;
use crate::dashboard;
use crate::ui;

pub(crate) use lasting::LastingClient;

/// How long a server may take from its first breath to its first word.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);

/// To look at what there is. No worker is kept from working.
pub(crate) async fn to_look(home: &Home, global: &Global) -> Result<Client> {
    match running(home, global)? {
        Some(client) => Ok(client),
        None => {
            Client::of_local(LocalServer::start_to_look(home, home.look()?, dashboard::embedded()).await?)
        }
    }
}

/// To control a run: the command hears it that executes it.
pub(crate) async fn to_control(home: &Home, global: &Global) -> Result<Client> {
    if let Some(client) = running(home, global)? {
        return Ok(client);
    }
    match Presence::of_command(home) {
        Some(found) => Client::of_home(home, &found),
        None => to_work_here(home, global, Vec::new()).await,
    }
}

/// Whether another process works in this home by itself: it does not say which run it is at.
pub(crate) fn is_elsewhere(client: &Client, home: &Home) -> bool {
    client.is_local() && home.is_busy()
}

/// To change what is stored, or to work in the foreground: nothing continues when the command has ended.
pub(crate) async fn to_work_here(home: &Home, global: &Global, keys: Vec<String>) -> Result<Client> {
    match running(home, global)? {
        Some(client) => Ok(client),
        None => match owned(home).await? {
            Some(client) => Ok(client),
            None => {
                let store = home.open()?;
                let server = LocalServer::start_to_work(home, store, keys, dashboard::embedded()).await?;
                Client::of_local(server)
            }
        },
    }
}

/// To let runs work: they continue when the command has ended.
pub(crate) async fn to_work(home: &Home, global: &Global) -> Result<Client> {
    if let Some(client) = running(home, global)? {
        return Ok(client);
    }
    if global.no_autostart {
        let refusal = CliError::new(Exit::Unreachable, "no server is running");
        return Err(refusal.with_hint("`amelia server` starts one; or omit --no-autostart").into());
    }
    if let Some(client) = owned(home).await? {
        return Ok(client);
    }
    let found = autostart::start(home, global).await?;
    Client::of_home(home, &found)
}

/// A new server in the background, without a word about it.
pub(crate) async fn started(home: &Home, global: &Global) -> Result<Presence> {
    home.make()?;
    // One that a command has in this moment could not be used.
    owned(home).await?;
    autostart::start(home, &Global { quiet: true, ..global.clone() }).await
}

/// The server that is there already.
pub(crate) fn running(home: &Home, global: &Global) -> Result<Option<Client>> {
    if let Some(url) = &global.server {
        if !url.starts_with("http://") && !url.starts_with("https://") {
            let refusal = CliError::new(Exit::Usage, format!("--server {url} is not a URL"));
            return Err(refusal.with_hint("it starts with http:// or https://").into());
        }
        return Ok(Some(Client::new(url, token_for(home, url)?)?));
    }
    match Presence::of(home) {
        None => Ok(None),
        Some(found) if found.version == env!("CARGO_PKG_VERSION") => {
            note_other_build(&found, global);
            Ok(Some(Client::of_home(home, &found)?))
        }
        Some(found) => {
            let message = format!(
                "the server of this home has version {}, and this command has version {}",
                found.version,
                env!("CARGO_PKG_VERSION")
            );
            let hint = "run `amelia server stop` and try again; runs continue with the next server";
            Err(CliError::new(Exit::Conflict, message).with_hint(hint).into())
        }
    }
}

/// A server that was started before the program was built or installed again does not have what is new. Said once.
fn note_other_build(found: &Presence, global: &Global) {
    static TOLD: Once = Once::new();
    if global.quiet || global.json || !found.is_other_build() {
        return;
    }
    TOLD.call_once(|| {
        let message = format!("the server of this home (process {}) runs another build of amelia", found.pid);
        let hint = "run `amelia server stop` to replace it; runs continue with the next server";
        ui::say_note(&Problem::new(message).with_hint(hint));
    });
}

/// The owner of the home may be a server that has just begun: then it is found in a moment. A command that works there by
/// itself answers no one.
async fn owned(home: &Home) -> Result<Option<Client>> {
    let since = Instant::now();
    while let Some(pid) = home.owner() {
        if let Some(found) = Presence::of(home) {
            return Client::of_home(home, &found).map(Some);
        }
        if since.elapsed() > PROBE_TIMEOUT {
            let message = format!(
                "another command (process {pid}) executes a run in this home by itself: until it ends, only that run can be \
                 controlled"
            );
            let hint = "wait for it, or press Ctrl-C there to pause it; to work on several runs at once, run `amelia \
                        server start` before you start them";
            return Err(CliError::new(Exit::Conflict, message).with_hint(hint).into());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(None)
}

/// The token for a server that was named: told by the environment, or that of the home.
fn token_for(home: &Home, url: &str) -> Result<Secret> {
    match std::env::var("AMELIA_TOKEN") {
        Ok(told) if !told.trim().is_empty() => Ok(Secret::new(told.trim())),
        // The home's own token is for its own server, and for no other that is named.
        _ if Presence::of(home).is_some_and(|own| own.url == url.trim_end_matches('/')) => {
            Ok(known_token(home))
        }
        _ => {
            let refusal = CliError::new(Exit::Usage, format!("there is no token for the server at {url}"));
            Err(refusal.with_hint("set AMELIA_TOKEN to the token in the home of that server").into())
        }
    }
}
