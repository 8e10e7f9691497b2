//! A run of `amelia do` with a model that speaks 50 tokens a second, and `amelia replay` of it: both from the start of the
//! program to its end, so that the store, the comparison of every fact and the tree are part of it.

use std::process::{Command, Output, Stdio};
use std::time::Instant;

use amelia_scripted::{Script, serve};
use anyhow::{Context, Result, anyhow, ensure};
use serde_json::{Value, json};

use super::{CaseArgs, repository, server, team};

/// Four characters are about a token.
const PIECE: usize = 4;
/// Between two of them: 50 a second.
const PIECE_MS: usize = 20;
/// What is said in each turn.
const TOKENS: usize = 100;

pub(super) fn run(args: &CaseArgs) -> Result<Value> {
    repository::make(&args.dir.join("checkout"), 10)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let script = Script::parse(&script(args.n)).map_err(|error| anyhow!("{error}"))?;
    let model = runtime.block_on(serve(script, ([127, 0, 0, 1], 0).into()))?;
    let url = format!("{}/v1", model.url());
    let (live_ms, _) =
        timed(args, &["do", "look around", "--model", "scripted", "--quiet", "--base-url", &url])?;
    // No one could be asked any more.
    drop((model, runtime));
    let (_, rows) = timed(args, &["status", "--all", "--json"])?;
    let rows: Value = serde_json::from_slice(&rows.stdout)?;
    let run = rows.pointer("/0/id").and_then(Value::as_str).context("there is no run")?;
    let mut replay_ms = f64::MAX;
    for _ in 0..args.rounds {
        let (took, played) = timed(args, &["replay", run, "--json"])?;
        let played: Value = serde_json::from_slice(&played.stdout)?;
        ensure!(played.get("is_same") == Some(&json!(true)), "it was played otherwise: {played}");
        replay_ms = replay_ms.min(took);
    }
    Ok(json!({ "live_ms": live_ms, "replay_ms": replay_ms, "times_faster": live_ms / replay_ms }))
}

/// Every turn says something and looks at a file; the last one only says something.
fn script(turns: usize) -> String {
    let text: String = team::text(7).chars().take(PIECE * TOKENS).collect();
    let said = format!("text: \"{text}\", chunk: {PIECE}, chunk_delay_ms: {PIECE_MS}");
    let turn = |turn: usize| {
        let call = "tool_calls: [{ name: read_file, args: { path: d0/f0.txt } }]";
        let call = if turn + 1 < turns { format!(", {call}") } else { String::new() };
        format!("  - when: {{ turn: {turn} }}\n    reply: {{ {said}{call} }}\n")
    };
    format!("rules:\n{}", (0..turns).map(turn).collect::<String>())
}

/// Runs `amelia` in the checkout: milliseconds from start to end, and what it printed.
pub(super) fn timed(args: &CaseArgs, words: &[&str]) -> Result<(f64, Output)> {
    let start = Instant::now();
    let output = Command::new(server::program()?)
        .args(words)
        .arg("--home")
        .arg(args.dir.join("home"))
        .current_dir(args.dir.join("checkout"))
        .stdin(Stdio::null())
        .output()?;
    let took = 1e3 * start.elapsed().as_secs_f64();
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr).trim());
    Ok((took, output))
}
