use std::sync::Arc;

use amelia_core::config::profile::Profile;
use amelia_core::workplace::WorktreeDiff;
use amelia_graph::state::State;
use serde_json::json;

use super::*;
use crate::pipeline::implementation::nodes::develop::DevelopNode;
use crate::pipeline::implementation::nodes::review::ReviewNode;
use crate::testing::place::{FakeWorkplace, deps};
use crate::testing::{Log, ScriptedDriver, ScriptedTurn, hears, issue, planned, task_commit, visit};

/// A run in the first of two tasks.
fn begun() -> Implementation {
    Implementation { issue: Some(issue("S-1", "It fails")), ..planned(2, "") }
}

fn place() -> Arc<FakeWorkplace> {
    let patch = WorktreeDiff { text: "+a".to_owned(), ..WorktreeDiff::default() };
    Arc::new(FakeWorkplace { patch, ..FakeWorkplace::default() })
}

fn approves() -> ScriptedTurn {
    ScriptedTurn::Calls("submit_review", json!({"approved": true, "severity": "none", "comments": []}))
}

/// Visits a node that has its turn, and applies what it changed.
async fn visited<N: Node<Implementation>>(node: N, log: &Arc<Log>, state: &mut Implementation) {
    let done = Hearing(node).run(&visit(log).await, state).await.unwrap();
    let Outcome::Done(updates) = done else { panic!("{done:?}") };
    updates.into_iter().for_each(|update| state.apply(update));
}

#[tokio::test]
async fn what_the_developer_of_a_task_heard_counts_in_the_next_task() {
    let script = ScriptedDriver::new([ScriptedTurn::Says("done"), ScriptedTurn::Says("done"), approves()]);
    let deps = deps(&place(), &script, Profile::default());
    let (log, mut state) = (Arc::default(), begun());
    hears(&visit(&log).await.thread("task 1"), &deps.roles.developer.name, "No new file.").await;
    visited(DevelopNode(Arc::clone(&deps)), &log, &mut state).await;
    state.apply(Update::GivenMore { guidance: Some("Leave the name.".to_owned()) });
    state.apply(Update::Committed(task_commit("1", None)));
    let saved = serde_json::to_string(&state).unwrap();
    let mut state: Implementation = serde_json::from_str(&saved).unwrap();
    // With a log that has nothing of it, as a fork has.
    visited(DevelopNode(Arc::clone(&deps)), &Arc::default(), &mut state).await;
    visited(ReviewNode(deps), &Arc::default(), &mut state).await;
    let words = script.last_words();
    let said = "- No new file.\n\n- Leave the name.\n  They said this about:\n\n\
                <untrusted source=\"what they were asked\">\nTask 1: t1\n</untrusted>";
    assert!(words[1].contains("has said this about the work") && words[1].contains(said), "{}", words[1]);
    assert!(words[2].contains(said), "{}", words[2]);
}
