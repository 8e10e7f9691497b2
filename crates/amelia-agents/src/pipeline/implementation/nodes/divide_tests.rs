use std::sync::Mutex;

use amelia_core::config::profile::Profile;
use amelia_core::human::{HumanAction, HumanKind};
use amelia_core::workplace::CommitBlocker;
use amelia_graph::state::State;
use serde_json::Value;

use super::*;
use crate::testing::place::{FakeWorkplace, deps};
use crate::testing::{ScriptedDriver, answered, only, planned, request, visit, visit_after};

fn divide(commits: Vec<CommitOutcome>) -> (DivideNode, Arc<FakeWorkplace>) {
    let place = Arc::new(FakeWorkplace { commits: Mutex::new(commits.into()), ..FakeWorkplace::default() });
    let profile = Profile { parallel_tasks: 2, ..Profile::default() };
    (DivideNode(deps(&place, &ScriptedDriver::new([]), profile)), place)
}

#[tokio::test]
async fn parts_are_made_from_a_commit_that_has_the_plan() {
    let (divide, place) = divide(vec![CommitOutcome::Nothing]);
    let outcome = divide.run(&visit(&Arc::default()).await, &planned(3, "")).await.unwrap();
    let Outcome::Done(updates) = outcome else { panic!("it waits") };
    assert_eq!(updates, [Update::Lanes(LaneChange::Divided(vec![0, 1]))], "as many as there are lanes");
    assert_eq!(place.done(), ["commit docs: plan", "branch off task-1", "branch off task-2"]);
}

#[tokio::test]
async fn a_commit_that_is_refused_is_put_to_a_person() {
    let refused = CommitOutcome::Refused { output: "no".to_owned(), by: CommitBlocker::Signature };
    let (divide, place) = divide(vec![refused]);
    let outcome = divide.run(&visit(&Arc::default()).await, &planned(3, "")).await.unwrap();
    let Outcome::Wait(asked) = outcome else { panic!("it does not wait") };
    let asked = only(asked);
    assert!(asked.prompt.starts_with("the commit could not be signed"), "{}", asked.prompt);
    assert_eq!(place.done(), ["commit docs: plan"], "no part is made");
    let no = answered(request(HumanKind::Escalation, Value::Null), HumanAction::Reject, None);
    let error = divide.run(&visit_after(&Arc::default(), no).await, &planned(3, "")).await.err().unwrap();
    assert_eq!(error.code, "commit_refused");
}

#[tokio::test]
async fn a_task_that_did_not_fit_gets_another_part() {
    let mut state = planned(3, "");
    state.apply(Update::Lanes(LaneChange::Divided(vec![0, 1])));
    state.apply(Update::Lanes(LaneChange::Conflicted { lane: 2 }));
    let (divide, place) = divide(Vec::new());
    let outcome = divide.run(&visit(&Arc::default()).await, &state).await.unwrap();
    let Outcome::Done(updates) = outcome else { panic!("it waits") };
    let conflict = ConflictedMerge { files: vec!["a.rs".to_owned()], text: String::new() };
    assert_eq!(updates, [Update::Lanes(LaneChange::Torn { lane: 2, conflict })]);
    assert_eq!(place.done(), ["part task-2", "branch off task-2-again-1"]);
}
