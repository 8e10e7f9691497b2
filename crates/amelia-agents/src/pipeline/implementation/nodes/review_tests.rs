use amelia_core::check::CheckResult;
use amelia_core::config::profile::Profile;
use amelia_core::review::Evaluation;

use super::*;
use crate::pipeline::implementation::state::{ImplementationRequest, TaskProgress};
use crate::testing::place::{FakeWorkplace, deps};
use crate::testing::{ScriptedDriver, finding, issue};

fn review_in(place: FakeWorkplace, strategy: ReviewStrategy) -> (ReviewNode, Arc<FakeWorkplace>) {
    let place = Arc::new(place);
    let profile = Profile { strategy, ..Profile::default() };
    (ReviewNode(deps(&place, &ScriptedDriver::new([]), profile)), place)
}

fn changed() -> FakeWorkplace {
    let patch = WorktreeDiff { text: "+a".to_owned(), is_cut: false, files: vec!["a.py".to_owned()] };
    FakeWorkplace { patch, ..FakeWorkplace::default() }
}

#[tokio::test]
async fn everything_but_the_plan_is_reviewed_or_the_patch_that_was_given() {
    let (review, place) = review_in(changed(), ReviewStrategy::Single);
    let with_plan = Implementation { plan_path: "docs/plan.md".to_owned(), ..Implementation::default() };
    assert_eq!(review.patch(&with_plan).await.unwrap().text, "+a");
    assert_eq!(review.patch(&Implementation::default()).await.unwrap().text, "+a");
    assert_eq!(place.done(), ["changes without [\"docs/plan.md\"]", "changes without []"]);
    let wanted =
        ImplementationRequest { patch: Some("+given".to_owned()), ..ImplementationRequest::default() };
    let given = Implementation { wanted, ..Implementation::default() };
    let expected = WorktreeDiff { text: "+given".to_owned(), is_cut: false, files: Vec::new() };
    assert_eq!(review.patch(&given).await.unwrap(), expected);
    let wanted =
        ImplementationRequest { patch: Some("+".repeat(DIFF + 1)), ..ImplementationRequest::default() };
    let long = review.patch(&Implementation { wanted, ..Implementation::default() }).await.unwrap();
    assert_eq!((long.text.len(), long.is_cut), (DIFF, true));
}

#[tokio::test]
async fn nothing_to_review_is_a_failure_only_where_nothing_else_was_asked_for() {
    let (review, _) = review_in(FakeWorkplace::default(), ReviewStrategy::Single);
    let error = review.patch(&Implementation::default()).await.unwrap_err();
    assert_eq!(error.code, "nothing_to_review");
    let of_task = Implementation { issue: Some(issue("S-1", "")), ..Implementation::default() };
    assert_eq!(review.patch(&of_task).await, Ok(WorktreeDiff::default()), "a task may change nothing");
}

#[test]
fn every_persona_is_a_reviewer_of_its_own() {
    let names = |strategy| {
        let (review, _) = review_in(FakeWorkplace::default(), strategy);
        let reviewers = review.reviewers();
        reviewers.into_iter().map(|(persona, member)| (persona, member.name.to_string())).collect::<Vec<_>>()
    };
    assert_eq!(names(ReviewStrategy::Single), [(String::new(), "reviewer".to_owned())]);
    let personas = ["Security", "Speed"].map(|name| AgentName::new(name).unwrap()).to_vec();
    assert_eq!(
        names(ReviewStrategy::Competitive { personas }),
        [("Security", "reviewer (Security)"), ("Speed", "reviewer (Speed)")]
            .map(|(persona, name)| (persona.to_owned(), name.to_owned()))
    );
}

#[test]
fn a_later_round_sees_what_was_to_be_fixed_what_was_answered_and_what_was_unclear() {
    use Disposition::{Clarify, Implement, Reject};
    let items = vec![finding("fixed", Implement), finding("wrong", Reject), finding("vague", Clarify)];
    let checks = vec![CheckResult { command: "./t".to_owned(), passed: true, ..CheckResult::default() }];
    let progress = TaskProgress {
        round: 1,
        checks,
        answered: vec![finding("wrong", Reject)],
        evaluation: Some(Evaluation { items, summary: String::new() }),
        ..TaskProgress::default()
    };
    let state = Implementation { progress, ..Implementation::default() };
    let (review, _) = review_in(changed(), ReviewStrategy::Single);
    let patch = WorktreeDiff { text: "+a".to_owned(), ..WorktreeDiff::default() };
    let word = review.word(&state, &patch, DriverType::Api);
    for words in [
        "This is round 2.",
        "- fixed: issue of fixed",
        "- wrong: reject: reason of wrong",
        "- ./t: passed",
        "1. vague\n   issue of vague\n   Not clear: reason of vague",
        "or listed below as unclear",
    ] {
        assert!(word.contains(words), "`{words}` is missing:\n{word}");
    }
    let first = review.word(&Implementation::default(), &patch, DriverType::Api);
    assert!(!first.contains("This is round") && !first.contains("unclear"), "{first}");
}
