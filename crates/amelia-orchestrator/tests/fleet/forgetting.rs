//! What is forgotten of runs, and what never is.

use std::collections::BTreeSet;
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
use amelia_orchestrator::run_retention::{PolicySource, RunSweeper, days_kept};
use amelia_orchestrator::runs::Runs;
use amelia_orchestrator::service::{CleanupMode, RunService};
use amelia_store::memory::MemoryStore;
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;

use crate::leftover_service::LeftoverService;

const NEVER: Retention = Retention { days: 10_000, max_events: 1_000_000 };

/// A run with five debug events that came to its end, if any, so many days ago.
async fn run(store: &MemoryStore, end: Option<RunEvent>, days: i64) -> RunId {
    run_of(store, toy(), end, days).await
}

fn toy() -> RunSpec {
    RunSpec::new(GraphName::new("toy").unwrap(), "toy")
}

/// The same with this spec.
async fn run_of(store: &MemoryStore, spec: RunSpec, end: Option<RunEvent>, days: i64) -> RunId {
    let at = SystemClock.now() - SignedDuration::from_hours(days * 24);
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

fn failed() -> Option<RunEvent> {
    let failure = RunFailure { code: "x".to_owned(), message: "x".to_owned(), node: None };
    Some(RunEvent::Failed { failure })
}

async fn left(store: &MemoryStore, run: RunId) -> usize {
    store.events(run, Seq::START, 100).await.unwrap().len()
}

#[tokio::test]
async fn old_and_long_logs_of_ended_runs_lose_their_debug_events_and_nothing_else() {
    let store = Arc::new(MemoryStore::default());
    let old = run(&store, completed(), 40).await;
    let cancelled = run(&store, Some(RunEvent::Cancelled { by: None }), 40).await;
    let failed = run(&store, failed(), 40).await;
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
        let spec = RunSpec { retention_days, label: label.map(str::to_owned), ..toy() };
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

/// A sweeper of a store's runs. `dirty` are runs with work that is in no commit, `resumed` those that another process resumes
/// at the last moment.
fn sweeper(
    store: &Arc<MemoryStore>,
    policy: Option<RetentionPolicy>,
    dirty: &[RunId],
    resumed: &[RunId],
) -> (RunSweeper, Arc<LeftoverService>) {
    let runs = Runs::new(Arc::clone(store) as Arc<_>, Arc::new(SystemClock));
    let left = Arc::new(LeftoverService {
        store: Arc::clone(store),
        runs: runs.clone(),
        dirty: dirty.iter().copied().collect(),
        resumed: resumed.iter().copied().collect(),
        removed: Mutex::default(),
    });
    let service = Arc::clone(&left) as Arc<dyn RunService>;
    let policy: PolicySource = Arc::new(move || Ok(policy.clone()));
    (RunSweeper { runs, service, policy, clock: Arc::new(SystemClock) }, left)
}

/// The runs that a sweep has found, how long they are kept, and why they stay.
async fn found(
    sweeper: &RunSweeper,
    how: CleanupMode,
    repository: Option<&Path>,
) -> BTreeSet<(RunId, u32, Option<String>)> {
    let old = sweeper.sweep(how, repository).await.unwrap();
    old.into_iter().map(|old| (old.row.run.id, old.days, old.kept_because)).collect()
}

#[tokio::test]
async fn runs_that_were_kept_long_enough_go_as_a_whole_and_no_others() {
    let store = Arc::new(MemoryStore::default());
    let labelled = |label: &str| RunSpec { label: Some(label.to_owned()), ..toy() };
    let own = |days, label: &str| RunSpec { retention_days: Some(days), ..labelled(label) };
    let cancelled = || Some(RunEvent::Cancelled { by: None });
    let mut due = BTreeSet::new();
    for (spec, end, age, days) in [
        (toy(), completed(), 8, 7),
        (toy(), failed(), 15, 14),
        (toy(), cancelled(), 8, 7),
        (labelled("critical"), completed(), 31, 30),
        (labelled("debug"), failed(), 4, 3),
        (own(1, "critical"), completed(), 2, 1),
    ] {
        due.insert((run_of(&store, spec, end, age).await, days, None));
    }
    let mut stay = Vec::new();
    for (spec, end, age) in [
        (toy(), completed(), 6),
        (toy(), failed(), 13),
        (labelled("critical"), completed(), 29),
        (own(40, "debug"), completed(), 39),
        (own(1, "debug"), None, 100),
    ] {
        stay.push(run_of(&store, spec, end, age).await);
    }
    let (sweeper, left) = sweeper(&store, Some(RetentionPolicy::default()), &[], &[]);
    assert_eq!(found(&sweeper, CleanupMode::Remove, Some(Path::new("/another"))).await, BTreeSet::new());
    assert_eq!(found(&sweeper, CleanupMode::Look, None).await, due, "as many as will go");
    for (run, ..) in &due {
        assert!(store.run(*run).await.unwrap().is_some(), "only looked at");
    }
    assert_eq!(found(&sweeper, CleanupMode::Remove, None).await, due);
    for (run, ..) in &due {
        assert!(store.run(*run).await.unwrap().is_none(), "files that are left do not keep a run");
    }
    for run in stay {
        assert!(store.run(run).await.unwrap().is_some());
    }
    let told: BTreeSet<RunId> = left.removed.lock().iter().copied().collect();
    assert_eq!(told, due.into_iter().map(|(run, ..)| run).collect(), "what only they had goes, too");
    assert_eq!(found(&sweeper, CleanupMode::Remove, None).await, BTreeSet::new());
}

#[tokio::test]
async fn without_a_policy_only_runs_that_say_so_themselves_go() {
    let store = Arc::new(MemoryStore::default());
    let silent = run(&store, completed(), 10_000).await;
    let own = RunSpec { retention_days: Some(1), ..toy() };
    let said = run_of(&store, own, completed(), 2).await;
    let (sweeper, _) = sweeper(&store, None, &[], &[]);
    assert_eq!(found(&sweeper, CleanupMode::Remove, None).await, BTreeSet::from([(said, 1, None)]));
    assert!(store.run(silent).await.unwrap().is_some());
}

#[tokio::test]
async fn a_run_stays_with_work_that_is_in_no_commit_and_one_that_is_resumed_at_the_last_moment() {
    let store = Arc::new(MemoryStore::default());
    let dirty = run(&store, completed(), 40).await;
    let resumed = run(&store, failed(), 40).await;
    let (sweeper, left) = sweeper(&store, Some(RetentionPolicy::default()), &[dirty], &[resumed]);
    let why = Some("work in no commit".to_owned());
    assert_eq!(found(&sweeper, CleanupMode::Remove, None).await, BTreeSet::from([(dirty, 7, why)]));
    assert!(left.removed.lock().is_empty());
    for run in [dirty, resumed] {
        assert!(store.run(run).await.unwrap().is_some());
    }
}
