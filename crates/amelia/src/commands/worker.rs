//! `amelia worker`: moves synthetic runs until all have ended, and prints every event once it is shown to anybody.
//! Started, and killed, by `amelia demo` and `amelia selftest`.

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use amelia_core::clock::{Clock, SystemClock};
use amelia_core::event::Event;
use amelia_core::id::{GraphName, RunId, Seq};
use amelia_core::run::{RunSpec, RunStatus};
use amelia_graph::engine::Stop;
use amelia_graph::position::approval;
use amelia_host::database::runs_on;
use amelia_host::home::Home;
use amelia_host::synthetic::GRAPH;
use amelia_host::synthetic::crash::{CrashPoint, CrashStore};
use amelia_host::synthetic::graph::{SyntheticWorld, graph};
use amelia_host::synthetic::outside::Outside;
use amelia_host::synthetic::state::SyntheticState;
use amelia_orchestrator::runs::{Move, Runs};
use anyhow::{Result, bail};

use amelia_host::synthetic::bug::Bug;

use crate::cli::WorkerArgs;

pub(super) fn run(args: &WorkerArgs, home: &Home) -> Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build()?;
    runtime.block_on(work(args, home))?;
    Ok(ExitCode::SUCCESS)
}

async fn work(args: &WorkerArgs, home: &Home) -> Result<()> {
    let crash_point = Arc::new(CrashPoint::new(args.die_at));
    let store = CrashStore {
        inner: home.open()?,
        crash_point: Arc::clone(&crash_point),
        show: Arc::new(show),
        bug: args.inject,
    };
    let runs = runs_on(Arc::new(store));
    let around = Arc::new(SyntheticWorld {
        outside: Outside::at(home.path()),
        crash_point,
        life: args.life,
        pace: Duration::from_millis(args.pace),
        bug: args.inject,
    });
    let mut tasks = tokio::task::JoinSet::new();
    for number in args.first..args.first.saturating_add(args.count) {
        let (runs, around) = (runs.clone(), Arc::clone(&around));
        tasks.spawn(async move { bring_home(&runs, &around, number).await });
    }
    while let Some(ended) = tasks.join_next().await {
        ended??;
    }
    Ok(())
}

/// Creates the run with this number, or finds it, and moves it to its end, saying yes to what it asks.
async fn bring_home(runs: &Runs, around: &Arc<SyntheticWorld>, number: u32) -> Result<()> {
    let key = format!("synthetic-{number}");
    let spec =
        RunSpec { idempotency_key: Some(key), ..RunSpec::new(GraphName::new(GRAPH)?, "a synthetic run") };
    let run = runs.create(spec).await?;
    let moving = move_on(runs, around, run);
    if around.bug == Some(Bug::PublishBeforeCommit) {
        // The store has shown everything already.
        return moving.await;
    }
    let mut watch = runs.watch(run, Seq::START);
    let shown = async {
        loop {
            let event = watch.next().await?;
            show(&event);
            if event.draft.kind.name() == "run.completed" {
                return Ok::<_, anyhow::Error>(());
            }
        }
    };
    tokio::try_join!(moving, shown)?;
    Ok(())
}

async fn move_on(runs: &Runs, around: &Arc<SyntheticWorld>, run: RunId) -> Result<()> {
    let graph = graph(around)?;
    loop {
        let row = runs.store().run(run).await?;
        let view = row.map(|row| row.view).unwrap_or_default();
        if view.status == RunStatus::Completed {
            return Ok(());
        }
        // One answer at a time, the newest question first: they must find their way.
        let replies = view.pending.last().map(|request| approval(request, SystemClock.now()));
        let how = Move { replies: replies.into_iter().collect(), ..Move::default() };
        match runs.run(run, &graph, SyntheticState::default(), how).await? {
            Stop::Completed => return Ok(()),
            Stop::Waiting(_) => {}
            stop @ (Stop::Failed(_) | Stop::Cancelled) => bail!("run {run} stopped: {stop:?}"),
        }
    }
}

/// One line on standard output, in one write: what got out before a kill is out.
fn show(event: &Event) {
    if let Ok(mut line) = serde_json::to_vec(event) {
        line.push(b'\n');
        let mut out = std::io::stdout().lock();
        // There may be no reader any more; the log has it all the same.
        out.write_all(&line).and_then(|()| out.flush()).ok();
    }
}
