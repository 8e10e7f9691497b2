//! The way of programs to models, before the same upstream and behind the same client as the peer's. The child is the
//! product's server, orchestrator and store: every call is metered, held to a budget, and kept on disk.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::{BenchDurability, CaseArgs, process, proxied};
use crate::peers;

/// Of every stream, as many as the peer passes.
const CHUNKS: &str = "200";

pub(super) fn run(args: &CaseArgs) -> Result<Value> {
    if args.child {
        return proxied::serve(args);
    }
    let (upstream, port) = upstream()?;
    let durability = if args.durability == BenchDurability::D1 { "d1" } else { "d2" };
    let ours = Process(
        Command::new(std::env::current_exe()?)
            .args(["ours", "proxy", "--child", "--durability", durability, "--n", port.trim(), "--dir"])
            .arg(&args.dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?,
    );
    let (ours, said) = ours.said()?;
    let said: Value = serde_json::from_str(&said).context("the child has not started")?;
    let word = |name: &str| said.get(name).and_then(Value::as_str).map(str::to_owned);
    let direct =
        Target { port, process: upstream.0.id(), path: "/v1/chat/completions", token: "none".to_owned() };
    let through = Target {
        port: word("port").context("no port")?,
        process: ours.0.id(),
        path: "/proxy/v1/chat/completions",
        token: word("token").context("no token")?,
    };
    measure(args, &direct, &through, &ours)
}

fn measure(args: &CaseArgs, direct: &Target, through: &Target, ours: &Process) -> Result<Value> {
    let (plain, streams) = (args.n * 10, args.n);
    // The best of a few, on both sides: a neighbour that compiles is not what is measured.
    let least = |target: &Target, n: usize, more: &[&str], field: &str| -> Result<f64> {
        let found = (0..args.rounds.max(1)).map(|_| number(&target.load(1, n, more)?, field));
        Ok(found.collect::<Result<Vec<_>>>()?.into_iter().fold(f64::MAX, f64::min))
    };
    let most = |connections: usize| -> Result<f64> {
        let found =
            (0..args.rounds.max(1)).map(|_| number(&through.load(connections, plain, &[])?, "/req_s"));
        Ok(found.collect::<Result<Vec<_>>>()?.into_iter().fold(0.0, f64::max))
    };
    let added = |n: usize, more: &[&str], field: &str| -> Result<f64> {
        Ok(least(through, n, more, field)? - least(direct, n, more, field)?)
    };
    let (chunks_s, cpu) = through.streams(args)?;
    let rss = process::peak_resident_kib_of(&ours.0.id().to_string())?;
    Ok(json!({
        "added_p50_ms": added(plain, &[], "/lat_ms/p50")?,
        "added_p99_ms": added(plain, &[], "/lat_ms/p99")?,
        "requests_16": most(16)?,
        "requests_64": most(64)?,
        "chunks_s": chunks_s,
        "cpu_us_per_chunk": cpu,
        "added_first_byte_ms": added(streams, &["--stream"], "/ttfb_ms/p50")?,
        "rss_mb": mib(rss.max(process::peak_resident_kib_of(&ours.0.id().to_string())?)),
    }))
}

#[expect(clippy::cast_precision_loss, reason = "KiB of a process")]
fn mib(kib: u64) -> f64 {
    kib as f64 / 1024.0
}

/// The server behind the proxies, and its port.
pub(super) fn upstream() -> Result<(Process, String)> {
    let started = Command::new(native("upstream")?)
        .args(["--chunks", CHUNKS])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    Process(started).said()
}

/// Something that answers Chat Completions.
pub(super) struct Target {
    pub(super) port: String,
    pub(super) process: u32,
    pub(super) path: &'static str,
    pub(super) token: String,
}

impl Target {
    /// Chunks per second, and the CPU of each in microseconds: those of the round with the most chunks.
    pub(super) fn streams(&self, args: &CaseArgs) -> Result<(f64, f64)> {
        let mut best = (0.0, 0.0);
        for _ in 0..args.rounds.max(1) {
            let said = self.load(16, args.n, &["--stream"])?;
            let rate = number(&said, "/events_s")?;
            if rate > best.0 {
                best = (rate, number(&said, "/server_cpu_us_per_req")? / number(&said, "/events_per_req")?);
            }
        }
        Ok(best)
    }

    fn load(&self, connections: usize, n: usize, more: &[&str]) -> Result<Value> {
        let output = Command::new(native("httpload")?)
            .args(["--port", self.port.trim(), "--path", self.path, "--auth", &self.token])
            .args(["--conc", &connections.to_string(), "--n", &n.to_string()])
            .args(["--warm", &connections.max(20).to_string(), "--pid", &self.process.to_string()])
            .args(more)
            .output()?;
        let said: Value =
            serde_json::from_slice(&output.stdout).context("the client has measured nothing")?;
        let failed = number(&said, "/errors")? + number(&said, "/non200")?;
        ensure!(failed < 0.5, "{failed} requests have failed: {said}");
        Ok(said)
    }
}

fn number(value: &Value, pointer: &str) -> Result<f64> {
    value.pointer(pointer).and_then(Value::as_f64).with_context(|| format!("no number at {pointer}"))
}

/// Where `setup.sh` puts what it compiles.
fn native(tool: &str) -> Result<PathBuf> {
    let tool = peers::default_installed().join("native").join(tool);
    ensure!(tool.is_file(), "{} is not there; run bench/peers/setup.sh", tool.display());
    Ok(tool)
}

/// Ends with its owner.
pub(super) struct Process(pub(super) Child);

impl Process {
    /// Its first line.
    pub(super) fn said(mut self) -> Result<(Self, String)> {
        let mut line = String::new();
        BufReader::new(self.0.stdout.take().context("no output")?).read_line(&mut line)?;
        Ok((self, line))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        // It may be gone already.
        self.0.kill().ok();
        self.0.wait().ok();
    }
}
