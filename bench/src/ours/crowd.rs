//! Many runs at once on `amelia server`, each with a model that speaks 50 pieces a second, each followed over a WebSocket:
//! whether any event is lost, how late events are, and what the server weighs.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use amelia_core::event::{Event, EventKind, RunEvent};
use amelia_scripted::{Script, serve};
use anyhow::{Context, Result, anyhow, ensure};
use serde_json::{Value, json};

use super::server::Server;
use super::server_start::megabytes;
use super::{CaseArgs, process, repository};
use crate::load::percentile;
use crate::load::socket::LoadSocket;

/// Twenty letters a piece, fifty pieces a second, for about four seconds; then the plan.
const SCRIPT: &str = r"
rules:
  - when: { turn: 0 }
    reply:
      text: 'twenty letters long, '
      repeat: 200
      chunk: 20
      chunk_delay_ms: 20
      tool_calls:
        - name: write_plan
          args:
            goal: The sample says in its first file that it is a sample, as the issue asks for it.
            architecture: Everything stays as it is, one line is added to one file of the sample.
            tasks: [{ number: '1', title: Say it, files: [{ operation: modify, path: d0/f0.txt }], steps: [{ description: Write it }] }]
";
/// A crowd that stands still must not hold the benchmark.
const LIMIT: Duration = Duration::from_secs(120);

pub(super) fn run(args: &CaseArgs) -> Result<Value> {
    let (home, checkout) = (args.dir.join("home"), args.dir.join("checkout"));
    std::fs::create_dir_all(&home)?;
    repository::make(&checkout, 10)?;
    let models = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let script = Script::parse(SCRIPT).map_err(|error| anyhow!("{error}"))?;
    let model = models.block_on(serve(script, ([127, 0, 0, 1], 0).into()))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let runs = args.runs;
    runtime.block_on(async {
        let most = format!("max_concurrent={runs}");
        let server = Server::start(&home, &["--set", &most, "--log-level", "warn"])?;
        server.ask("POST", "/api/profiles", Some(&profile(&model.url(), &checkout))).await?;
        let mut tasks = tokio::task::JoinSet::new();
        let mut ids = Vec::new();
        for number in 0..runs {
            let order = json!({"title": format!("Say it {number}"), "worktree_path": checkout, "queue": true});
            let made = server.ask("POST", "/api/workflows", Some(&order)).await?;
            let id = made.get("id").and_then(Value::as_str).context("no id")?.to_owned();
            let path = format!("/api/workflows/{id}/stream?format=log");
            let socket = LoadSocket::open(&server.address, &path, Some(&server.token)).await?;
            tasks.spawn(follow(socket));
            ids.push(id);
        }
        let started = server.ask("POST", "/api/workflows/start-batch", Some(&json!({}))).await?;
        let count = started.get("started").and_then(Value::as_array).map_or(0, Vec::len);
        ensure!(count == runs, "{count} runs were started: {started}");
        let (mut late, mut events, mut chunks) = (Vec::new(), 0, 0);
        let all = async {
            while let Some(done) = tasks.join_next().await {
                let seen = done??;
                events += seen.late.len();
                chunks += seen.chunks;
                late.extend(seen.late);
            }
            anyhow::Ok(())
        };
        tokio::time::timeout(LIMIT, all).await.context("the runs did not all come to their question")??;
        late.sort_unstable_by(f64::total_cmp);
        let rss = process::peak_resident_kib_of(&server.process().to_string())?;
        Ok(json!({
            "p50_ms": percentile(&late, 0.5), "p99_ms": percentile(&late, 0.99), "max_ms": percentile(&late, 1.0),
            "rss_mb": megabytes(rss)?, "events": events, "chunks": chunks, "runs": ids.len(), "lost": 0,
        }))
    })
}

fn profile(url: &str, checkout: &std::path::Path) -> Value {
    let agent =
        |model: &str| json!({"driver": "api", "model": model, "options": {"base_url": format!("{url}/v1")}});
    json!({
        "name": "crowd", "repo_root": checkout,
        "agents": {"architect": agent("architect"), "developer": agent("developer"), "reviewer": agent("reviewer")}
    })
}

#[derive(Default)]
struct Seen {
    late: Vec<f64>,
    chunks: usize,
    last: u64,
    gap: Option<u64>,
    is_waiting: bool,
    failure: Option<String>,
}

/// Until the run asks; an event that is missing before that is an error.
async fn follow(mut socket: LoadSocket) -> Result<Seen> {
    let mut seen = Seen::default();
    socket.each(&mut |text| seen.take(text));
    while !seen.is_waiting {
        socket.read(|text| seen.take(text)).await?;
        if let Some(failure) = &seen.failure {
            return Err(anyhow!("a run failed: {failure}"));
        }
    }
    match seen.gap {
        Some(gap) => Err(anyhow!("event {gap} was lost")),
        None => Ok(seen),
    }
}

impl Seen {
    fn take(&mut self, text: &[u8]) {
        if !text.starts_with(b"{\"type\":\"event\"") {
            self.chunks += usize::from(text.starts_with(b"{\"type\":\"chunk\""));
            return;
        }
        let payload = serde_json::from_slice::<Value>(text)
            .ok()
            .and_then(|mut said| Some(said.get_mut("payload")?.take()));
        let Some(event) = payload.and_then(|payload| serde_json::from_value::<Event>(payload).ok()) else {
            self.gap = Some(self.last + 1);
            return;
        };
        if event.seq.0 != self.last + 1 {
            self.gap = Some(self.last + 1);
        }
        self.last = event.seq.0;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let at = u64::try_from(event.draft.at.as_nanosecond()).unwrap_or_default();
        self.late.push(1e3 * now.saturating_sub(Duration::from_nanos(at)).as_secs_f64());
        self.is_waiting = event.draft.kind.name() == "run.paused";
        if let EventKind::Run(RunEvent::Failed { failure }) = event.draft.kind {
            self.failure = Some(failure.message);
        }
    }
}
