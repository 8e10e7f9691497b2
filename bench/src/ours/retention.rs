//! Removes old runs with a million events, one after the other as the sweep does, while another run is written to: how
//! long it takes, and how long one of those commits waits at most. Filling is not timed.

use std::time::{Duration, Instant};

use amelia_core::clock::{Clock as _, SystemClock};
use amelia_core::event::{Draft, EventKind, RunEvent};
use amelia_core::id::{GraphName, RunId, Seq};
use amelia_core::run::{Domain, RunSpec};
use amelia_core::store::{Commit, Store};
use anyhow::Result;
use serde_json::{Value, json};

use super::{CaseArgs, open_store, own};
use crate::load::percentile;

const RUNS: usize = 10_000;
/// Between two commits of the run that is at work.
const PAUSE: Duration = Duration::from_millis(2);

pub(super) fn run(args: &CaseArgs) -> Result<Value> {
    open_store::fill(&args.dir, RUNS)?;
    let runs = own::open(args)?;
    own::block_on(async move {
        let statuses = runs.store().statuses().await?;
        let old: Vec<RunId> =
            statuses.into_iter().filter(|(_, status)| status.is_final()).map(|(run, _)| run).collect();
        let (stop, mut stopped) = tokio::sync::oneshot::channel::<()>();
        let store = std::sync::Arc::clone(runs.store());
        let writer = tokio::spawn(async move {
            let mut waits = Vec::new();
            let (run, mut end) = (RunId(SystemClock.new_id()), Seq::START);
            while stopped.try_recv().is_err() {
                let start = Instant::now();
                end = write(store.as_ref(), run, end).await?;
                waits.push(1e3 * start.elapsed().as_secs_f64());
                tokio::time::sleep(PAUSE).await;
            }
            anyhow::Ok(waits)
        });
        let start = Instant::now();
        for run in &old {
            runs.store().remove(*run).await?;
        }
        let remove_s = start.elapsed().as_secs_f64();
        stop.send(()).ok();
        let mut waits = writer.await??;
        waits.sort_unstable_by(f64::total_cmp);
        runs.store().close().await?;
        Ok(json!({
            "remove_s": remove_s, "runs": old.len(), "commits": waits.len(),
            "writer_p50_ms": percentile(&waits, 0.5), "writer_p99_ms": percentile(&waits, 0.99),
            "writer_max_ms": percentile(&waits, 1.0),
        }))
    })
}

/// One commit of a run that is at work.
async fn write(store: &dyn Store, run: RunId, after: Seq) -> Result<Seq> {
    let spec = RunSpec::new(GraphName::new("writer")?, "at work");
    let kind = match after == Seq::START {
        true => RunEvent::Created { spec: Box::new(spec) },
        false => RunEvent::Started,
    };
    let draft = Draft::of_system(&SystemClock, Domain::Workflow, EventKind::Run(kind));
    let written = store.commit(run, after, Commit { drafts: vec![draft], ..Commit::default() }).await?;
    Ok(written.events.last().map_or(after, |event| event.seq))
}
