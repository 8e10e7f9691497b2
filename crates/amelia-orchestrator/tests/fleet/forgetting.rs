//! What is forgotten of runs, and what never is.

use std::path::Path;
use std::sync::Arc;

use amelia_core::clock::{Clock as _, SystemClock};
use amelia_core::config::retention::RetentionPolicy;
use amelia_core::event::run::RunFailure;
use amelia_core::event::{AgentEvent, Draft, EventKind, RunEvent};
use amelia_core::id::{GraphName, RunId, RunNumber, Seq};
use amelia_core::message::ThinkingPart;
use amelia_core::run::{Domain, Run, RunSpec, RunStatus};
use amelia_core::store::{Commit, Store};
use amelia_core::view::{RunRow, RunView};
use amelia_orchestrator::retention::{Retention, RetentionSweeper};
use amelia_orchestrator::run_retention::days_kept;
use amelia_store::memory::MemoryStore;
use jiff::{SignedDuration, Timestamp};

const NEVER: Retention = Retention { days: 10_000, max_events: 1_000_000 };

/// A run with five debug events that came to its end, if any, so many days ago.
async fn run(store: &MemoryStore, end: Option<RunEvent>, days: i64) -> RunId {
    let at = SystemClock.now() - SignedDuration::from_hours(days * 24);
    let spec = RunSpec::new(GraphName::new("toy").unwrap(), "toy");
    let thought =
        || EventKind::Agent(AgentEvent::Thought(ThinkingPart { text: "hm".to_owned(), signature: None }));
    let kinds =
        [EventKind::Run(RunEvent::Created { spec: Box::new(spec) }), EventKind::Run(RunEvent::Started)];
    let kinds = kinds.into_iter().chain((0..5).map(|_| thought())).chain(end.map(EventKind::Run));
    let drafts = kinds.map(|kind| draft(kind, at)).collect();
    let run = RunId(SystemClock.new_id());
    store.commit(run, Seq::START, Commit { drafts, checkpoint: None, ..Commit::default() }).await.unwrap();
    run
}

fn draft(kind: EventKind, at: Timestamp) -> Draft {
    Draft { at, ..Draft::of_system(&SystemClock, Domain::default(), kind) }
}

fn completed() -> Option<RunEvent> {
    Some(RunEvent::Completed { summary: None })
}

async fn left(store: &MemoryStore, run: RunId) -> usize {
    store.events(run, Seq::START, 100).await.unwrap().len()
}

#[tokio::test]
async fn old_and_long_logs_of_ended_runs_lose_their_debug_events_and_nothing_else() {
    let store = Arc::new(MemoryStore::default());
    let failure = RunFailure { code: "x".to_owned(), message: "x".to_owned(), node: None };
    let old = run(&store, completed(), 40).await;
    let cancelled = run(&store, Some(RunEvent::Cancelled { by: None }), 40).await;
    let failed = run(&store, Some(RunEvent::Failed { failure }), 40).await;
    let working = run(&store, None, 40).await;
    let young = run(&store, completed(), 20).await;
    let keeper =
        |retention| RetentionSweeper::new(Arc::clone(&store) as Arc<_>, Arc::new(SystemClock), retention);
    assert_eq!(keeper(NEVER).sweep(None).await.unwrap(), 0);
    let mut monthly = keeper(Retention { days: 30, ..NEVER });
    assert_eq!(monthly.due(Some(Path::new("/another"))).await.unwrap(), 0, "they are in no such repository");
    assert_eq!(monthly.sweep(Some(Path::new("/another"))).await.unwrap(), 0);
    assert_eq!(monthly.due(None).await.unwrap(), 10, "as many as will go");
    assert_eq!(monthly.sweep(None).await.unwrap(), 10);
    assert_eq!(monthly.sweep(None).await.unwrap(), 0);
    assert_eq!(monthly.due(None).await.unwrap(), 0);
    assert_eq!((left(&store, old).await, left(&store, cancelled).await), (3, 3));
    assert_eq!((left(&store, failed).await, left(&store, working).await), (8, 7), "they may go on");
    assert_eq!(left(&store, young).await, 8);
    let mut short = keeper(Retention { max_events: 6, ..NEVER });
    assert_eq!(short.due(None).await.unwrap(), 2);
    assert_eq!(short.sweep(None).await.unwrap(), 2);
    assert_eq!((left(&store, young).await, left(&store, failed).await), (6, 8));
}

#[test]
fn a_run_is_kept_as_it_says_itself_or_as_the_policy_says() {
    let row = |retention_days, label: Option<&str>, status| {
        let spec = RunSpec::new(GraphName::new("toy").unwrap(), "toy");
        let spec = RunSpec { retention_days, label: label.map(str::to_owned), ..spec };
        let id = RunId(SystemClock.new_id());
        let run = Run { id, number: RunNumber(1), spec, created_at: SystemClock.now() };
        RunRow { run, view: RunView { status, ..RunView::default() } }
    };
    let policy = RetentionPolicy::default();
    for (row, with_policy, without) in [
        (row(Some(2), Some("critical"), RunStatus::Completed), Some(2), Some(2)),
        (row(None, Some("critical"), RunStatus::Completed), Some(30), None),
        (row(None, Some("unknown"), RunStatus::Failed), Some(14), None),
        (row(None, None, RunStatus::Cancelled), Some(7), None),
        (row(Some(2), Some("debug"), RunStatus::Running), None, None),
    ] {
        assert_eq!(days_kept(Some(&policy), &row), with_policy, "{row:?}");
        assert_eq!(days_kept(None, &row), without, "{row:?}");
    }
}
