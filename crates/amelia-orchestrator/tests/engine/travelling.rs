//! Any past state can be read, and a new run can begin from it.

use amelia_core::budget::Budget;
use amelia_core::clock::TickingClock;
use amelia_core::event::{EventKind, RunEvent};
use amelia_core::human::HumanKind;
use amelia_core::run::{ForkPoint, RunStatus};
use amelia_graph::editing::StateEdit;
use amelia_graph::engine::Stop;
use amelia_graph::graph::{END, Graph};
use amelia_graph::state::rebuild;
use amelia_graph::travel::{TravelError, fork, read};
use serde_json::json;

use crate::toy::{Notes, Tries, World, asks, works, yes};

fn graph(tries: &Tries) -> Graph<Notes> {
    Graph::builder("toy")
        .entry("plan")
        .node("plan", works(tries))
        .edge("approve")
        .node("approve", asks())
        .edge("develop")
        .node("develop", works(tries))
        .edge(END)
        .build()
        .unwrap()
}

/// A clock whose ids differ from those of the world's.
fn other_clock() -> TickingClock {
    let clock = TickingClock::default();
    for _ in 0..1000 {
        amelia_core::clock::Clock::new_id(&clock);
    }
    clock
}

#[tokio::test]
async fn every_checkpoint_can_be_read() {
    let (world, tries) = (World::new(), Tries::default());
    let run = world.create().await;
    world.go(run, &graph(&tries)).await.unwrap();
    let request = world.pending(run).await.remove(0);
    world.reply(run, &graph(&tries), yes(&request, "ok")).await.unwrap();
    let list = world.store.checkpoints(run).await.unwrap();
    let counts: Vec<(u32, u64, usize)> = {
        let mut counts = Vec::new();
        for info in &list {
            let notes: Notes = rebuild(&read(&*world.store, run, info.number).await.unwrap()).unwrap();
            counts.push((info.number, info.seq.0, notes.0.values().map(Vec::len).sum()));
        }
        counts
    };
    assert_eq!(counts, [(1, 3, 0), (2, 5, 1), (3, 7, 1), (4, 9, 1), (5, 11, 2), (6, 13, 3)]);
    let missing = read(&*world.store, run, 7).await.unwrap_err();
    assert_eq!(missing, TravelError::NoCheckpoint { run, number: 7 });
}

#[tokio::test]
async fn a_fork_goes_on_from_the_past_with_changes_and_its_own_questions() {
    let (world, tries) = (World::new(), Tries::default());
    let graph = graph(&tries);
    let run = world.create().await;
    world.go(run, &graph).await.unwrap();
    let request = world.pending(run).await.remove(0);
    world.reply(run, &graph, yes(&request, "ok")).await.unwrap();
    let before = world.log(run).await;

    let edits = [StateEdit { path: "plan.0".to_owned(), value: json!("another plan") }];
    let from = ForkPoint { run, checkpoint: 3 };
    let forked = fork::<Notes>(&*world.store, &other_clock(), from, &edits).await.unwrap();
    let row = world.store.run(forked).await.unwrap().unwrap();
    assert_eq!(row.view.status, RunStatus::Waiting(HumanKind::Approval));
    assert_eq!(row.run.spec.forked_from, Some(from));
    let [asked] = row.view.pending.try_into().unwrap();
    assert_ne!(asked.id, request.id, "answers to the one never reach the other");

    assert_eq!(world.reply(forked, &graph, yes(&asked, "again")).await, Ok(Stop::Completed));
    let notes = world.notes(forked).await;
    assert_eq!((notes.of("plan"), notes.of("approve")), (vec!["another plan"], vec!["yes again"]));
    assert_eq!((tries.of("plan"), tries.of("develop")), (1, 2));
    assert_eq!(world.log(run).await, before, "the past is not changed");
}

#[tokio::test]
async fn a_fork_begins_with_the_limits_that_a_person_set_for_its_run() {
    let (world, tries) = (World::new(), Tries::default());
    let run = world.create().await;
    world.go(run, &graph(&tries)).await.unwrap();
    let at_rest = world.runs.at_rest(run).await.unwrap().unwrap();
    let budget = Budget { tokens: Some(900), ..Budget::default() };
    let limited = EventKind::Run(RunEvent::Limited { budget });
    world.runs.record(&at_rest, vec![limited]).await.unwrap();
    drop(at_rest);
    let from = ForkPoint { run, checkpoint: 1 };
    let forked = fork::<Notes>(&*world.store, &other_clock(), from, &[]).await.unwrap();
    let row = world.store.run(forked).await.unwrap().unwrap();
    assert_eq!(row.budget(), budget);
}

#[tokio::test]
async fn a_fork_of_a_running_moment_waits_until_it_is_moved() {
    let (world, tries) = (World::new(), Tries::default());
    let graph = graph(&tries);
    let run = world.create().await;
    world.go(run, &graph).await.unwrap();
    let from = ForkPoint { run, checkpoint: 1 };
    let forked = fork::<Notes>(&*world.store, &other_clock(), from, &[]).await.unwrap();
    let view = world.store.run(forked).await.unwrap().unwrap().view;
    assert_eq!((view.status, view.is_wanted()), (RunStatus::Pending, false), "no server starts it by itself");
    assert_eq!(world.go(forked, &graph).await, Ok(Stop::Waiting(HumanKind::Approval)));
    assert_eq!(tries.of("plan"), 2);
}

#[tokio::test]
async fn a_bad_edit_is_refused_and_nothing_is_made() {
    let (world, tries) = (World::new(), Tries::default());
    let run = world.create().await;
    world.go(run, &graph(&tries)).await.unwrap();
    for (path, value, message) in [
        ("plan.9", json!("x"), "`plan.9` cannot be set: the list is shorter than that"),
        ("plan.x", json!("x"), "`plan.x` cannot be set: a list needs a number"),
        ("plans", json!([]), "`plans` cannot be set: there is no such field; there are plan"),
        ("plan.0.deep", json!(1), "`plan.0.deep` cannot be set: it is inside something that has no fields"),
        ("plan", json!(7), "`plan` cannot be set: invalid type: integer `7`, expected a sequence"),
    ] {
        let edits = [StateEdit { path: path.to_owned(), value }];
        let from = ForkPoint { run, checkpoint: 2 };
        let error = fork::<Notes>(&*world.store, &other_clock(), from, &edits).await.unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    assert_eq!(world.store.statuses().await.unwrap().len(), 1);
}

#[tokio::test]
async fn the_end_of_a_run_is_not_forked() {
    let (world, tries) = (World::new(), Tries::default());
    let graph = graph(&tries);
    let run = world.create().await;
    world.go(run, &graph).await.unwrap();
    let request = world.pending(run).await.remove(0);
    world.reply(run, &graph, yes(&request, "ok")).await.unwrap();
    let from = ForkPoint { run, checkpoint: 6 };
    let error = fork::<Notes>(&*world.store, &other_clock(), from, &[]).await.unwrap_err();
    assert_eq!(error, TravelError::AtEnd(6));
}
