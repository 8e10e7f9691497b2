//! `amelia server start`, `status`, `stop` and `restart`: the server in the background.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use amelia_host::home::Home;
use amelia_host::presence::Presence;
use amelia_wire::rest::health::Health;
use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::cli::Global;
use crate::cli_error::{CliError, Exit};
use crate::client::Client;
use crate::reach;
use crate::ui;

/// A server that was asked to end has ended by then.
const STOP_TIMEOUT: Duration = Duration::from_secs(20);

/// Where it is and how it does.
pub(super) async fn status(home: &Home, global: &Global) -> Result<ExitCode> {
    let client = match &global.server {
        Some(_) => reach::running(home, global)?,
        // Of any version.
        None => Presence::of(home).map(|found| Client::of_home(home, &found)).transpose()?,
    };
    let Some(client) = client else { return Err(none(Exit::Unreachable)) };
    let Health { version, process_id, uptime_seconds, active_workflows, queued_workflows, .. } =
        client.get("/health").await?;
    let url = client.base();
    if global.json {
        let document = json!({
            "url": url,
            "process_id": process_id,
            "uptime_seconds": uptime_seconds,
            "version": version,
            "active_runs": active_workflows,
            "queued_runs": queued_workflows,
        });
        anstream::println!("{document}");
    } else if !global.quiet {
        let line = |what: &str, value: String| ui::say!("{} {value}", ui::dim(format!("{what:<8}")));
        line("address", url);
        line("process", process_id.to_string());
        line("uptime", uptime(uptime_seconds));
        line("version", version);
        line("runs", format!("{active_workflows} running, {queued_workflows} queued"));
    }
    Ok(ExitCode::SUCCESS)
}

fn none(exit: Exit) -> anyhow::Error {
    let refusal = CliError::new(exit, "no server is running for this home");
    refusal.with_hint("commands start one when they need it; `amelia server` starts one here").into()
}

/// Days, hours, minutes and seconds, as far as they count.
fn uptime(seconds: u64) -> String {
    match seconds {
        ..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        3600..172_800 => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
        _ => format!("{} days {} h", seconds / 86_400, seconds / 3600 % 24),
    }
}

/// Starts a server in the background, unless one is running.
pub(super) async fn start(home: &Home, global: &Global) -> Result<ExitCode> {
    let running = Presence::of(home);
    let is_new = running.is_none();
    let found = match running {
        Some(found) => found,
        None => reach::started(home, global).await?,
    };
    if global.json {
        anstream::println!("{}", json!({"url": found.url, "process_id": found.pid, "started": is_new}));
    } else if !global.quiet {
        let done = if is_new { "started a server in the background" } else { "a server is running already" };
        ui::say!("{done}: {} (process {})", found.url, found.pid);
    }
    Ok(ExitCode::SUCCESS)
}

/// Ends the server of this home.
pub(super) async fn stop(home: &Home, global: &Global) -> Result<ExitCode> {
    let Some((found, runs)) = end(home).await? else { return Err(none(Exit::NotFound)) };
    if global.json {
        anstream::println!("{}", json!({"url": found.url, "process_id": found.pid, "unfinished_runs": runs}));
    } else if !global.quiet {
        ui::say!("stopped the server at {} (process {}){}", found.url, found.pid, continuing(runs));
    }
    Ok(ExitCode::SUCCESS)
}

/// Ends the server of this home, if there is one, and starts another: it has the keys of this shell.
pub(super) async fn restart(home: &Home, global: &Global) -> Result<ExitCode> {
    let before = end(home).await?;
    let started = reach::started(home, global).await?;
    if global.json {
        let before = before.map(|(before, _)| before.pid);
        let document = json!({"url": started.url, "process_id": started.pid, "stopped_process_id": before});
        anstream::println!("{document}");
    } else if !global.quiet {
        let done =
            if before.is_some() { "restarted the server" } else { "no server was running; started one" };
        ui::say!("{done}: {} (process {})", started.url, started.pid);
    }
    Ok(ExitCode::SUCCESS)
}

/// Ends a server and waits until it has let go of the home. Says which it was, and how many of its runs have not ended.
async fn end(home: &Home) -> Result<Option<(Presence, usize)>> {
    let Some(found) = Presence::of(home) else { return Ok(None) };
    // A server of another version, or one that does not answer, is ended all the same.
    let health = match Client::of_home(home, &found) {
        Ok(client) => client.get::<Health>("/health").await.ok(),
        Err(_) => None,
    };
    let pid = i32::try_from(found.pid).ok().and_then(Pid::from_raw).context("its process has no id")?;
    kill_process(pid, Signal::TERM).context("the server cannot be stopped")?;
    let since = Instant::now();
    while home.owner() == Some(found.pid) {
        if since.elapsed() > STOP_TIMEOUT {
            let refusal = CliError::new(Exit::Failed, format!("process {} does not stop", found.pid));
            return Err(refusal.with_hint(format!("kill -9 {} loses nothing", found.pid)).into());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let runs = health.map_or(0, |health| health.active_workflows + health.queued_workflows);
    Ok(Some((found, runs)))
}

fn continuing(runs: usize) -> String {
    match runs {
        0 => String::new(),
        1 => "; 1 run continues when a server starts again".to_owned(),
        runs => format!("; {runs} runs continue when a server starts again"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_its_two_largest_units() {
        for (seconds, expected) in
            [(59, "59 s"), (61, "1 min 1 s"), (3_660, "1 h 1 min"), (180_000, "2 days 2 h")]
        {
            assert_eq!(uptime(seconds), expected);
        }
    }
}
