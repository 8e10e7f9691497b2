//! The checks, one function per promise.

use amelia_core::claim;
use amelia_core::delivery::OpenedPullRequest;
use amelia_core::effect::{Effect, EffectState};
use amelia_core::event::run::ResumeReason;
use amelia_core::event::{ArtifactEvent, DeliveryEvent, EffectEvent, EventKind, RunEvent};
use amelia_core::id::{EffectId, RunId, Seq};
use amelia_core::recording::{Frame, FrameSource, StoredFrame};
use amelia_core::run::{RunSpec, RunStatus};
use amelia_core::store::{CheckpointAt, Commit, RunFilter, Store, StoreError};
use amelia_core::view::RunView;
use serde_json::json;

use super::ConformanceResult;
use super::sample::{
    State, begun, checkpoint, completed, created, draft, entered, facts, failed, new_run, spec, thought,
};

macro_rules! ensure_eq {
    ($left:expr, $right:expr) => {{
        let (left, right) = ($left, $right);
        if left != right {
            return Err(format!("{} is {left:?}, not {right:?}", stringify!($left)));
        }
    }};
}

fn ok<T>(answer: Result<T, StoreError>) -> Result<T, String> {
    answer.map_err(|error| error.to_string())
}

fn refused<T>(answer: Result<T, StoreError>) -> Result<StoreError, String> {
    answer.err().ok_or_else(|| "it was not refused".to_owned())
}

async fn begin(store: &dyn Store) -> Result<RunId, String> {
    let run = new_run();
    ok(store.commit(run, Seq::START, begun()?).await)?;
    Ok(run)
}

pub(super) async fn log(store: &dyn Store) -> ConformanceResult {
    let run = new_run();
    let mut written = ok(store.commit(run, Seq::START, begun()?).await)?.events;
    let more = facts([entered(1)?, thought("a\u{0}b \u{1F980} \"quoted\"\n")]);
    written.extend(ok(store.commit(run, Seq(2), more).await)?.events);
    let numbers: Vec<u64> = written.iter().map(|event| event.seq.0).collect();
    ensure_eq!(numbers, vec![1, 2, 3, 4]);
    ensure_eq!(ok(store.events(run, Seq::START, 100).await)?, written.clone());
    ensure_eq!(ok(store.events(run, Seq(1), 2).await)?, written.get(1..3).unwrap_or_default().to_vec());
    ensure_eq!(ok(store.events(run, Seq(4), 100).await)?, vec![]);
    ensure_eq!(refused(store.events(new_run(), Seq::START, 1).await)?.to_string().is_empty(), false);
    Ok(())
}

pub(super) async fn frames(store: &dyn Store) -> ConformanceResult {
    let run = begin(store).await?;
    let frame = |body: &str| Frame { channel: "1//me".into(), source: FrameSource::Model, body: body.into() };
    let with = |commit: Commit, bodies: &[&str]| Commit {
        frames: bodies.iter().map(|body| frame(body)).collect(),
        ..commit
    };
    ensure_eq!(ok(store.frames(run).await)?, vec![]);
    ok(store.commit(run, Seq(2), with(facts([entered(1)?]), &["a", "b"])).await)?;
    refused(store.commit(run, Seq(2), with(facts([entered(1)?]), &["lost"])).await)?;
    // What came from outside needs no fact of its own.
    ok(store.commit(run, Seq(3), with(Commit::default(), &["c"])).await)?;
    let written = |after, end, body| StoredFrame { after: Seq(after), end: Seq(end), frame: frame(body) };
    let kept = vec![written(2, 3, "a"), written(2, 3, "b"), written(3, 3, "c")];
    ensure_eq!(ok(store.frames(run).await)?, kept);
    ok(store.commit(run, Seq(3), facts([completed()])).await)?;
    ok(store.remove(run).await)?;
    refused(store.frames(run).await)?;
    Ok(())
}

pub(super) async fn feed(store: &dyn Store) -> ConformanceResult {
    let all = ok(store.feed(0, 100_000).await)?;
    let start = all.last().map_or(0, |(cursor, _)| *cursor);
    ensure_eq!(ok(store.end().await)?, start);
    let (one, two) = (begin(store).await?, begin(store).await?);
    ok(store.commit(one, Seq(2), facts([entered(1)?])).await)?;
    let fed = ok(store.feed(start, 4).await)?;
    let places: Vec<(RunId, u64)> = fed.iter().map(|(_, event)| (event.run, event.seq.0)).collect();
    ensure_eq!(places, vec![(one, 1), (one, 2), (two, 1), (two, 2)]);
    ensure_eq!(fed.windows(2).all(|pair| matches!(pair, [(a, _), (b, _)] if a < b)), true);
    let last = fed.last().map_or(0, |(cursor, _)| *cursor);
    let rest = ok(store.feed(last, 10).await)?;
    ensure_eq!(rest.iter().map(|(_, event)| (event.run, event.seq.0)).collect::<Vec<_>>(), vec![(one, 3)]);
    ensure_eq!(
        rest.into_iter().map(|(_, event)| event).collect::<Vec<_>>(),
        ok(store.events(one, Seq(2), 10).await)?
    );
    Ok(())
}

pub(super) async fn conflict(store: &dyn Store) -> ConformanceResult {
    let run = begin(store).await?;
    for after in [Seq::START, Seq(1), Seq(3)] {
        let error = refused(store.commit(run, after, facts([entered(1)?])).await)?;
        ensure_eq!(error, StoreError::Conflict { run, expected: after, found: Seq(2) });
    }
    ensure_eq!(ok(store.events(run, Seq::START, 9).await)?.len(), 2);
    ok(store.commit(run, Seq(2), facts([entered(1)?])).await)?;
    Ok(())
}

pub(super) async fn refusals(store: &dyn Store) -> ConformanceResult {
    let run = new_run();
    let updates = Commit { checkpoint: Some(checkpoint(0, &State::Updates(json!([])))?), ..begun()? };
    for commit in [
        Commit::default(),
        facts([EventKind::Run(RunEvent::Started)]),
        facts([created(spec()?), created(spec()?)]),
        updates,
    ] {
        refused(store.commit(run, Seq::START, commit).await)?;
        ensure_eq!(ok(store.run(run).await)?, None);
    }
    ok(store.commit(run, Seq::START, begun()?).await)?;
    refused(store.commit(run, Seq(2), facts([created(spec()?)])).await)?;
    refused(store.commit(run, Seq(2), Commit::default()).await)?;
    ensure_eq!(ok(store.run(run).await)?.map(|row| row.view.seq), Some(Seq(2)));
    Ok(())
}

pub(super) async fn fold(store: &dyn Store) -> ConformanceResult {
    let run = begin(store).await?;
    ok(store.commit(run, Seq(2), facts([entered(1)?, thought("hm")])).await)?;
    let mut view = RunView::default();
    for event in ok(store.events(run, Seq::START, 9).await)? {
        view.apply(&event);
    }
    let row = ok(store.run(run).await)?.ok_or("the run is not there")?;
    ensure_eq!(row.view, view);
    ensure_eq!(row.run.spec, spec()?);
    ensure_eq!(row.run.id, run);
    Ok(())
}

pub(super) async fn states(store: &dyn Store) -> ConformanceResult {
    let run = begin(store).await?;
    ensure_eq!(ok(store.load(run, CheckpointAt::Latest).await)?.is_none(), true);
    let states = [
        State::Snapshot(json!({"n": 0})),
        State::Updates(json!([1])),
        State::Updates(json!([])),
        State::Snapshot(json!({"n": 3})),
        State::Updates(json!([4, 5])),
    ];
    for (number, state) in (1..).zip(&states) {
        let commit = Commit {
            drafts: vec![draft(entered(number)?)],
            checkpoint: Some(checkpoint(number, state)?),
            ..Commit::default()
        };
        let committed = ok(store.commit(run, Seq(u64::from(number) + 1), commit).await)?;
        ensure_eq!(committed.checkpoint, Some(number));
    }
    for (at, number, snapshot, updates) in [
        (CheckpointAt::Number(1), 1, "{\"n\":0}", vec![]),
        (CheckpointAt::Number(3), 3, "{\"n\":0}", vec!["[1]", "[]"]),
        (CheckpointAt::Number(4), 4, "{\"n\":3}", vec![]),
        (CheckpointAt::Latest, 5, "{\"n\":3}", vec!["[4,5]"]),
    ] {
        let loaded = ok(store.load(run, at).await)?.ok_or("nothing is there")?;
        ensure_eq!(loaded.number, number);
        ensure_eq!(loaded.seq, Seq(u64::from(number) + 2));
        ensure_eq!(loaded.position.steps.0, number);
        ensure_eq!(loaded.snapshot.as_str(), snapshot);
        ensure_eq!(loaded.updates.iter().map(String::as_str).collect::<Vec<_>>(), updates);
        ensure_eq!((loaded.graph.as_str(), loaded.version), ("sample", 7));
    }
    let list = ok(store.checkpoints(run).await)?;
    let shape: Vec<_> = list.iter().map(|info| (info.number, info.is_snapshot, info.bytes)).collect();
    ensure_eq!(shape, vec![(1, true, 7), (2, false, 3), (3, false, 2), (4, true, 7), (5, false, 5)]);
    ensure_eq!(ok(store.load(run, CheckpointAt::Number(0)).await)?.is_none(), true);
    Ok(())
}

pub(super) async fn keys(store: &dyn Store) -> ConformanceResult {
    let key = format!("key-{}", new_run());
    let keyed = RunSpec { idempotency_key: Some(key.clone()), ..spec()? };
    let (first, second) = (new_run(), new_run());
    ok(store.commit(first, Seq::START, facts([created(keyed.clone())])).await)?;
    let error = refused(store.commit(second, Seq::START, facts([created(keyed)])).await)?;
    ensure_eq!(error, StoreError::Duplicate { key, existing: first });
    ensure_eq!(ok(store.run(second).await)?, None);
    Ok(())
}

pub(super) async fn claims(store: &dyn Store) -> ConformanceResult {
    let name = format!("checkout {}", new_run());
    let claiming = |commit: Commit| Commit { claims: vec![name.clone()], ..commit };
    let (first, second) = (new_run(), new_run());
    ok(store.commit(first, Seq::START, claiming(begun()?)).await)?;
    let error = refused(store.commit(second, Seq::START, claiming(begun()?)).await)?;
    ensure_eq!(error, StoreError::Claimed { name: name.clone(), by: first });
    ensure_eq!(ok(store.run(second).await)?, None);
    ok(store.commit(first, Seq(2), claiming(facts([entered(1)?]))).await)?;
    ok(store.commit(first, Seq(3), facts([failed()])).await)?;
    ok(store.commit(second, Seq::START, claiming(begun()?)).await)?;
    let queued = || facts([EventKind::Run(RunEvent::Queued)]);
    let error = refused(store.commit(first, Seq(4), claiming(queued())).await)?;
    ensure_eq!(error, StoreError::Claimed { name: name.clone(), by: second });
    ok(store.commit(second, Seq(2), facts([completed()])).await)?;
    ok(store.commit(first, Seq(4), claiming(queued())).await)?;
    colliding_claims(store).await
}

async fn colliding_claims(store: &dyn Store) -> ConformanceResult {
    let repository = std::path::PathBuf::from(format!("/{}", new_run()));
    let branch = |name: &str| claim::branch(&repository, name);
    let claiming = |name: &str| Ok::<_, String>(Commit { claims: vec![branch(name)], ..begun()? });
    let first = new_run();
    ok(store.commit(first, Seq::START, claiming("feat/x")?).await)?;
    for name in ["feat", "feat/x/y"] {
        let error = refused(store.commit(new_run(), Seq::START, claiming(name)?).await)?;
        let taken = claim::collision(&branch(name), &branch("feat/x")).unwrap_or_default();
        ensure_eq!(error, StoreError::Claimed { name: taken, by: first });
    }
    ok(store.commit(new_run(), Seq::START, claiming("feat/y")?).await)?;
    Ok(())
}

fn archived() -> EventKind {
    EventKind::Run(RunEvent::Archived { is_archived: true })
}

fn opened() -> EventKind {
    EventKind::Delivery(DeliveryEvent::PullRequestOpened(OpenedPullRequest {
        number: 7,
        url: "https://example.org/7".to_owned(),
        branch: "work".to_owned(),
        base: None,
        is_draft: false,
    }))
}

pub(super) async fn endings(store: &dyn Store) -> ConformanceResult {
    let cancelled = EventKind::Run(RunEvent::Cancelled { by: None });
    for end in [completed(), cancelled] {
        let run = begin(store).await?;
        ok(store.commit(run, Seq(2), facts([end])).await)?;
        let error = refused(store.commit(run, Seq(3), facts([entered(1)?])).await)?;
        ensure_eq!(error, StoreError::Ended(run));
        // Where its change has gone may still be said, and that it is archived, and nothing besides.
        let mixed = refused(store.commit(run, Seq(3), facts([opened(), entered(1)?])).await)?;
        ensure_eq!(mixed, StoreError::Ended(run));
        ok(store.commit(run, Seq(3), facts([opened()])).await)?;
        let row = ok(store.run(run).await)?;
        ensure_eq!(row.and_then(|row| row.view.pull_request).map(|opened| opened.number), Some(7));
        ok(store.commit(run, Seq(4), facts([archived()])).await)?;
        ensure_eq!(ok(store.run(run).await)?.map(|row| row.view.is_archived), Some(true));
        // An artifact may be restored or removed.
        let artifact = EventKind::Artifact(ArtifactEvent::Deleted { uri: "file://artifacts/a".to_owned() });
        ok(store.commit(run, Seq(5), facts([artifact])).await)?;
    }
    let run = begin(store).await?;
    ok(store.commit(run, Seq(2), facts([failed(), archived()])).await)?;
    ensure_eq!(ok(store.run(run).await)?.map(|row| row.view.status), Some(RunStatus::Failed));
    let resumed = EventKind::Run(RunEvent::Resumed { reason: ResumeReason::Retried });
    ok(store.commit(run, Seq(4), facts([resumed])).await)?;
    let row = ok(store.run(run).await)?;
    ensure_eq!(row.map(|row| (row.view.status, row.view.is_archived)), Some((RunStatus::Running, false)));
    Ok(())
}

pub(super) async fn order(store: &dyn Store) -> ConformanceResult {
    let run = begin(store).await?;
    let dropped = store.commit(run, Seq(2), facts([entered(1)?]));
    drop(dropped);
    let answers: Vec<_> = (2..20_u32)
        .map(|step| Ok(store.commit(run, Seq(u64::from(step) + 1), facts([entered(step)?]))))
        .collect::<Result<_, String>>()?;
    for answer in answers {
        ok(answer.await)?;
    }
    ensure_eq!(ok(store.events(run, Seq::START, 99).await)?.len(), 21);
    Ok(())
}

pub(super) async fn lists(store: &dyn Store) -> ConformanceResult {
    let mut runs = Vec::new();
    for _ in 0..4 {
        runs.push(begin(store).await?);
    }
    let [a, b, c, d] = runs.as_slice() else { return Err("four runs were begun".to_owned()) };
    ok(store.commit(*b, Seq(2), facts([completed()])).await)?;
    let ids = |rows: Vec<amelia_core::view::RunRow>| -> Vec<RunId> {
        rows.into_iter().map(|row| row.run.id).collect()
    };
    let newest = RunFilter { limit: 3, ..RunFilter::default() };
    ensure_eq!(ids(ok(store.runs(&newest).await)?), vec![*d, *c, *b]);
    let unfinished = RunFilter { unfinished: true, limit: 3, ..RunFilter::default() };
    ensure_eq!(ids(ok(store.runs(&unfinished).await)?), vec![*d, *c, *a]);
    let older = RunFilter { before: Some(*c), limit: 2, ..RunFilter::default() };
    ensure_eq!(ids(ok(store.runs(&older).await)?), vec![*b, *a]);
    let older = RunFilter { unfinished: true, before: Some(*c), limit: 1 };
    ensure_eq!(ids(ok(store.runs(&older).await)?), vec![*a]);
    let statuses = ok(store.statuses().await)?;
    let mine: Vec<_> = statuses.into_iter().filter(|(run, _)| runs.contains(run)).collect();
    let (running, done) = (RunStatus::Running, RunStatus::Completed);
    ensure_eq!(mine, vec![(*a, running), (*b, done), (*c, running), (*d, running)]);
    Ok(())
}

pub(super) async fn ledger(store: &dyn Store) -> ConformanceResult {
    let run = begin(store).await?;
    let effect = |key: &str| Effect {
        id: EffectId(new_run().0),
        key: key.to_owned(),
        kind: "sample.note".to_owned(),
        target: "somewhere".to_owned(),
        content_hash: "sha256:00".to_owned(),
    };
    let (first, second) = (effect("first"), effect("second"));
    let fact = |event: EffectEvent| EventKind::Effect(event);
    let never = fact(EffectEvent::Done { effect: first.id, receipt: json!(1) });
    refused(store.commit(run, Seq(2), facts([never])).await)?;
    ensure_eq!(ok(store.run(run).await)?.map(|row| row.view.seq), Some(Seq(2)));
    let both = [EffectEvent::Intended(first.clone()), EffectEvent::Intended(second.clone())];
    ok(store.commit(run, Seq(2), facts(both.map(fact))).await)?;
    let done = fact(EffectEvent::Done { effect: first.id, receipt: json!({"url": "u"}) });
    let doubted = fact(EffectEvent::Doubted { effect: second.id, why: "no answer".to_owned() });
    ok(store.commit(run, Seq(4), facts([done, doubted])).await)?;
    let entries = ok(store.effects(run).await)?;
    let shape: Vec<_> = entries.into_iter().map(|entry| (entry.effect, entry.state)).collect();
    ensure_eq!(
        shape,
        vec![
            (first, EffectState::Done { receipt: json!({"url": "u"}) }),
            (second, EffectState::Unknown { why: "no answer".to_owned() }),
        ]
    );
    Ok(())
}

pub(super) async fn retention(store: &dyn Store) -> ConformanceResult {
    let run = begin(store).await?;
    ensure_eq!(refused(store.remove(run).await)?, StoreError::NotEnded(run));
    ensure_eq!(refused(store.trim(run, 0).await)?, StoreError::NotEnded(run));
    let more = facts([thought("1"), thought("2"), thought("3"), entered(1)?, completed()]);
    ok(store.commit(run, Seq(2), more).await)?;
    ensure_eq!(ok(store.trim(run, 6).await)?, 1);
    let left: Vec<u64> =
        ok(store.events(run, Seq::START, 99).await)?.iter().map(|event| event.seq.0).collect();
    ensure_eq!(left, vec![1, 2, 4, 5, 6, 7]);
    ensure_eq!(ok(store.trim(run, 0).await)?, 2);
    ok(store.remove(run).await)?;
    ensure_eq!(ok(store.run(run).await)?, None);
    ensure_eq!(refused(store.remove(run).await)?, StoreError::NotFound(run));
    let after = begin(store).await?;
    ensure_eq!(ok(store.events(after, Seq::START, 9).await)?.len(), 2);

    // It may be retried, and then it needs its journal.
    ok(store.commit(after, Seq(2), facts([thought("1"), failed()])).await)?;
    ensure_eq!(refused(store.trim(after, 0).await)?, StoreError::NotEnded(after));
    ok(store.remove(after).await)?;
    Ok(())
}

pub(super) async fn numbers(store: &dyn Store) -> ConformanceResult {
    let number = async |run| Ok::<_, String>(ok(store.run(run).await)?.map_or(0, |row| row.run.number.0));
    let (first, second) = (begin(store).await?, begin(store).await?);
    let counted = number(first).await?;
    ensure_eq!(number(second).await?, counted + 1);
    let listed = ok(store.runs(&RunFilter { limit: 2, ..RunFilter::default() }).await)?;
    ensure_eq!(listed.iter().map(|row| row.run.number.0).collect::<Vec<_>>(), vec![counted + 1, counted]);
    ok(store.commit(second, Seq(2), facts([completed()])).await)?;
    ok(store.remove(second).await)?;
    let third = begin(store).await?;
    ensure_eq!(number(third).await?, counted + 2);
    Ok(())
}

pub(super) async fn crowd(store: &dyn Store) -> ConformanceResult {
    let mut runs = Vec::new();
    for _ in 0..30 {
        runs.push(begin(store).await?);
    }
    for step in 1..20_u32 {
        let mut answers = Vec::new();
        for run in &runs {
            // A refused request in the middle of a group must not disturb its neighbours.
            answers.push((true, store.commit(*run, Seq(u64::from(step) + 1), facts([entered(step)?]))));
            answers.push((false, store.commit(*run, Seq(999), facts([entered(step)?]))));
        }
        for (is_good, answer) in answers {
            ensure_eq!(answer.await.is_ok(), is_good);
        }
    }
    for run in runs {
        ensure_eq!(ok(store.events(run, Seq::START, 99).await)?.len(), 21);
    }
    Ok(())
}

pub(super) async fn closing(store: &dyn Store) -> ConformanceResult {
    ok(store.close().await)?;
    let error = refused(store.commit(new_run(), Seq::START, begun()?).await)?;
    ensure_eq!(error, StoreError::Closed);
    ensure_eq!(refused(store.statuses().await)?, StoreError::Closed);
    ensure_eq!(refused(store.close().await)?, StoreError::Closed);
    Ok(())
}
