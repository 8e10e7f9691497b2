use amelia_core::check::CheckResult;
use amelia_core::config::profile::Profile;
use amelia_core::driver::DriverError;
use amelia_core::human::HumanAction;
use amelia_core::review::Evaluation;

use super::super::DIFF;
use super::*;
use crate::pipeline::implementation::state::{ImplementationRequest, TaskProgress};
use crate::testing::place::{FakeWorkplace, deps};
use crate::testing::{
    Log, ScriptedDriver, ScriptedTurn, answered, finding, hears, issue, only, planned, task_commit, visit,
    visit_after,
};

fn review_in(place: FakeWorkplace, strategy: ReviewStrategy) -> (ReviewNode, Arc<FakeWorkplace>) {
    let place = Arc::new(place);
    let profile = Profile { strategy, ..Profile::default() };
    (ReviewNode(deps(&place, &ScriptedDriver::new([]), profile)), place)
}

fn changed() -> FakeWorkplace {
    let patch = WorktreeDiff { text: "+a".to_owned(), is_cut: false, files: vec!["a.py".to_owned()] };
    FakeWorkplace { patch, ..FakeWorkplace::default() }
}

fn subject(told: Vec<PersonRemark>) -> ReviewSubject {
    ReviewSubject { patch: WorktreeDiff { text: "+a".to_owned(), ..WorktreeDiff::default() }, told }
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
    let word = review.word(&state, &subject(Vec::new()), DriverType::Api);
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
    let first = review.word(&Implementation::default(), &subject(Vec::new()), DriverType::Api);
    assert!(!first.contains("This is round") && !first.contains("unclear"), "{first}");
}

#[test]
fn only_the_reviewer_of_the_last_task_looks_for_what_no_task_does() {
    let (review, _) = review_in(changed(), ReviewStrategy::Single);
    let is_told = |state: &Implementation| {
        let word = review.word(state, &subject(Vec::new()), DriverType::Api);
        ["This is the last task of the plan", "Later tasks do the rest"].map(|words| word.contains(words))
    };
    let mut state = Implementation { issue: Some(issue("S-1", "It fails")), ..planned(2, "") };
    assert_eq!(is_told(&state), [false, true]);
    // At the same time as the first one, which is not done.
    state.task = 1;
    assert_eq!(is_told(&state), [false, false]);
    state.commits = vec![task_commit("1", None)];
    assert_eq!(is_told(&state), [true, false]);
    // The second one was done ahead of it.
    state.task = 0;
    assert_eq!(is_told(&state), [true, false]);
    let on_purpose = "what it leaves out of the issue is left out on purpose";
    let word = |state: &Implementation| review.word(state, &subject(Vec::new()), DriverType::Api);
    assert!(!word(&state).contains(on_purpose));
    state.is_edited = true;
    assert!(word(&state).contains(on_purpose), "{}", word(&state));
}

#[test]
fn the_last_of_parallel_tasks_is_reviewed_for_what_no_task_covers() {
    use crate::pipeline::implementation::state::lanes::LaneChange;
    let (review, _) = review_in(changed(), ReviewStrategy::Single);
    let mut state = Implementation { issue: Some(issue("S-1", "It fails")), ..planned(2, "") };
    amelia_graph::state::State::apply(&mut state, Update::Lanes(LaneChange::Divided(vec![0, 1])));
    let words = |state: &Implementation| -> Vec<String> {
        let seen = state.lanes.open.values().map(|lane| state.seen_from(lane));
        seen.map(|seen| review.word(&seen, &subject(Vec::new()), DriverType::Api)).collect()
    };
    let rule = "not all in this repository yet:\n\n<untrusted source=\"plan\">\nt1\n</untrusted>\n\n\
                What the issue asks and no task of the plan covers is a finding too";
    let is_told =
        |state: &Implementation| words(state).iter().map(|word| word.contains(rule)).collect::<Vec<_>>();
    assert_eq!(is_told(&state), [false, true], "{:?}", words(&state));
    state.is_edited = true;
    assert_eq!(is_told(&state), [false, false], "what the person's plan leaves out is left out on purpose");
}

#[tokio::test]
async fn the_reviewer_knows_all_that_the_person_said_about_the_task() {
    let log: Arc<Log> = Arc::default();
    let mut state = Implementation { issue: Some(issue("S-1", "It fails")), ..planned(1, "") };
    state.note = Some("Hurry.".to_owned());
    state.plan_remarks = PersonRemark::new("", "CSV only.").into_iter().collect();
    state.progress.told = PersonRemark::new("Open findings:\n1. Zero", "Leave 1.").into_iter().collect();
    let verdict = json!({"approved": true, "severity": "none", "comments": []});
    let script = ScriptedDriver::new([ScriptedTurn::Calls("submit_review", verdict)]);
    let review = ReviewNode(deps(&Arc::new(changed()), &script, Profile::default()));
    let cx = visit(&log).await;
    let roles = &review.0.roles;
    hears(&cx.thread("plan"), &roles.architect.name, "No new file.").await;
    hears(&cx.thread("task 1"), &roles.developer.name, "Use tabs.").await;
    review.run(&visit(&log).await, &state).await.unwrap();
    let word = script.last_words().remove(0);
    let asked = "  They said this about:\n\n<untrusted source=\"what they were asked\">\nOpen findings:\n1. Zero\n\
                 </untrusted>";
    let all = format!(
        "unless the words say otherwise.\n\n- No new file.\n\n- CSV only.\n\n- Hurry.\n\n- Use tabs.\n\n\
         - Leave 1.\n{asked}"
    );
    assert!(word.contains(&all), "{word}");
}

fn looping() -> ScriptedTurn {
    ScriptedTurn::Fails(DriverError::Loop { times: 3, call: "read".to_owned() })
}

/// A verdict without findings.
fn approves() -> ScriptedTurn {
    ScriptedTurn::Calls("submit_review", json!({"approved": true, "severity": "none", "comments": []}))
}

/// What the reviewers of `strategy` are asked when a person has answered the question of the first try with these words:
/// how many messages there are, and the last one.
async fn asked_after_answer(
    strategy: ReviewStrategy,
    turns: Vec<ScriptedTurn>,
    words: Option<&str>,
) -> Vec<(usize, String)> {
    let (log, script) = (Arc::default(), ScriptedDriver::new(turns));
    let profile = Profile { strategy, ..Profile::default() };
    let review = ReviewNode(deps(&Arc::new(changed()), &script, profile));
    let state = Implementation { issue: Some(issue("S-1", "It fails")), ..planned(1, "") };
    let Ok(Outcome::Wait(questions)) = review.run(&visit(&log).await, &state).await else {
        panic!("no stop")
    };
    let before = script.requests().len();
    let cx = visit_after(&log, answered(only(questions), HumanAction::Approve, words)).await;
    let done = review.run(&cx, &state).await.unwrap();
    assert!(matches!(done, Outcome::Done(_)), "{done:?}");
    let asked = script.requests().into_iter().skip(before).map(|request| request.messages);
    asked.map(|all| (all.len(), all.last().map(|last| last.text()).unwrap_or_default())).collect()
}

#[tokio::test]
async fn a_reviewer_that_stopped_hears_what_the_person_answers() {
    let single = || ReviewStrategy::Single;
    let said = asked_after_answer(single(), vec![looping(), approves()], Some("Read the tests.")).await;
    assert_eq!(said, [(2, "Read the tests.".to_owned())]);
    let said = asked_after_answer(single(), vec![looping(), approves()], None).await;
    let go_on = "Continue. If something failed repeatedly, try another approach.";
    assert_eq!(said, [(2, go_on.to_owned())], "without a new word the driver stops again at once");
    let silent = [ScriptedTurn::Says("Well."), ScriptedTurn::Says("Hm."), ScriptedTurn::Says("Good.")];
    let turns = silent.into_iter().chain([approves()]).collect();
    let said = asked_after_answer(single(), turns, Some("Read the tests.")).await;
    assert_eq!(said, [(2, "Read the tests.".to_owned())], "a new conversation");
}

#[tokio::test]
async fn a_reviewer_that_has_come_to_its_end_is_not_disturbed_by_the_answer_to_another() {
    let personas = ["Security", "Speed"].map(|name| AgentName::new(name).unwrap()).to_vec();
    let verdict = r#"{"approved": true, "severity": "none", "comments": []}"#;
    let turns = vec![looping(), ScriptedTurn::Says(verdict), approves(), ScriptedTurn::Says(verdict)];
    let said = asked_after_answer(ReviewStrategy::Competitive { personas }, turns, Some("Be brief.")).await;
    assert_eq!(said, [(2, "Be brief.".to_owned()), (2, verdict.to_owned())]);
}

#[tokio::test]
async fn the_words_with_which_a_person_takes_it_as_it_is_are_kept() {
    let (review, _) = review_in(changed(), ReviewStrategy::Single);
    let mut given =
        answered(question(&visit(&Arc::default()).await), HumanAction::Approve, Some("I want it so."));
    given.reply.updates = Some(json!({"accept": true}));
    let (asked, words) = (given.request.prompt.clone(), given.reply.message.clone());
    let done = review.run(&visit_after(&Arc::default(), given).await, &planned(1, "")).await;
    assert_eq!(done, Ok(Outcome::Done(vec![Update::TakenAsItIs { asked, words }, Update::Accepted])));
}
