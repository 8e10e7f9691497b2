//! The limit of `workflow_loop`: the same requests to the same model by a bare client that stores each answer
//! with one durable commit of SQLite, and does nothing else.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use amelia_scripted::{Script, serve};
use anyhow::{Context, Result, anyhow, ensure};
use rusqlite::{Connection, params};
use serde_json::{Value, json};

use super::turns::{EARLY, LATE, cost_us};
use super::workflow_loop::script;
use super::{CaseArgs, own};

pub(super) fn run(args: &CaseArgs) -> Result<Value> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let (mut best, mut costs) = (0.0_f64, Vec::new());
    for _ in 0..args.rounds {
        let script = Script::parse(&script(args.n)).map_err(|error| anyhow!("{error}"))?;
        let model = runtime.block_on(serve(script, ([127, 0, 0, 1], 0).into()))?;
        let address = model.url().trim_start_matches("http://").to_owned();
        let turns = converse(&address, &own::file(&args.dir), args.n)?;
        best = best.max(own::rate(turns.len(), turns.iter().sum()));
        costs.push(turns);
    }
    let (early, late) = (cost_us(&costs, EARLY), cost_us(&costs, LATE));
    let growth = early.zip(late).map(|(early, late)| late / early);
    Ok(json!({ "turns_s": best, "early_us": early, "late_us": late, "growth": growth }))
}

/// What each turn takes.
fn converse(address: &str, file: &Path, turns: usize) -> Result<Vec<Duration>> {
    let db = Connection::open(file)?;
    db.pragma_update(None, "journal_mode", "WAL")?;
    db.pragma_update(None, "synchronous", "FULL")?;
    db.execute_batch("CREATE TABLE IF NOT EXISTS answers (text TEXT NOT NULL)")?;
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let mut said = vec![json!({ "role": "user", "content": "Write about rivers" })];
    let mut took = Vec::with_capacity(turns);
    for turn in 0..turns {
        let start = Instant::now();
        let agent = if turn % 2 == 0 { "writer" } else { "critic" };
        let body = serde_json::to_vec(&json!({ "model": agent, "messages": said }))?;
        let answer = ask(&mut stream, address, &body)?;
        let text = answer.pointer("/choices/0/message/content").and_then(Value::as_str);
        let text = text.context("an answer without text")?;
        db.prepare_cached("INSERT INTO answers (text) VALUES (?1)")?.execute(params![text])?;
        said.push(json!({ "role": "assistant", "content": text }));
        took.push(start.elapsed());
    }
    Ok(took)
}

fn ask(stream: &mut TcpStream, address: &str, body: &[u8]) -> Result<Value> {
    let mut request = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    request.extend_from_slice(body);
    stream.write_all(&request)?;
    let (mut answer, mut piece) = (Vec::new(), [0; 16 * 1024]);
    loop {
        let read = stream.read(&mut piece)?;
        ensure!(read > 0, "the model hung up");
        answer.extend_from_slice(piece.get(..read).unwrap_or_default());
        if let Some(body) = whole(&answer)? {
            return Ok(serde_json::from_slice(body)?);
        }
    }
}

/// The body of an answer, once all of it is there.
fn whole(answer: &[u8]) -> Result<Option<&[u8]>> {
    let Some(end) = answer.windows(4).position(|window| window == b"\r\n\r\n") else { return Ok(None) };
    let head = String::from_utf8_lossy(answer.get(..end).unwrap_or_default()).to_ascii_lowercase();
    ensure!(head.starts_with("http/1.1 200"), "{head}");
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    let length: usize = length.and_then(|length| length.trim().parse().ok()).context("no length")?;
    Ok(answer.get(end + 4..end + 4 + length))
}
