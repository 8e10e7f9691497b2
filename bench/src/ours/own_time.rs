//! What a turn of `amelia do` takes beside a model that answers in 100 ms: the difference between a long and a short
//! conversation, so that the start does not count.

use std::process::{Command, Stdio};
use std::time::Instant;

use amelia_scripted::{Script, serve};
use anyhow::{Result, anyhow, ensure};
use serde_json::{Value, json};

use super::{CaseArgs, repository, server};

/// Before the first byte of every answer.
const MODEL_MS: f64 = 100.0;
const SHORT: usize = 10;

pub(super) fn run(args: &CaseArgs) -> Result<Value> {
    let checkout = args.dir.join("checkout");
    repository::make(&checkout, 10)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let script = Script::parse(&script(args.n)).map_err(|error| anyhow!("{error}"))?;
    let model = runtime.block_on(serve(script, ([127, 0, 0, 1], 0).into()))?;
    let url = format!("{}/v1", model.url());
    let short_script = Script::parse(&self::script(SHORT)).map_err(|error| anyhow!("{error}"))?;
    let short_model = runtime.block_on(serve(short_script, ([127, 0, 0, 1], 0).into()))?;
    let short_url = format!("{}/v1", short_model.url());
    let (mut wall_ms, mut cpu_ms) = (f64::MAX, f64::MAX);
    let turns = f64::from(u32::try_from(args.n - SHORT)?);
    for round in 0..args.rounds {
        let short = talk(args, &format!("short {round}"), &short_url)?;
        let long = talk(args, &format!("long {round}"), &url)?;
        wall_ms = wall_ms.min((long.0 - short.0) / turns - MODEL_MS);
        cpu_ms = cpu_ms.min((long.1 - short.1) / turns);
    }
    Ok(
        json!({ "own_ms_per_turn": wall_ms, "share_percent": 100.0 * wall_ms / MODEL_MS, "cpu_ms_per_turn": cpu_ms }),
    )
}

/// Every turn looks at a file, the last one says that it is done.
fn script(turns: usize) -> String {
    let call = "tool_calls: [{ name: read_file, args: { path: d0/f0.txt } }]";
    let turn = |turn: usize| {
        format!("  - when: {{ turn: {turn} }}\n    reply: {{ delay_ms: {MODEL_MS}, {call} }}\n")
    };
    let turns_before: String = (0..turns - 1).map(turn).collect();
    let last = turns - 1;
    format!(
        "rules:\n{turns_before}  - when: {{ turn: {last} }}\n    reply: {{ delay_ms: {MODEL_MS}, text: done }}\n"
    )
}

/// Milliseconds by the clock and of CPU.
fn talk(args: &CaseArgs, task: &str, url: &str) -> Result<(f64, f64)> {
    let before = crate::noise::children_seconds();
    let start = Instant::now();
    let output = Command::new(server::program()?)
        .args([
            "do",
            task,
            "--model",
            "scripted",
            "--quiet",
            "--max-turns",
            "1000",
            "--base-url",
            url,
            "--home",
        ])
        .arg(args.dir.join("home"))
        .current_dir(args.dir.join("checkout"))
        .stdin(Stdio::null())
        .output()?;
    let wall = 1e3 * start.elapsed().as_secs_f64();
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr).trim());
    let cpu = crate::noise::children_seconds().zip(before).map(|(now, before)| 1e3 * (now - before));
    Ok((wall, cpu.ok_or_else(|| anyhow!("no times of children here"))?))
}
