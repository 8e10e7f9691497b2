//! One run of many durable steps with a result of 1 KiB each, as in `peers/dbos_steps.py`. Every result is stored;
//! the state keeps the last one, as the peer's workflow keeps none.

use std::time::Instant;

use amelia_core::store::CheckpointAt;
use amelia_graph::graph::{END, Graph};
use amelia_graph::node::pure;
use amelia_graph::state::{State, rebuild};
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{CaseArgs, own, team};

#[derive(Clone, Serialize, Deserialize)]
struct Flow {
    step: usize,
    result: String,
}

impl State for Flow {
    type Update = String;

    fn apply(&mut self, result: String) {
        self.step += 1;
        self.result = result;
    }
}

pub(super) fn run(args: &CaseArgs) -> Result<Value> {
    let (runs, n) = (own::open(args)?, args.n);
    let took = own::block_on(async move {
        let pad = team::text(0);
        let graph = Graph::builder("flow")
            .entry("step")
            .node("step", pure(move |flow: &Flow| vec![format!("{}:{pad}", flow.step)]))
            .route(move |flow: &Flow| if flow.step >= n { END } else { "step" }, ["step", END])
            .limit(u32::try_from(n)?.saturating_add(10))
            .build()?;
        let start = Instant::now();
        let run = own::complete(&runs, &graph, Flow { step: 0, result: String::new() }).await?;
        let took = start.elapsed();
        let saved = runs.store().load(run, CheckpointAt::Latest).await?.context("nothing was stored")?;
        let flow: Flow = rebuild(&saved)?;
        ensure!(flow.step == n, "{} steps are stored, not {n}", flow.step);
        runs.store().close().await?;
        Ok(took)
    })?;
    Ok(json!({ "steps_s": own::rate(n, took) }))
}
