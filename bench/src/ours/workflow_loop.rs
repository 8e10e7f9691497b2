//! A workflow of two agents that answer each other, with a model behind HTTP that takes no time: turns per second as the
//! log of the run has them, and what turn 400 takes beside turn 10.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use amelia_scripted::{Script, serve};
use anyhow::{Context, Result, anyhow, ensure};
use serde_json::{Value, json};

use super::{CaseArgs, repository, server};

/// Turns over which a cost is taken.
const WINDOW: usize = 50;
const EARLY: usize = 10;
const LATE: usize = 400;

pub(super) fn run(args: &CaseArgs) -> Result<Value> {
    let checkout = args.dir.join("checkout");
    repository::make(&checkout, 1)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let (mut best, mut costs) = (0.0_f64, Vec::new());
    for _ in 0..args.rounds {
        let script = Script::parse(&script(args.n)).map_err(|error| anyhow!("{error}"))?;
        let model = runtime.block_on(serve(script, ([127, 0, 0, 1], 0).into()))?;
        define(&checkout, &model.url())?;
        amelia(args, &["workflow", "run", "loop", "Write about rivers", "--quiet"])?;
        let entered = entered(&amelia(args, &["logs", "--type", "node.entered", "--json"])?)?;
        ensure!(entered.len() == args.n, "{} turns, not {}", entered.len(), args.n);
        let turns: Vec<f64> = entered.iter().zip(entered.iter().skip(1)).map(|(a, b)| b - a).collect();
        best = best.max(f64::from(u32::try_from(turns.len())?) / turns.iter().sum::<f64>());
        costs.push(turns);
    }
    let (early, late) = (cost_us(&costs, EARLY), cost_us(&costs, LATE));
    let growth = early.zip(late).map(|(early, late)| late / early);
    Ok(json!({ "turns_s": best, "early_us": early, "late_us": late, "growth": growth }))
}

/// The lower quartile, over all rounds; nothing when a run has not so many turns.
fn cost_us(rounds: &[Vec<f64>], first: usize) -> Option<f64> {
    let windows: Option<Vec<&[f64]>> =
        rounds.iter().map(|turns| turns.get(first - 1..first - 1 + WINDOW)).collect();
    let mut costs = windows?.concat();
    costs.sort_unstable_by(f64::total_cmp);
    costs.get(costs.len() / 4).map(|cost| 1e6 * cost)
}

/// The critic accepts the last of `turns` turns. `lg_loop.py` serves the same.
fn script(turns: usize) -> String {
    format!(
        "rules:\n  - when: {{ model: critic, times: {} }}\n    reply: {{ text: '{{\"score\": 0.1}}' }}\n  \
         - when: {{ model: critic }}\n    reply: {{ text: '{{\"score\": 1.0}}' }}\n  \
         - when: {{ model: writer }}\n    reply: {{ text: Rivers are long. }}\n",
        turns / 2 - 1
    )
}

fn define(checkout: &Path, url: &str) -> Result<()> {
    let place = checkout.join(".amelia");
    std::fs::create_dir_all(place.join("agents"))?;
    std::fs::create_dir_all(place.join("workflows"))?;
    for agent in ["writer", "critic"] {
        let text = format!(
            "name: {agent}\nrole: {agent}\nsystem_prompt: You are the {agent}.\ntools: []\n\
             llm_config: {{ endpoint: \"{url}/v1\", model: {agent} }}\n"
        );
        std::fs::write(place.join(format!("agents/{agent}.yaml")), text)?;
    }
    let text = "name: loop\nentry_point: write\nmax_iterations: 1000\nnodes:\n  \
                write: { type: agent, agent: writer }\n  \
                review: { type: agent, agent: critic, outputs: [score] }\nedges:\n  \
                - { from: write, to: review }\n  \
                - { from: review, to: write, condition: \"state.score < 1.0\" }\n  \
                - { from: review, to: __end__, condition: \"state.score >= 1.0\" }\n";
    Ok(std::fs::write(place.join("workflows/loop.yaml"), text)?)
}

fn amelia(args: &CaseArgs, words: &[&str]) -> Result<Output> {
    let output = Command::new(server::program()?)
        .args(words)
        .arg("--home")
        .arg(args.dir.join("home"))
        .current_dir(args.dir.join("checkout"))
        .stdin(Stdio::null())
        .output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(output)
}

/// When each turn began, in seconds.
fn entered(logs: &Output) -> Result<Vec<f64>> {
    let lines = std::str::from_utf8(&logs.stdout)?.lines().filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let event: Value = serde_json::from_str(line)?;
            let at = event.get("at").and_then(Value::as_str).context("an event without its time")?;
            let at: jiff::Timestamp = at.parse()?;
            Ok(at.as_duration().as_secs_f64())
        })
        .collect()
}
