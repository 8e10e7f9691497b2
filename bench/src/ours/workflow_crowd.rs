//! Many workflows at once on `amelia server`, each with a model in another process that streams 20 words a second: how
//! long after the model's last byte a run ends, beside a bare client that reads the same answers; what the
//! server weighs; and how late events are at one socket that follows all runs.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, anyhow, ensure};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::flow_files::{write_agent, write_workflow};
use super::server::Server;
use super::server_start::megabytes;
use super::{CaseArgs, own, process, repository};
use crate::load::model::{DIGITS, MARK};
use crate::load::percentile;
use crate::load::socket::LoadSocket;

const PAUSE_MS: &str = "50";
/// A crowd that stands still must not hold the benchmark.
const LIMIT: Duration = Duration::from_secs(300);

pub(super) fn run(args: &CaseArgs) -> Result<Value> {
    let (home, checkout) = (args.dir.join("home"), args.dir.join("checkout"));
    std::fs::create_dir_all(&home)?;
    repository::make(&checkout, 1)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let bare = runtime.block_on(bare(args))?;
    let Crowd { ended, late, rss_mb, created } = runtime.block_on(ours(args, &home, &checkout))?;
    let (bare_p99, ended_p99) = (percentile(&bare, 0.99), percentile(&ended, 0.99));
    Ok(json!({
        "bare_p99_ms": bare_p99, "end_p99_ms": ended_p99, "added_p99_ms": (ended_p99 - bare_p99).max(0.0),
        "socket_p50_ms": percentile(&late, 0.5), "socket_p99_ms": percentile(&late, 0.99), "rss_mb": rss_mb,
        "runs": ended.len(), "events": late.len(), "created_s": own::rate(ended.len(), created),
    }))
}

/// The model's process, and the moments at which its answers ended.
struct Model {
    child: Child,
    said: BufReader<ChildStdout>,
    port: u16,
}

impl Model {
    /// Every answer has this many words. All runs must be started before the first one ends.
    fn start(words: usize) -> Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(["streaming-model", "--words", &words.to_string(), "--pause-ms", PAUSE_MS])
            .stdout(Stdio::piped())
            .spawn()?;
        let mut said = BufReader::new(child.stdout.take().context("no output")?);
        let mut port = String::new();
        said.read_line(&mut port)?;
        Ok(Self { child, said, port: port.trim().parse()? })
    }

    /// Ends it. Milliseconds from the last byte of each answer to what is known of it.
    fn after_last_byte(mut self, seen: &HashMap<u32, Duration>) -> Result<Vec<f64>> {
        self.child.kill()?;
        self.child.wait()?;
        let mut after = Vec::new();
        for line in (&mut self.said).lines() {
            let line = line?;
            let (number, nanos) = line.split_once(' ').context("not a line of the model")?;
            let ended =
                seen.get(&number.parse()?).with_context(|| format!("answer {number} was not seen"))?;
            after.push(1e3 * ended.saturating_sub(Duration::from_nanos(nanos.parse()?)).as_secs_f64());
        }
        ensure!(after.len() == seen.len(), "{} answers ended, {} were seen", after.len(), seen.len());
        after.sort_unstable_by(f64::total_cmp);
        Ok(after)
    }
}

impl Drop for Model {
    /// Also when the runs have failed.
    fn drop(&mut self) {
        self.child.kill().and_then(|()| self.child.wait()).ok();
    }
}

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

fn prompt(number: usize) -> String {
    format!("{MARK}{number:0DIGITS$}")
}

async fn bare(args: &CaseArgs) -> Result<Vec<f64>> {
    let model = Model::start(args.n)?;
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..args.runs {
        tasks.spawn(read_answer(model.port, number));
    }
    let mut seen = HashMap::new();
    while let Some(read) = tasks.join_next().await {
        let (number, at) = read??;
        seen.insert(u32::try_from(number)?, at);
    }
    model.after_last_byte(&seen)
}

async fn read_answer(port: u16, number: usize) -> Result<(usize, Duration)> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
    let body = prompt(number);
    stream.write_all(format!("POST / HTTP/1.1\r\nhost: x\r\n\r\n{body}").as_bytes()).await?;
    let mut read = vec![0; 16 * 1024];
    while stream.read(&mut read).await? > 0 {}
    Ok((number, now()))
}

struct Crowd {
    ended: Vec<f64>,
    late: Vec<f64>,
    rss_mb: f64,
    /// From the first request to the answer to the last.
    created: Duration,
}

async fn ours(args: &CaseArgs, home: &Path, checkout: &Path) -> Result<Crowd> {
    let model = Model::start(args.n)?;
    define(checkout, model.port)?;
    let most = format!("max_concurrent={}", args.runs);
    let server = Server::start(home, &["--set", &most, "--log-level", "warn"])?;
    let socket = LoadSocket::open(&server.address, "/ws/events?subscribe=all", Some(&server.token)).await?;
    let following = tokio::spawn(tokio::time::timeout(LIMIT, follow(socket, args.runs)));
    let (mut numbers, begun) = (HashMap::new(), now());
    for number in 0..args.runs {
        let task = json!({"workflow": "crowd", "prompt": prompt(number), "worktree_path": checkout});
        let made = server.ask("POST", "/api/tasks", Some(&task)).await?;
        let id = made.get("id").and_then(Value::as_str).context("no id")?.to_owned();
        numbers.insert(id, u32::try_from(number)?);
    }
    let all_started = now();
    let Followed { ended, late } = following.await?.context("the runs did not all end")??;
    ensure!(ended.values().all(|at| *at > all_started), "a run ended before the last one was started");
    let rss_mb = megabytes(process::peak_resident_kib_of(&server.process().to_string())?)?;
    let number_of = |(id, at): (String, Duration)| Some((*numbers.get(&id)?, at));
    let ended = model.after_last_byte(&ended.into_iter().filter_map(number_of).collect())?;
    Ok(Crowd { ended, late, rss_mb, created: all_started.saturating_sub(begun) })
}

fn define(checkout: &Path, port: u16) -> Result<()> {
    write_agent(checkout, "speaker", &format!("http://127.0.0.1:{port}"))?;
    let text = "name: crowd\nentry_point: speak\nnodes:\n  speak: { type: agent, agent: speaker }\n";
    write_workflow(checkout, "crowd", text)
}

#[derive(Default)]
struct Followed {
    /// When each run ended, by its id, as the log has it.
    ended: HashMap<String, Duration>,
    /// Milliseconds from an event to the socket.
    late: Vec<f64>,
}

/// Until all runs have ended.
async fn follow(mut socket: LoadSocket, runs: usize) -> Result<Followed> {
    let mut followed = Followed::default();
    let mut failure = None;
    while followed.ended.len() < runs {
        socket.read(|text| failure = followed.take(text).err().or(failure.take())).await?;
        if let Some(failure) = failure {
            return Err(failure);
        }
    }
    followed.late.sort_unstable_by(f64::total_cmp);
    Ok(followed)
}

impl Followed {
    fn take(&mut self, text: &[u8]) -> Result<()> {
        if !text.starts_with(b"{\"type\":\"event\"") {
            return Ok(());
        }
        let said: Value = serde_json::from_slice(text)?;
        let field = |name: &str| said.pointer(&format!("/payload/{name}")).and_then(Value::as_str);
        let at: jiff::Timestamp = field("timestamp").context("an event without its time")?.parse()?;
        let at = Duration::try_from(at.as_duration())?;
        self.late.push(1e3 * now().saturating_sub(at).as_secs_f64());
        match field("event_type") {
            Some("workflow_completed") => {
                let id = field("workflow_id").context("an event without its run")?;
                self.ended.insert(id.to_owned(), at);
                Ok(())
            }
            Some("workflow_failed") => Err(anyhow!("a run failed: {said}")),
            _ => Ok(()),
        }
    }
}
