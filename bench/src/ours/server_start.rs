//! A server in a home with many past runs: how long until it answers, what it weighs then, how fast it lists, and how
//! long `amelia status` takes beside it.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::server::{self, Server};
use super::{CaseArgs, open_store, own, process};
use crate::load::requests;

const CONNECTIONS: usize = 16;
const TIME: Duration = Duration::from_secs(4);

pub(super) fn run(args: &CaseArgs) -> Result<Value> {
    if !own::file(&args.dir).exists() {
        open_store::fill(&args.dir, args.runs)?;
    }
    let (home, runs, rounds) = (args.dir.clone(), args.runs, args.rounds);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async move {
        let mut best = f64::MAX;
        let mut rss_mb = 0.0;
        for _ in 0..rounds {
            let start = Instant::now();
            let server = Server::start(&home, &[])?;
            server.ask("GET", "/health", None).await?;
            best = best.min(1e3 * start.elapsed().as_secs_f64());
            rss_mb = megabytes(process::resident_kib_of(&server.process().to_string())?)?;
        }
        let server = Server::start(&home, &["--log-level", "warn"])?;
        let list = server.ask("GET", "/api/workflows?limit=20", None).await?;
        ensure!(list.pointer("/items/19/id").is_some() && runs >= 20, "the list is short");
        let request = format!(
            "GET /api/workflows?limit=20 HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\n\r\n",
            server.address, server.token
        );
        let requests_s = requests::rate(&server.address, &request, CONNECTIONS, TIME).await?;
        let loaded_mb = megabytes(process::resident_kib_of(&server.process().to_string())?)?;
        let status_ms = status(&home, rounds)?;
        let status_rss_mb = status_rss(&home)?;
        Ok(json!({
            "start_ms": best, "rss_mb": rss_mb, "requests_s": requests_s, "loaded_rss_mb": loaded_mb,
            "status_ms": status_ms, "status_rss_mb": status_rss_mb,
        }))
    })
}

/// Milliseconds of `amelia status` from start to end, the best of all rounds.
fn status(home: &Path, rounds: usize) -> Result<f64> {
    let mut best = f64::MAX;
    for _ in 0..rounds.max(5) {
        let start = Instant::now();
        let output = Command::new(server::program()?).args(["status", "--home"]).arg(home).output()?;
        best = best.min(1e3 * start.elapsed().as_secs_f64());
        let lines = output.stdout.iter().filter(|byte| **byte == b'\n').count();
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success() && lines >= 20, "`amelia status` shows {lines} lines. {said}");
    }
    Ok(best)
}

/// The most memory that it has held once it has shown its list. It continues to look, so that it can be asked.
fn status_rss(home: &Path) -> Result<f64> {
    let mut command = Command::new(server::program()?);
    let mut child = command.args(["status", "--watch", "--home"]).arg(home).stdout(Stdio::piped()).spawn()?;
    let mut lines = BufReader::new(child.stdout.take().context("no output")?);
    for _ in 0..20 {
        lines.read_line(&mut String::new())?;
    }
    let kib = process::peak_resident_kib_of(&child.id().to_string());
    child.kill()?;
    child.wait()?;
    megabytes(kib?)
}

pub(super) fn megabytes(kib: u64) -> Result<f64> {
    Ok(f64::from(u32::try_from(kib)?) * 1024.0 / 1e6)
}
