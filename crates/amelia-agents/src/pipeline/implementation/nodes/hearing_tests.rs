use std::sync::Arc;

use amelia_core::config::profile::Profile;
use amelia_core::id::AgentName;
use amelia_core::run::Domain;
use amelia_core::workplace::WorktreeDiff;
use amelia_graph::state::State;
use serde_json::json;

use super::*;
use crate::pipeline::implementation::nodes::develop::DevelopNode;
use crate::pipeline::implementation::nodes::evaluate::EvaluateNode;
use crate::pipeline::implementation::nodes::review::ReviewNode;
use crate::testing::place::{FakeWorkplace, deps};
use crate::testing::{
    Log, ScriptedDriver, ScriptedTurn, hears, issue, later_visit, planned, task_commit, visit,
};

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
async fn visited<N: Node<Implementation>>(node: N, cx: NodeCx, state: &mut Implementation) {
    let done = Hearing(node).run(&cx, state).await.unwrap();
    let Outcome::Done(updates) = done else { panic!("{done:?}") };
    // What was noted is written with the end of a visit.
    cx.record(Vec::new()).await.unwrap();
    updates.into_iter().for_each(|update| state.apply(update));
}

#[tokio::test]
async fn what_the_developer_of_a_task_heard_counts_in_the_next_task() {
    let script = ScriptedDriver::new([ScriptedTurn::Says("done"), ScriptedTurn::Says("done"), approves()]);
    let deps = deps(&place(), &script, Profile::default());
    let (log, mut state): (Arc<Log>, _) = (Arc::default(), begun());
    hears(&visit(&log).await.thread("task 1"), &deps.roles.developer.name, "No new file.").await;
    visited(DevelopNode(Arc::clone(&deps)), visit(&log).await, &mut state).await;
    state.apply(Update::GivenMore { guidance: Some("Leave the name.".to_owned()) });
    state.apply(Update::Committed(task_commit("1", None)));
    let saved = serde_json::to_string(&state).unwrap();
    let mut state: Implementation = serde_json::from_str(&saved).unwrap();
    // With a log that has nothing of it, as a fork has.
    visited(DevelopNode(Arc::clone(&deps)), visit(&Arc::default()).await, &mut state).await;
    visited(ReviewNode(deps), visit(&Arc::default()).await, &mut state).await;
    let words = script.last_words();
    let said = "- No new file. (said during task 1)\n\n- Leave the name.\n  They said this about:\n\n\
                <untrusted source=\"what they were asked\">\nTask 1: t1\n</untrusted>";
    assert!(words[1].contains("has said this about the work") && words[1].contains(said), "{}", words[1]);
    assert!(words[2].contains(said), "{}", words[2]);
}

#[tokio::test]
async fn what_another_agent_heard_is_passed_on_once_to_those_who_come_later() {
    let finds = json!({"approved": false, "severity": "major", "comments": [{"text": "It divides."}]});
    let decides =
        json!({"decisions": [{"number": 1, "title": "Zero", "disposition": "implement", "reason": "r"}]});
    let hears_and = |words, turn| ScriptedTurn::Hears(words, Box::new(turn));
    let script = ScriptedDriver::new([
        ScriptedTurn::Says("done"),
        hears_and("Use tabs.", ScriptedTurn::Calls("submit_review", finds)),
        ScriptedTurn::Calls("submit_evaluation", decides),
        hears_and("Be brief.", ScriptedTurn::Says("done")),
        ScriptedTurn::Says("done"),
        approves(),
    ]);
    let deps = deps(&place(), &script, Profile::default());
    let (log, mut state): (Arc<Log>, _) = (Arc::default(), begun());
    visited(DevelopNode(Arc::clone(&deps)), later_visit(&log, 1).await, &mut state).await;
    let cx = later_visit(&log, 2).await;
    let oracle = AgentName::new("oracle").unwrap();
    hears(&cx.child("call-1", Domain::Oracle), &oracle, "Mind the sum.").await;
    visited(ReviewNode(Arc::clone(&deps)), cx, &mut state).await;
    visited(EvaluateNode(Arc::clone(&deps)), later_visit(&log, 3).await, &mut state).await;
    for number in [4, 5] {
        visited(DevelopNode(Arc::clone(&deps)), later_visit(&log, number).await, &mut state).await;
    }
    visited(ReviewNode(Arc::clone(&deps)), later_visit(&log, 6).await, &mut state).await;
    let words = script.last_words();
    let said = ["- Mind the sum.", "- Use tabs.", "- Be brief."];
    let told: Vec<_> = words.iter().map(|word| said.map(|words| word.matches(words).count())).collect();
    let [developer, first_review] = [[0, 0, 0], [1, 0, 0]];
    let [evaluator, with_findings, once_more, last_review] = [[1, 1, 0], [1, 1, 0], [0, 0, 0], [1, 1, 1]];
    let expected = [developer, first_review, evaluator, with_findings, once_more, last_review];
    assert_eq!(told, expected, "{words:?}");
    assert!(words[3].contains("has also said this, to other agents of this run."), "{}", words[3]);
}
