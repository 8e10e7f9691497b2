//! Rows that were damaged or changed from outside.

use amelia_core::event::EventLevel;

use super::*;

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
            let at = number.map_or(CheckpointAt::Latest, CheckpointAt::Number);
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
    assert!(message.contains("its checksum does not match, and no earlier one is whole"), "{message}");
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
        message.contains(&format!("event 1 of run {run} is damaged: its checksum does not match")),
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
    let loaded = store.load(run, CheckpointAt::Latest).await.unwrap().unwrap();
    assert_eq!((loaded.number, loaded.damaged), (1, vec![2]));
    assert_eq!(listed(&store, run).await, [(1, false), (2, true)]);
    // What builds on it cannot be read; a snapshot can.
    for checkpoint in [updates(3), snapshot(4), updates(5)] {
        let seq = store.run(run).await.unwrap().unwrap().view.seq;
        let commit = Commit { drafts: vec![thought("y")], checkpoint, ..Commit::default() };
        store.commit(run, seq, commit).await.unwrap();
    }
    let expected = [(1, false), (2, true), (3, true), (4, false), (5, false)];
    assert_eq!(listed(&store, run).await, expected);
    for (number, is_damaged) in expected {
        let loaded = store.load(run, CheckpointAt::Number(number)).await.unwrap().unwrap();
        assert_eq!(loaded.number != number, is_damaged, "{number}");
    }
}

async fn listed(store: &SqliteStore, run: RunId) -> Vec<(u32, bool)> {
    let all = store.checkpoints(run).await.unwrap();
    all.into_iter().map(|info| (info.number, info.is_damaged)).collect()
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
        let loaded = store.load(run, CheckpointAt::Latest).await.unwrap().unwrap();
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
async fn a_damaged_event_is_shown_as_such_and_hides_no_other() {
    for damage in
        ["body = 'x'", "body = CAST(x'7bff7d' AS TEXT)", "agent = 'No Agent'", "id = x'00'", "at = 'never'"]
    {
        let home = Home::new();
        let store = home.open().unwrap();
        let run = begin(&store).await;
        let more = Commit { drafts: vec![thought("x"), thought("y")], ..Commit::default() };
        store.commit(run, Seq(1), more).await.unwrap();
        let whole = store.events(run, Seq::START, 9).await.unwrap();
        drop(store);
        home.tamper(&format!("UPDATE events SET {damage} WHERE seq = 2"));
        let store = home.open().unwrap();
        assert!(
            store.events(run, Seq::START, 9).await.is_err(),
            "nothing is decided by half a log: {damage}"
        );
        let shown = store.shown_events(run, Seq::START, 9).await.unwrap();
        assert_eq!((&shown[0], &shown[2], shown.len()), (&whole[0], &whole[2], 3), "{damage}");
        assert_eq!(shown[1].seq, Seq(2));
        let message = shown[1].draft.kind.summary();
        assert!(message.contains(&format!("event 2 of run {run} is damaged")), "{damage}: {message}");
        assert_eq!(shown[1].draft.kind.level(), EventLevel::Warning);
    }
}
