use amelia_core::config::profile::Profile;
use amelia_graph::state::State;

use super::*;
use crate::testing::place::{FakeWorkplace, deps};
use crate::testing::{ScriptedDriver, planned, task_commit, visit};

/// Three tasks in three lanes.
fn divided() -> Implementation {
    let mut state = planned(3, "");
    state.apply(Update::Lanes(LaneChange::Divided(vec![0, 1, 2])));
    state
}

async fn merged(merges: Vec<Merged>) -> (Vec<Update>, Vec<String>) {
    let place =
        Arc::new(FakeWorkplace { merges: std::sync::Mutex::new(merges.into()), ..FakeWorkplace::default() });
    let merge = MergeNode(deps(&place, &ScriptedDriver::new([]), Profile::default()));
    let Outcome::Done(updates) = merge.run(&visit(&Arc::default()).await, &divided()).await.unwrap() else {
        panic!("it waits")
    };
    (updates, place.done())
}

fn made(lane: u32, commit: Option<&str>) -> Update {
    let commit = task_commit(&lane.to_string(), commit);
    Update::Lanes(LaneChange::Merged { lane, commit })
}

#[tokio::test]
async fn parts_are_merged_in_the_order_of_the_plan() {
    let of = |commit: &str| Merged::Made { commit: commit.to_owned() };
    let (updates, done) = merged(vec![of("a"), Merged::Nothing, of("c")]).await;
    assert_eq!(updates, [made(1, Some("a")), made(2, None), made(3, Some("c"))]);
    let order: Vec<&str> = done.iter().map(String::as_str).filter(|what| what.starts_with("Merge")).collect();
    assert_eq!(order, ["Merge task 1: t1", "Merge task 2: t2", "Merge task 3: t3"]);
    assert_eq!(done.first().map(String::as_str), Some("part task-1"));
}

#[tokio::test]
async fn parts_behind_a_conflict_wait() {
    let conflict = Merged::Conflict { files: vec!["a.rs".to_owned()] };
    let (updates, done) = merged(vec![Merged::Made { commit: "a".to_owned() }, conflict]).await;
    assert_eq!(updates, [made(1, Some("a")), Update::Lanes(LaneChange::Conflicted { lane: 2 })]);
    assert!(!done.iter().any(|what| what.contains("task 3")), "{done:?}");
}
