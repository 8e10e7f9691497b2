//! `amelia selftest --abandon`: requests of every kind whose client disconnects at a random moment. Then list, log and
//! reality must agree, nothing may be stuck, and nothing may start unasked at the next start.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::net::TcpStream;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use amelia_core::id::Seq;
use amelia_core::run::RunStatus;
use amelia_core::store::{RunPages, Store};
use amelia_core::view::{RunRow, RunView};
use amelia_wire::rest::Page;
use amelia_wire::rest::health::Health;
use anyhow::Result;
use serde_json::{Value, json};

use super::chance::{Chance, fresh_seed};
use super::findings::Findings;
use super::ground::{Ground, ServerProcess};
use super::progress;
use crate::cli::{Global, SelftestArgs};
use crate::client::Client;

/// A client has gone by then.
const LATEST_GOODBYE: Duration = Duration::from_millis(15);
/// Everything that was asked for has happened by then.
const REST_TIMEOUT: Duration = Duration::from_secs(120);
/// Requests between two looks at which runs there are.
const ROUND: u32 = 25;

/// Some runs only talk, some ask a person.
const SCRIPT: &str = r#"
rules:
  - when: { text: "asks;", turn: 0 }
    reply: { tool_calls: [{ name: ask_human, args: { question: "which?" } }] }
  - reply: { text: "done as it should be", chunk: 4, chunk_delay_ms: 15 }
"#;

pub(super) async fn run(args: &SelftestArgs, global: &Global) -> Result<ExitCode> {
    let seed = args.seed.unwrap_or_else(fresh_seed);
    let ground = Ground::new(SCRIPT).await?;
    let mut findings = Findings::new();
    let bar = progress(global, args.requests, "requests");
    let server = ground.start()?;
    let mut chance = Chance::new(seed);
    let mut known: Vec<Value> = Vec::new();
    for number in 0..args.requests {
        if number % ROUND == 0 {
            known = list(&ground, &server).await?;
        }
        let request = request(&ground, &known, &mut chance)?;
        abandon(&server, &request, &mut chance);
        bar.inc(1);
    }
    findings.count("requests", u64::from(args.requests));
    bar.set_message("resting");
    rest(&ground.client(&server).await?, &mut findings).await?;
    let shown = list(&ground, &server).await?;
    server.stop()?;
    compare(&ground, &shown, &mut findings).await?;
    start_again(&ground, &shown, &mut findings).await?;
    bar.finish_and_clear();
    findings.conclude(global)
}

/// A request of some kind, as bytes.
fn request(ground: &Ground, known: &[Value], chance: &mut Chance) -> Result<Vec<u8>> {
    let token = ground.token()?;
    let run = chance.one_of(known).and_then(|run| run.get("id")?.as_str()).unwrap_or_default();
    let to_run = |what: &str| format!("/api/workflows/{run}/{what}");
    let empty = json!({});
    let (method, path, body) = match (run.is_empty(), chance.below(12)) {
        (true, _) | (false, 0..=3) => {
            let prompt = if chance.one_in(3) { "asks; please" } else { "says; please" };
            let model = json!({"model": "scripted", "base_url": ground.model_url()});
            let order = json!({"prompt": prompt, "worktree_path": ground.repository(), "model": model});
            ("POST", "/api/workflows/single".to_owned(), order)
        }
        (false, 4) => ("POST", to_run("cancel"), empty),
        (false, 5) => ("POST", to_run("pause"), empty),
        (false, 6) => ("POST", to_run("resume"), empty),
        (false, 7) => ("POST", to_run("say"), json!({"message": "mind the gap"})),
        (false, 8) => ("POST", to_run("fork"), json!({"at": 1})),
        (false, 9) => ("DELETE", format!("/api/workflows/{run}"), empty),
        (false, 10) => ("POST", "/api/cleanup".to_owned(), json!({"dry_run": false})),
        (false, _) if chance.one_in(20) => ("POST", "/api/session/rotate".to_owned(), empty),
        (false, _) => ("POST", to_run("start"), empty),
    };
    let body = body.to_string();
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
    );
    Ok([head, body].concat().into_bytes())
}

/// Sends it, and is gone after a moment.
fn abandon(server: &ServerProcess, request: &[u8], chance: &mut Chance) {
    let Ok(mut stream) = TcpStream::connect(&server.address) else { return };
    // What became of it is looked at later.
    stream.write_all(request).ok();
    std::thread::sleep(chance.up_to(LATEST_GOODBYE));
}

/// All runs as the server lists them. The token may be replaced in the middle, by a request that was abandoned before.
async fn list(ground: &Ground, server: &ServerProcess) -> Result<Vec<Value>> {
    match pages(&ground.client(server).await?).await {
        Ok(all) => Ok(all),
        Err(_) => pages(&ground.client(server).await?).await,
    }
}

async fn pages(client: &Client) -> Result<Vec<Value>> {
    let mut all = Vec::new();
    let mut cursor = String::new();
    loop {
        let page: Page<Value> = client.get(&format!("/workflows?limit=100{cursor}")).await?;
        all.extend(page.items);
        match page.next_cursor {
            None => return Ok(all),
            Some(next) => cursor = format!("&cursor={next}"),
        }
    }
}

/// Waits until no run is at work or queued.
async fn rest(client: &Client, findings: &mut Findings) -> Result<()> {
    let since = Instant::now();
    loop {
        let health: Health = client.get("/health").await?;
        let open = health.active_workflows + health.queued_workflows;
        if open == 0 {
            return Ok(());
        }
        if since.elapsed() > REST_TIMEOUT {
            findings.violation(format!("{open} runs are running or queued, and do not end"));
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

fn status_of(row: &RunRow) -> &'static str {
    match row.view.status {
        RunStatus::Pending => "pending",
        RunStatus::Running => "running",
        RunStatus::Waiting(_) => "waiting",
        RunStatus::Completed => "completed",
        RunStatus::Failed => "failed",
        RunStatus::Cancelled => "cancelled",
    }
}

/// A status of the list, in the words of the log.
fn word(shown: &Value) -> String {
    let status = shown.get("status").and_then(Value::as_str).unwrap_or_default();
    match status {
        "awaiting_approval" | "paused" | "blocked" => "waiting".to_owned(),
        other => other.to_owned(),
    }
}

/// Whether the list says what the logs say, every log is whole, and nothing is left that should have moved.
async fn compare(ground: &Ground, shown: &[Value], findings: &mut Findings) -> Result<()> {
    let store = ground.home().open()?;
    let id = |run: &Value| run.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut listed: BTreeMap<String, String> = shown.iter().map(|run| (id(run), word(run))).collect();
    let mut pages = RunPages::new(&*store);
    while let Some(rows) = pages.next().await? {
        for row in &rows {
            findings.count("runs", 1);
            let (run, status) = (row.run.id.to_string(), status_of(row));
            match listed.remove(&run) {
                Some(said) if said == status => {}
                Some(said) => findings.violation(format!("run {run} is {status}, and the list says {said}")),
                None => findings.violation(format!("run {run} is missing in the list")),
            }
            if row.view.is_wanted() {
                findings.violation(format!("run {run} is {status} and nothing moves it"));
            }
            check_log(&*store, row, findings).await?;
        }
    }
    for (run, _) in listed {
        findings.violation(format!("run {run} is in the list, and not in the store"));
    }
    store.close().await?;
    Ok(())
}

async fn check_log(store: &dyn Store, row: &RunRow, findings: &mut Findings) -> Result<()> {
    let (run, mut view) = (row.run.id, RunView::default());
    for event in store.events(run, Seq::START, usize::MAX).await? {
        findings.count("events", 1);
        if event.seq != view.seq.plus(1) {
            findings.violation(format!("run {run}: event {} follows {}", event.seq, view.seq));
        }
        view.apply(&event);
    }
    if view != row.view {
        findings.violation(format!("run {run} is not the fold of its log"));
    }
    if let Some(failure) = &row.view.failure {
        findings.violation(format!("run {run} has failed: {}", failure.message));
    }
    Ok(())
}

/// Nothing starts unasked.
async fn start_again(ground: &Ground, before: &[Value], findings: &mut Findings) -> Result<()> {
    let server = ground.start()?;
    if server.recovered > 0 {
        findings.violation(format!("{} runs started by themselves", server.recovered));
    }
    let now = list(ground, &server).await?;
    let statuses = |runs: &[Value]| runs.iter().map(word).collect::<Vec<_>>();
    if statuses(before) != statuses(&now) {
        findings.violation("the list is another one after a restart".to_owned());
    }
    server.stop()
}
