//! What a server forgets by itself: debug events of runs that have ended longer ago than its configuration says.

use amelia_core::clock::{Clock as _, SystemClock};
use amelia_core::event::{AgentEvent, Draft, EventKind, RunEvent};
use amelia_core::id::{GraphName, RunId, Seq};
use amelia_core::message::ThinkingPart;
use amelia_core::run::{Domain, RunSpec};
use amelia_core::store::{Commit, Store as _};
use amelia_store::sqlite::{SqliteOptions, SqliteStore};
use jiff::SignedDuration;

use crate::process::{Home, Server};

/// A run with five debug events that completed so many hours ago.
async fn run(store: &SqliteStore, hours: i64) -> RunId {
    run_of(store, toy(), hours).await
}

fn toy() -> RunSpec {
    RunSpec::new(GraphName::new("toy").unwrap(), "toy")
}

/// The same with this spec.
async fn run_of(store: &SqliteStore, spec: RunSpec, hours: i64) -> RunId {
    let spec = Box::new(spec);
    let thought =
        || EventKind::Agent(AgentEvent::Thought(ThinkingPart { text: "hm".to_owned(), signature: None }));
    let begin = [RunEvent::Created { spec }, RunEvent::Started].map(EventKind::Run);
    let end = EventKind::Run(RunEvent::Completed { summary: None });
    let kinds = begin.into_iter().chain((0..5).map(|_| thought())).chain([end]);
    let at = SystemClock.now() - SignedDuration::from_hours(hours);
    let drafts = kinds.map(|kind| Draft { at, ..Draft::of_system(&SystemClock, Domain::default(), kind) });
    let (run, commit) =
        (RunId(SystemClock.new_id()), Commit { drafts: drafts.collect(), ..Commit::default() });
    store.commit(run, Seq::START, commit).await.unwrap();
    run
}

#[tokio::test]
async fn a_server_forgets_what_is_older_than_its_configuration_says_and_nothing_newer() {
    let home = Home::new();
    let file = home.path().join("amelia.db");
    let store = SqliteStore::open(&file, SqliteOptions::default()).unwrap();
    // On both sides of it: one of them is looked at before the old one, whatever is looked at first.
    let young = run(&store, 3 * 24 - 1).await;
    let old = run(&store, 3 * 24 + 1).await;
    let younger = run(&store, 1).await;
    store.close().await.unwrap();
    drop(store);

    home.write("config/server.yaml", "log_retention_days: 3\n");
    let server = Server::start(&home, &mut home.command(&["server", "--port", "0"]));
    let looking = SqliteStore::look(&file).unwrap();
    let left = async |run| looking.events(run, Seq::START, 100).await.unwrap().len();
    let forgotten = async {
        while left(old).await > 3 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(60), forgotten).await.expect("it is never forgotten");
    assert_eq!((left(young).await, left(old).await, left(younger).await), (8, 3, 8));
    drop(server);
}

#[tokio::test]
async fn a_server_removes_runs_that_were_kept_as_long_as_its_policy_says_and_no_others() {
    let home = Home::new();
    let file = home.path().join("amelia.db");
    let store = SqliteStore::open(&file, SqliteOptions::default()).unwrap();
    let labelled = |label: &str| RunSpec { label: Some(label.to_owned()), ..toy() };
    let young = run(&store, 2 * 24 - 1).await;
    let old = run(&store, 2 * 24 + 1).await;
    let short = run_of(&store, labelled("short"), 24 + 1).await;
    let long = run_of(&store, labelled("long"), 24 * 30).await;
    store.close().await.unwrap();
    drop(store);

    let policy = "default_days: 9\nby_status: { completed: 2 }\nby_task: { short: 1, long: 31 }\n";
    home.write("config/retention_policy.yaml", policy);
    let server = Server::start(&home, &mut home.command(&["server", "--port", "0"]));
    let looking = SqliteStore::look(&file).unwrap();
    let is_there = async |run| looking.run(run).await.unwrap().is_some();
    let removed = async {
        while is_there(old).await || is_there(short).await {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(60), removed).await.expect("they are never removed");
    assert_eq!((is_there(young).await, is_there(long).await), (true, true));
    drop(server);
}
