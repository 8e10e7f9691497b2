//! A workflow of two agents that answer each other, with a model behind HTTP that takes no time: turns per second as the
//! log of the run has them, and what turn 400 takes beside turn 10.

use std::path::Path;
use std::process::Output;
use std::time::Duration;

use amelia_scripted::{Script, serve};
use anyhow::{Context, Result, anyhow, ensure};
use serde_json::{Value, json};

use super::flow_files::{write_agent, write_workflow};
use super::replayed::timed;
use super::turns::{EARLY, LATE, cost_us};
use super::{CaseArgs, own, repository};

pub(super) fn run(args: &CaseArgs) -> Result<Value> {
    let checkout = args.dir.join("checkout");
    repository::make(&checkout, 1)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let (mut best, mut costs) = (0.0_f64, Vec::new());
    for _ in 0..args.rounds {
        let script = Script::parse(&script(args.n)).map_err(|error| anyhow!("{error}"))?;
        let model = runtime.block_on(serve(script, ([127, 0, 0, 1], 0).into()))?;
        define(&checkout, &model.url())?;
        timed(args, &["workflow", "run", "loop", "Write about rivers", "--quiet"])?;
        let (_, logs) = timed(args, &["logs", "--type", "node.entered", "--json"])?;
        let entered = entered(&logs)?;
        ensure!(entered.len() == args.n, "{} turns, not {}", entered.len(), args.n);
        let next = entered.iter().skip(1);
        let turns: Vec<Duration> =
            entered.iter().zip(next).map(|(turn, next)| next.saturating_sub(*turn)).collect();
        best = best.max(own::rate(turns.len(), turns.iter().sum()));
        costs.push(turns);
    }
    let (early, late) = (cost_us(&costs, EARLY), cost_us(&costs, LATE));
    let growth = early.zip(late).map(|(early, late)| late / early);
    Ok(json!({ "turns_s": best, "early_us": early, "late_us": late, "growth": growth }))
}

/// The critic accepts the last of `turns` turns. `lg_loop.py` serves the same.
pub(super) fn script(turns: usize) -> String {
    format!(
        "rules:\n  - when: {{ model: critic, times: {} }}\n    reply: {{ text: '{{\"score\": 0.1}}' }}\n  \
         - when: {{ model: critic }}\n    reply: {{ text: '{{\"score\": 1.0}}' }}\n  \
         - when: {{ model: writer }}\n    reply: {{ text: Rivers are long. }}\n",
        turns / 2 - 1
    )
}

fn define(checkout: &Path, url: &str) -> Result<()> {
    for agent in ["writer", "critic"] {
        write_agent(checkout, agent, url)?;
    }
    let text = "name: loop\nentry_point: write\nmax_iterations: 1000\nnodes:\n  \
                write: { type: agent, agent: writer }\n  \
                review: { type: agent, agent: critic, outputs: [score] }\nedges:\n  \
                - { from: write, to: review }\n  \
                - { from: review, to: write, condition: \"state.score < 1.0\" }\n  \
                - { from: review, to: __end__, condition: \"state.score >= 1.0\" }\n";
    write_workflow(checkout, "loop", text)
}

/// When each turn began.
fn entered(logs: &Output) -> Result<Vec<Duration>> {
    let lines = std::str::from_utf8(&logs.stdout)?.lines().filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let event: Value = serde_json::from_str(line)?;
            let at = event.get("at").and_then(Value::as_str).context("an event without its time")?;
            let at: jiff::Timestamp = at.parse()?;
            Ok(Duration::try_from(at.as_duration())?)
        })
        .collect()
}
