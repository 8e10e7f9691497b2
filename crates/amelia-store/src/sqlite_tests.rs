use std::fs;

use amelia_core::checkpoint::{Checkpoint, Position, Saved};
use amelia_core::clock::{Clock, SystemClock};
use amelia_core::effect::Effect;
use amelia_core::event::{AgentEvent, Draft, EffectEvent, EventKind, RunEvent};
use amelia_core::id::{EffectId, GraphName};
use amelia_core::message::ThinkingPart;
use amelia_core::run::{Domain, RunSpec};
use rusqlite::Connection;
use serde_json::value::to_raw_value;
use tempfile::TempDir;

use super::*;

struct Home(TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("amelia.db")
    }

    fn open(&self) -> Result<SqliteStore, StoreError> {
        SqliteStore::open(&self.file(), Options::default())
    }

    fn refusal(&self) -> StoreError {
        self.open().err().expect("it should not open")
    }

    /// What somebody else might do to the file.
    fn tamper(&self, sql: &str) {
        Connection::open(self.file()).unwrap().execute_batch(sql).unwrap();
    }
}

fn draft(kind: EventKind) -> Draft {
    Draft::of_system(&SystemClock, Domain::default(), kind)
}

fn thought(text: &str) -> Draft {
    draft(EventKind::Agent(AgentEvent::Thought(ThinkingPart { text: text.to_owned(), signature: None })))
}

fn saved(state: Saved) -> Checkpoint {
    Checkpoint {
        graph: GraphName::new("g").unwrap(),
        version: 1,
        at: SystemClock.now(),
        position: Position::default(),
        state,
    }
}

fn snapshot(number: u32) -> Option<Checkpoint> {
    Some(saved(Saved::Snapshot(to_raw_value(&number).unwrap())))
}

fn updates(number: u32) -> Option<Checkpoint> {
    Some(saved(Saved::Updates(to_raw_value(&[number]).unwrap())))
}

async fn begin(store: &SqliteStore) -> RunId {
    let run = RunId(SystemClock.new_id());
    let spec = RunSpec::new(GraphName::new("g").unwrap(), "a run");
    let created = draft(EventKind::Run(RunEvent::Created { spec: Box::new(spec) }));
    store
        .commit(
            run,
            Seq::START,
            Commit { drafts: vec![created], checkpoint: snapshot(1), ..Commit::default() },
        )
        .await
        .unwrap();
    run
}

#[tokio::test]
async fn what_was_acknowledged_is_there_after_opening_again() {
    let home = Home::new();
    let store = home.open().unwrap();
    let run = begin(&store).await;
    store
        .commit(
            run,
            Seq(1),
            Commit { drafts: vec![thought("x")], checkpoint: updates(2), ..Commit::default() },
        )
        .await
        .unwrap();
    let events = store.events(run, Seq::START, 9).await.unwrap();
    drop(store);
    let store = home.open().unwrap();
    assert_eq!(store.events(run, Seq::START, 9).await.unwrap(), events);
    assert_eq!(store.load(run, At::Latest).await.unwrap().unwrap().number, 2);
    store.verify().await.unwrap();
    let more = store.commit(
        run,
        Seq(2),
        Commit { drafts: vec![thought("y")], checkpoint: updates(3), ..Commit::default() },
    );
    assert_eq!(more.await.unwrap().checkpoint, Some(3));
}

#[tokio::test]
async fn a_second_process_is_refused_with_the_pid_of_the_first() {
    let home = Home::new();
    let store = home.open().unwrap();
    let refusal = home.refusal();
    assert_eq!(refusal, StoreError::Locked { path: home.file(), pid: std::process::id() });
    drop(store);
    home.open().unwrap();
}

#[tokio::test]
async fn anybody_may_look_while_somebody_writes() {
    let home = Home::new();
    let store = home.open().unwrap();
    let run = begin(&store).await;
    assert!(SqliteStore::is_owned(&home.file()));
    let looking = [SqliteStore::look(&home.file()).unwrap(), SqliteStore::look(&home.file()).unwrap()];
    store
        .commit(run, Seq(1), Commit { drafts: vec![thought("x")], checkpoint: None, ..Commit::default() })
        .await
        .unwrap();
    for looked in &looking {
        assert_eq!(looked.events(run, Seq::START, 9).await.unwrap().len(), 2);
        let refused = looked
            .commit(run, Seq(2), Commit { drafts: vec![thought("y")], checkpoint: None, ..Commit::default() })
            .await;
        assert_eq!(refused.err(), Some(StoreError::Closed));
    }
    drop(store);
    assert!(!SqliteStore::is_owned(&home.file()), "looking takes no lock");
    home.open().unwrap();
}

#[test]
fn a_file_that_is_no_database_is_left_alone() {
    let home = Home::new();
    fs::write(home.file(), "dear diary, today I wrote a text file and it is long enough").unwrap();
    let message = home.refusal().to_string();
    assert!(
        message.contains("is damaged: it is not an SQLite database\n  hint: move the file away"),
        "{message}"
    );
    assert!(fs::read_to_string(home.file()).unwrap().starts_with("dear diary"));
}

#[test]
fn a_database_of_another_program_is_left_alone() {
    let home = Home::new();
    home.tamper("CREATE TABLE songs (title TEXT)");
    let message = home.refusal().to_string();
    assert!(message.contains("it is a database of another program"), "{message}");
}

#[tokio::test]
async fn a_file_that_was_cut_short_is_named() {
    let home = Home::new();
    let store = home.open().unwrap();
    begin(&store).await;
    drop(store);
    let size = fs::metadata(home.file()).unwrap().len();
    fs::OpenOptions::new().write(true).open(home.file()).unwrap().set_len(size - 4096).unwrap();
    let message = home.refusal().to_string();
    assert!(message.contains(&format!("it is cut short: {} bytes of {size}", size - 4096)), "{message}");
}

#[tokio::test]
async fn a_file_with_a_broken_page_is_named() {
    let home = Home::new();
    let store = home.open().unwrap();
    let run = begin(&store).await;
    drop(store);
    let mut bytes = fs::read(home.file()).unwrap();
    bytes[4096..].fill(0xAB);
    fs::write(home.file(), bytes).unwrap();
    // The schema is on the first page and whole: it opens, and says so when the damage is met.
    let problem = match home.open() {
        Err(problem) => problem,
        Ok(store) => {
            assert!(matches!(store.verify().await, Err(StoreError::Damaged { .. })));
            store.events(run, Seq::START, 9).await.unwrap_err()
        }
    };
    assert!(matches!(problem, StoreError::Damaged { .. }), "{problem}");
}

#[tokio::test]
async fn a_file_of_a_newer_version_is_not_touched() {
    let home = Home::new();
    drop(home.open().unwrap());
    home.tamper("PRAGMA user_version = 99");
    assert_eq!(home.refusal(), StoreError::TooNew { path: home.file(), found: 99, known: 4 });
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let refusal = SqliteStore::open(Path::new("/proc/amelia/amelia.db"), Options::default()).err().unwrap();
    assert!(matches!(refusal, StoreError::ReadOnly { .. }), "{refusal}");
    let home = Home::new();
    fs::write(home.0.path().join("file"), "").unwrap();
    let below = home.0.path().join("file/amelia.db");
    let refusal = SqliteStore::open(&below, Options::default()).err().unwrap();
    assert!(matches!(refusal, StoreError::ReadOnly { .. } | StoreError::Io { .. }), "{refusal}");
}

#[tokio::test]
async fn a_full_disk_loses_nothing_that_was_acknowledged() {
    let home = Home::new();
    let options = Options { max_pages: Some(40), ..Options::default() };
    let store = SqliteStore::open(&home.file(), options).unwrap();
    let run = begin(&store).await;
    let mut acknowledged = 1;
    let problem = loop {
        let commit =
            Commit { drafts: vec![thought(&"x".repeat(3000))], checkpoint: None, ..Commit::default() };
        match store.commit(run, Seq(acknowledged), commit).await {
            Ok(_) => acknowledged += 1,
            Err(problem) => break problem,
        }
    };
    assert_eq!(problem, StoreError::Full { path: home.file() });
    assert!(acknowledged > 5, "{acknowledged}");
    assert_eq!(store.events(run, Seq::START, 999).await.unwrap().len() as u64, acknowledged);

    // Space again: the run goes on where it was.
    drop(store);
    let store = home.open().unwrap();
    let commit = Commit { drafts: vec![thought("small")], checkpoint: None, ..Commit::default() };
    store.commit(run, Seq(acknowledged), commit).await.unwrap();
    store.verify().await.unwrap();
}

#[tokio::test]
async fn a_full_disk_is_told_to_everyone_in_the_group() {
    let home = Home::new();
    let options = Options { max_pages: Some(60), ..Options::default() };
    let store = SqliteStore::open(&home.file(), options).unwrap();
    let mut runs = Vec::new();
    for _ in 0..8 {
        runs.push(begin(&store).await);
    }
    let big = || Commit { drafts: vec![thought(&"x".repeat(60_000))], checkpoint: None, ..Commit::default() };
    let answers: Vec<_> = runs.iter().map(|run| store.commit(*run, Seq(1), big())).collect();
    for (run, answer) in runs.iter().zip(answers) {
        let known = match answer.await {
            Ok(_) => 2,
            Err(problem) => {
                assert_eq!(problem, StoreError::Full { path: home.file() });
                1
            }
        };
        assert_eq!(store.events(*run, Seq::START, 9).await.unwrap().len(), known);
        assert_eq!(store.run(*run).await.unwrap().unwrap().view.seq, Seq(known as u64));
    }
}

#[tokio::test]
async fn a_damaged_checkpoint_is_named_and_the_one_before_is_used() {
    let home = Home::new();
    let store = home.open().unwrap();
    let run = begin(&store).await;
    for (after, checkpoint) in (1..).zip([updates(2), snapshot(3), updates(4), updates(5)]) {
        store
            .commit(run, Seq(after), Commit { drafts: vec![thought("x")], checkpoint, ..Commit::default() })
            .await
            .unwrap();
    }
    drop(store);
    let load = |number: Option<u32>| {
        let store = home.open().unwrap();
        async move {
            let at = number.map_or(At::Latest, At::Number);
            store.load(run, at).await.map(|loaded| loaded.map(|loaded| (loaded.number, loaded.damaged)))
        }
    };
    assert_eq!(load(None).await, Ok(Some((5, vec![]))));
    home.tamper("UPDATE checkpoints SET state = '[9]' WHERE number = 5");
    assert_eq!(load(None).await, Ok(Some((4, vec![5]))));
    home.tamper("UPDATE checkpoints SET position = '{}' WHERE number = 3");
    assert_eq!(load(None).await, Ok(Some((2, vec![3]))));
    assert_eq!(load(Some(1)).await, Ok(Some((1, vec![]))));
    home.tamper("UPDATE checkpoints SET state = '7' WHERE number = 1");
    let message = load(None).await.unwrap_err().to_string();
    assert!(message.contains("its checksum does not fit, and no earlier one is whole"), "{message}");
}

#[tokio::test]
async fn a_changed_event_is_noticed() {
    let home = Home::new();
    let store = home.open().unwrap();
    let run = begin(&store).await;
    drop(store);
    home.tamper("UPDATE events SET body = replace(body, 'a run', 'another')");
    let store = home.open().unwrap();
    let message = store.events(run, Seq::START, 9).await.unwrap_err().to_string();
    assert!(
        message.contains(&format!("event 1 of run {run} is damaged: its checksum does not fit")),
        "{message}"
    );
}

#[tokio::test]
async fn a_damaged_row_is_made_again_from_the_log() {
    for damage in [
        "UPDATE runs SET view = replace(view, 'pending', 'running')",
        "UPDATE runs SET view = '{'",
        "UPDATE runs SET run = replace(run, 'a run', 'another')",
    ] {
        let home = Home::new();
        let store = home.open().unwrap();
        let run = begin(&store).await;
        let whole = store.run(run).await.unwrap();
        drop(store);
        home.tamper(damage);
        let store = home.open().unwrap();
        assert_eq!(store.run(run).await.unwrap(), whole, "{damage}");
        assert_eq!(store.runs(&RunFilter::default()).await.unwrap(), Vec::from_iter(whole), "{damage}");
        store.statuses().await.unwrap();
        let more = Commit { drafts: vec![thought("x")], ..Commit::default() };
        store.commit(run, Seq(1), more).await.unwrap();
    }
}

#[tokio::test]
async fn a_run_that_cannot_be_read_is_named_in_the_list_beside_the_others() {
    let home = Home::new();
    let store = home.open().unwrap();
    let (broken, whole) = (begin(&store).await, begin(&store).await);
    drop(store);
    home.tamper(&format!(
        "UPDATE runs SET view = 'x' WHERE id = x'{}'; UPDATE events SET body = 'x' WHERE cursor = 1",
        broken.0.simple()
    ));
    let store = home.open().unwrap();
    let rows = store.runs(&RunFilter::default()).await.unwrap();
    let shown: Vec<_> = rows.iter().map(|row| (row.run.id, row.view.status)).collect();
    assert_eq!(shown, [(whole, RunStatus::Pending), (broken, RunStatus::Failed)]);
    let failure = rows.last().and_then(|row| row.view.failure.clone()).unwrap();
    assert!(failure.message.contains(&format!("event 1 of run {broken} is damaged")), "{failure:?}");
    assert!(matches!(store.run(broken).await, Err(StoreError::Damaged { .. })));
}

#[tokio::test]
async fn a_changed_effect_is_noticed() {
    let home = Home::new();
    let store = home.open().unwrap();
    let run = begin(&store).await;
    let effect = Effect {
        id: EffectId(SystemClock.new_id()),
        key: "push".to_owned(),
        kind: "git.push".to_owned(),
        target: "origin main".to_owned(),
        content_hash: String::new(),
    };
    let intended = draft(EventKind::Effect(EffectEvent::Intended(effect)));
    store.commit(run, Seq(1), Commit { drafts: vec![intended], ..Commit::default() }).await.unwrap();
    assert_eq!(store.effects(run).await.unwrap().len(), 1);
    drop(store);
    home.tamper("UPDATE effects SET effect = replace(effect, 'origin', 'other')");
    let message = home.open().unwrap().effects(run).await.unwrap_err().to_string();
    assert!(message.contains(&format!("the ledger of run {run} is damaged")), "{message}");
}

#[tokio::test]
async fn cursors_are_never_given_out_twice() {
    let home = Home::new();
    let store = home.open().unwrap();
    let newest = || -> i64 {
        let sql = "SELECT max(cursor) FROM events";
        Connection::open(home.file()).unwrap().query_row(sql, [], |row| row.get(0)).unwrap()
    };
    begin(&store).await;
    let run = begin(&store).await;
    let cancelled = draft(EventKind::Run(RunEvent::Cancelled { by: None }));
    store
        .commit(run, Seq(1), Commit { drafts: vec![cancelled], checkpoint: None, ..Commit::default() })
        .await
        .unwrap();
    let before = newest();
    store.remove(run).await.unwrap();
    begin(&store).await;
    assert_eq!(newest(), before + 1);
}

#[test]
fn the_schema_is_made_from_nothing() {
    let home = Home::new();
    drop(home.open().unwrap());
    let database = Connection::open(home.file()).unwrap();
    let sql = "SELECT group_concat(name, ' ') FROM (SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name)";
    let names: String = database.query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(
        names,
        "checkpoints checkpoints_of_run claims claims_of_run documents effects effects_of_run events events_of_run frames frames_of_run runs runs_unfinished snapshots_of_run versions_of_document"
    );
    let sql = "SELECT 1 FROM pragma_journal_mode WHERE journal_mode = 'wal'";
    assert_eq!(database.query_row(sql, [], |row| row.get::<_, i64>(0)), Ok(1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_state_is_read_as_of_one_moment_while_the_run_goes_on() {
    let home = Home::new();
    let options = Options { durability: Durability::Relaxed, ..Options::default() };
    let store = std::sync::Arc::new(SqliteStore::open(&home.file(), options).unwrap());
    let run = begin(&store).await;
    let writing = {
        let store = std::sync::Arc::clone(&store);
        tokio::spawn(async move {
            for after in 1..3000_u32 {
                let checkpoint = if after % 2 == 0 { updates(after) } else { snapshot(after) };
                let commit = Commit { drafts: vec![thought("x")], checkpoint, ..Commit::default() };
                store.commit(run, Seq(after.into()), commit).await.unwrap();
            }
        })
    };
    while !writing.is_finished() {
        let loaded = store.load(run, At::Latest).await.unwrap().unwrap();
        assert!(loaded.updates.iter().all(|updates| updates.starts_with('[')), "{loaded:?}");
    }
    writing.await.unwrap();
}

#[tokio::test]
async fn a_damaged_checkpoint_that_is_no_text_any_more_is_passed_over() {
    let home = Home::new();
    let store = home.open().unwrap();
    let run = begin(&store).await;
    store
        .commit(
            run,
            Seq(1),
            Commit { drafts: vec![thought("x")], checkpoint: updates(2), ..Commit::default() },
        )
        .await
        .unwrap();
    drop(store);
    home.tamper("UPDATE checkpoints SET state = CAST(x'5bff5d' AS TEXT) WHERE number = 2");
    let store = home.open().unwrap();
    let loaded = store.load(run, At::Latest).await.unwrap().unwrap();
    assert_eq!((loaded.number, loaded.damaged), (1, vec![2]));
}

#[tokio::test]
async fn a_damaged_event_that_is_no_text_any_more_is_named() {
    let home = Home::new();
    let store = home.open().unwrap();
    let run = begin(&store).await;
    drop(store);
    home.tamper("UPDATE events SET body = CAST(x'7bff7d' AS TEXT)");
    let store = home.open().unwrap();
    let problem = store.events(run, Seq::START, 9).await.unwrap_err();
    assert!(matches!(problem, StoreError::Damaged { .. }), "{problem}");
    assert!(problem.to_string().contains(&format!("event 1 of run {run}")), "{problem}");
}

#[tokio::test]
async fn a_checkpoint_whose_columns_were_changed_is_passed_over() {
    for change in ["is_snapshot = 0", "seq = 7", "version = 9", "graph = 'h'", "at = at + 1"] {
        let home = Home::new();
        let store = home.open().unwrap();
        let run = begin(&store).await;
        store
            .commit(
                run,
                Seq(1),
                Commit { drafts: vec![thought("x")], checkpoint: snapshot(2), ..Commit::default() },
            )
            .await
            .unwrap();
        drop(store);
        home.tamper(&format!("UPDATE checkpoints SET {change} WHERE number = 2"));
        let store = home.open().unwrap();
        let loaded = store.load(run, At::Latest).await.unwrap().unwrap();
        assert_eq!((loaded.number, loaded.damaged), (1, vec![2]), "{change}");
    }
}

#[tokio::test]
async fn an_event_that_changed_its_place_is_noticed() {
    let home = Home::new();
    let store = home.open().unwrap();
    let run = begin(&store).await;
    drop(store);
    home.tamper("UPDATE events SET seq = 2");
    let problem = home.open().unwrap().events(run, Seq::START, 9).await.unwrap_err();
    assert!(problem.to_string().contains(&format!("event 2 of run {run} is damaged")), "{problem}");
}

#[tokio::test]
async fn a_closed_store_can_be_opened_again_at_once() {
    let home = Home::new();
    let store = home.open().unwrap();
    let run = begin(&store).await;
    store.close().await.unwrap();
    assert_eq!(store.run(run).await, Err(StoreError::Closed));
    home.open().unwrap();
}

#[tokio::test]
async fn what_is_nested_too_deep_to_be_read_is_not_written() {
    let home = Home::new();
    let store = home.open().unwrap();
    let run = RunId(SystemClock.new_id());
    let deep = (0..126).fold(serde_json::Value::Null, |inner, _| serde_json::Value::Array(vec![inner]));
    // As a client may send it.
    let deep: serde_json::Value = serde_json::from_str(&deep.to_string()).unwrap();
    let spec = RunSpec { input: deep, ..RunSpec::new(GraphName::new("g").unwrap(), "a run") };
    let created = draft(EventKind::Run(RunEvent::Created { spec: Box::new(spec) }));
    let commit = Commit { drafts: vec![created], checkpoint: snapshot(1), ..Commit::default() };
    let answer = store.commit(run, Seq::START, commit).await;
    let read = store.events(run, Seq::START, 9).await;
    assert!(
        matches!(
            (&answer, &read),
            (Ok(_), Ok(_)) | (Err(StoreError::Invalid(_)), Err(StoreError::NotFound(_)))
        ),
        "{answer:?}\n{read:?}"
    );
    store.runs(&RunFilter::default()).await.unwrap();
}

#[tokio::test]
async fn a_refused_change_leaves_nothing_behind() {
    let home = Home::new();
    let store = home.open().unwrap();
    let run = begin(&store).await;
    let half = store.writer.change::<(), _>(|db| {
        db.execute("DELETE FROM events", []).unwrap();
        Err(StoreError::Invalid("refused".to_owned()))
    });
    assert_eq!(half.await, Err(StoreError::Invalid("refused".to_owned())));
    assert_eq!(store.events(run, Seq::START, 9).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_change_that_loses_the_transaction_loses_it_for_the_group() {
    let home = Home::new();
    let store = home.open().unwrap();
    let run = begin(&store).await;
    // Keeps the writer busy, so that the next two come as a group.
    let busy = store.writer.change(|_| {
        std::thread::sleep(std::time::Duration::from_millis(200));
        Ok(())
    });
    let lost = store.writer.change::<(), _>(|db| {
        // As SQLite does by itself when the disk is full.
        db.execute_batch("ROLLBACK").unwrap();
        Err(StoreError::Full { path: PathBuf::new() })
    });
    let later = async {
        tokio::task::yield_now().await;
        store
            .commit(run, Seq(1), Commit { drafts: vec![thought("x")], checkpoint: None, ..Commit::default() })
            .await
    };
    let (_, lost, later) = tokio::join!(busy, lost, later);
    lost.unwrap_err();
    let events = store.events(run, Seq::START, 9).await.unwrap().len();
    assert_eq!((later.is_ok(), events == 2), (later.is_ok(), later.is_ok()), "{later:?}");
}
