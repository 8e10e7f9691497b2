//! The approval gate, as in `peers/lg_interrupt.py`: plan -> gate -> work; the gate asks, a person says yes.
//! A resume begins from the store alone: nothing of the run is kept in memory between the two.

use std::time::Instant;

use amelia_core::clock::{Clock, SystemClock};
use amelia_core::human::HumanKind;
use amelia_core::run::RunSpec;
use amelia_core::store::CheckpointAt;
use amelia_graph::engine::Stop;
use amelia_graph::graph::{END, Graph};
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome, pure};
use amelia_graph::position::approval;
use amelia_graph::state::{State, rebuild};
use amelia_orchestrator::runs::{Move, Runs};
use anyhow::{Context, Result, ensure};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::team::Message;
use super::{CaseArgs, own};

#[derive(Clone, Serialize, Deserialize)]
struct Gated {
    ok: bool,
    messages: Vec<Message>,
}

impl State for Gated {
    type Update = bool;

    fn apply(&mut self, ok: bool) {
        self.ok = ok;
    }
}

struct Gate;

#[async_trait]
impl Node<Gated> for Gate {
    async fn run(&self, cx: &NodeCx, _: &Gated) -> Result<Outcome<bool>, NodeError> {
        Ok(match cx.answered() {
            Some(answered) => Outcome::Done(vec![answered.is_approval()]),
            None => Outcome::ask(cx.request(HumanKind::Approval, "approve?")),
        })
    }
}

pub(super) fn run(args: &CaseArgs) -> Result<Value> {
    let (runs, count, kib) = (own::open(args)?, args.rounds, args.history_kib);
    let (waits, resumes) = own::block_on(async move {
        let took = rounds(&runs, count, kib).await?;
        runs.store().close().await?;
        Ok(took)
    })?;
    Ok(json!({ "to_wait_ms": median(waits)?, "resume_ms": median(resumes)? }))
}

/// So many runs, one after the other: what each took to its question, and from the answer to its end.
pub(super) async fn rounds(runs: &Runs, count: usize, kib: usize) -> Result<(Vec<f64>, Vec<f64>)> {
    let graph = Graph::builder("gate")
        .entry("plan")
        .node("plan", pure(|_: &Gated| vec![false]))
        .edge("gate")
        .node("gate", Gate)
        .edge("work")
        .node("work", pure(|gated: &Gated| vec![gated.ok]))
        .edge(END)
        .build()?;
    let (mut waits, mut resumes) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let (wait, resume) = round(runs, &graph, kib).await?;
        waits.push(wait);
        resumes.push(resume);
    }
    Ok((waits, resumes))
}

/// Milliseconds to the question, and from the answer to the end.
async fn round(runs: &Runs, graph: &Graph<Gated>, kib: usize) -> Result<(f64, f64)> {
    // The peer's history is there before its clock starts, too.
    let message = Message { role: "u".to_owned(), content: "x".repeat(1024) };
    let initial = Gated { ok: false, messages: vec![message; kib] };
    let start = Instant::now();
    let run = runs.new_run();
    let spec = RunSpec::new(graph.name().clone(), "benchmark");
    let stop = runs.launch(run, spec, graph, initial, Move::default()).await?;
    let to_wait = start.elapsed();
    ensure!(stop == Stop::Waiting(HumanKind::Approval), "the run did not wait: {stop:?}");

    // The one who answers has the question in hand, as the peer has its `__interrupt__`.
    let row = runs.store().run(run).await?.context("the run is gone")?;
    let request = row.view.pending.first().context("nothing was asked")?;
    let start = Instant::now();
    let replies = vec![approval(request, SystemClock.now())];
    // Never used: a run that has been saved continues from there.
    let nothing = Gated { ok: false, messages: Vec::new() };
    let stop = runs.run(run, graph, nothing, Move { replies, ..Move::default() }).await?;
    let to_end = start.elapsed();
    ensure!(stop == Stop::Completed, "the run did not end: {stop:?}");

    let saved = runs.store().load(run, CheckpointAt::Latest).await?.context("nothing was stored")?;
    let Gated { ok, messages } = rebuild(&saved)?;
    ensure!(ok && messages.len() == kib, "the answer or the history was lost");
    Ok((1e3 * to_wait.as_secs_f64(), 1e3 * to_end.as_secs_f64()))
}

fn median(mut times: Vec<f64>) -> Result<f64> {
    times.sort_unstable_by(f64::total_cmp);
    times.get(times.len() / 2).copied().context("no rounds")
}
