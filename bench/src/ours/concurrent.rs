//! Many runs at once on one store: what group commit is for.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::team::{self, Team};
use super::{CaseArgs, own};

pub(super) fn run(args: &CaseArgs) -> Result<Value> {
    let (runs, count, n) = (own::open(args)?, args.runs, args.n);
    let took = own::block_on(async move {
        let graph = Arc::new(team::counting(n)?);
        let mut all = JoinSet::new();
        let start = Instant::now();
        for _ in 0..count {
            let (runs, graph) = (runs.clone(), Arc::clone(&graph));
            all.spawn(async move { own::complete(&runs, &graph, Team::small(n)).await });
        }
        let mut ended = Vec::with_capacity(count);
        while let Some(run) = all.join_next().await {
            ended.push(run.context("while moving a run")??);
        }
        let took = start.elapsed();
        for run in ended {
            team::check(runs.store().as_ref(), run, n).await?;
        }
        runs.store().close().await?;
        Ok(took)
    })?;
    Ok(json!({ "steps_s": own::rate(count * n, took) }))
}
