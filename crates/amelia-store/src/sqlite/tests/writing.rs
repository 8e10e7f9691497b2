//! Commits: full disks, groups, refused changes.

use std::sync::Arc;

use amelia_core::view::RunView;

use super::*;

#[tokio::test]
async fn a_full_disk_loses_nothing_that_was_acknowledged() {
    let home = Home::new();
    let options = SqliteOptions { max_pages: Some(40), ..SqliteOptions::default() };
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
    let options = SqliteOptions { max_pages: Some(60), ..SqliteOptions::default() };
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_state_is_read_as_of_one_moment_while_the_run_goes_on() {
    let home = Home::new();
    let options = SqliteOptions { durability: Durability::Relaxed, ..SqliteOptions::default() };
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
        let loaded = store.load(run, CheckpointAt::Latest).await.unwrap().unwrap();
        assert!(loaded.updates.iter().all(|updates| updates.starts_with('[')), "{loaded:?}");
    }
    writing.await.unwrap();
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

/// The row of a run as its log says it is.
async fn assert_row_fits_log(store: &SqliteStore, run: RunId) {
    let mut view = RunView::default();
    store.events(run, Seq::START, 999).await.unwrap().iter().for_each(|event| view.apply(event));
    assert_eq!(store.run(run).await.unwrap().unwrap().view, view);
}

#[tokio::test]
async fn a_commit_that_was_folded_on_a_refused_one_does_not_spoil_the_row() {
    let home = Home::new();
    let store = home.open().unwrap();
    let (other, run) = (begin(&store).await, begin(&store).await);
    let fact = |event: RunEvent| Commit { drafts: vec![draft(EventKind::Run(event))], ..Commit::default() };
    let claim = |commit: Commit| Commit { claims: vec!["checkout /x".to_owned()], ..commit };
    store.commit(other, Seq(1), claim(fact(RunEvent::Queued))).await.unwrap();
    // All are submitted before the first is answered.
    let refused = store.commit(run, Seq(1), claim(fact(RunEvent::Started)));
    let on_top = store.commit(run, Seq(2), fact(RunEvent::Queued));
    let instead = store.commit(run, Seq(1), fact(RunEvent::Queued));
    let next = store.commit(run, Seq(2), fact(RunEvent::Started));
    assert!(matches!(refused.await, Err(StoreError::Claimed { .. })));
    assert!(matches!(on_top.await, Err(StoreError::Conflict { .. })));
    instead.await.unwrap();
    next.await.unwrap();
    assert_row_fits_log(&store, run).await;
    // A document makes the writer forget what it knows of runs.
    let pipelined = store.commit(run, Seq(3), fact(RunEvent::Queued));
    store.change(SystemClock.now(), Vec::new()).await.unwrap();
    pipelined.await.unwrap();
    store.commit(run, Seq(4), fact(RunEvent::Started)).await.unwrap();
    store.commit(run, Seq(5), fact(RunEvent::Cancelled { by: None })).await.unwrap();
    assert_row_fits_log(&store, run).await;
}

/// As many runs as given commit at once, each a few times; every other answer is not waited for.
async fn crowd(store: &Arc<SqliteStore>, runs: usize) {
    let commits = (0..runs).map(|_| {
        let store = Arc::clone(store);
        tokio::spawn(async move {
            let run = begin(&store).await;
            for seq in 1..=40_u64 {
                let commit = Commit { drafts: vec![thought("x")], ..Commit::default() };
                let answer = store.commit(run, Seq(seq), commit);
                if seq % 2 == 0 {
                    answer.await.unwrap();
                }
            }
            assert_eq!(store.events(run, Seq::START, 99).await.unwrap().len(), 41);
            assert_row_fits_log(&store, run).await;
        })
    });
    for commit in commits.collect::<Vec<_>>() {
        commit.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commits_in_place_and_in_groups_are_written_in_the_order_of_their_runs() {
    let home = Home::new();
    let store = Arc::new(home.open().unwrap());
    for runs in [1, 12, 1, 2] {
        crowd(&store, runs).await;
    }
    let run = begin(&store).await;
    store.close().await.unwrap();
    let late = store.commit(run, Seq(1), Commit { drafts: vec![thought("x")], ..Commit::default() });
    assert_eq!(late.await.unwrap_err(), StoreError::Closed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_whose_answer_is_dropped_at_once_is_written() {
    let home = Home::new();
    let store = home.open().unwrap();
    let run = begin(&store).await;
    drop(store.commit(run, Seq(1), Commit { drafts: vec![thought("x")], ..Commit::default() }));
    store.close().await.unwrap();
    drop(store);
    let again = home.open().unwrap();
    assert_eq!(again.events(run, Seq::START, 9).await.unwrap().len(), 2);
}
