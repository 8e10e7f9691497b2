use std::sync::Arc;

use amelia_core::config::agent::DriverType;
use amelia_core::config::profile::Profile;
use amelia_core::driver::DriverError;
use amelia_core::review::Review;
use amelia_core::tracker::Design;
use amelia_graph::state::State;

use super::*;
use crate::role::reviewer::merge;
use crate::testing::place::{FakeWorkplace, deps};
use crate::testing::{
    ScriptedDriver, ScriptedTurn, answered, finding, issue, only, planned, request, task_commit, visit,
    visit_after,
};

#[tokio::test]
async fn a_person_lets_it_continue_accepts_it_or_stops_it() {
    use HumanAction::{Approve, Modify, Reject, TimedOut};
    let (accept, other) = (json!({"accept": true}), json!({"accept": "yes"}));
    let more = |words: Option<&str>| Some(Decision::More(words.map(str::to_owned)));
    for (action, updates, words, decided) in [
        (Approve, None, None, more(None)),
        (Approve, None, Some("try tabs"), more(Some("try tabs"))),
        (Modify, Some(&other), None, more(None)),
        (Approve, Some(&accept), Some("fine"), Some(Decision::Accept)),
        (Modify, Some(&accept), None, Some(Decision::Accept)),
        (Reject, Some(&accept), None, Some(Decision::Stop)),
        (TimedOut, None, None, Some(Decision::Stop)),
    ] {
        let mut given = answered(request(HumanKind::Rounds, json!({"asks": ASKS})), action, words);
        given.reply.updates = updates.cloned();
        let cx = visit_after(&Arc::default(), given).await;
        assert_eq!(decision(&cx, ASKS), decided, "{action:?} {updates:?}");
        assert_eq!(decision(&cx, "something_else"), None, "an answer counts for its own question");
    }
    assert_eq!(decision(&visit(&Arc::default()).await, ASKS), None);
}

#[tokio::test]
async fn what_a_person_says_about_unclear_findings_is_heard_and_silence_has_a_meaning() {
    use HumanAction::{Approve, Reject};
    for (action, words, heard) in [
        (Approve, Some(" It leaks. "), "It leaks."),
        (Reject, Some("It leaks."), "It leaks."),
        (Approve, None, "The unclear findings are right: take them as they stand."),
        (Reject, Some(" "), "The unclear findings are not worth an answer: decide without one."),
    ] {
        let given = answered(request(HumanKind::Question, json!({"asks": "clarify"})), action, words);
        let cx = visit_after(&Arc::default(), given).await;
        let (asked, words) = ("Which one?".to_owned(), heard.to_owned());
        assert_eq!(clarify::clarified(&cx), Some(Update::Clarified { asked, words }));
    }
    let other = answered(request(HumanKind::Question, json!({"asks": ASKS})), Approve, Some("yes"));
    assert_eq!(clarify::clarified(&visit_after(&Arc::default(), other).await), None);
}

#[tokio::test]
async fn used_up_rounds_are_asked_about_with_what_is_open() {
    let cx = visit(&Arc::default()).await;
    let mut state = Implementation::default();
    for (round, items, prompt, open) in [
        (
            1,
            vec![finding("a", Disposition::Implement), finding("b", Disposition::Reject)],
            "1 review round is used up and 1 finding is open: continue, accept it as it is, or stop?",
            json!(["a"]),
        ),
        (
            3,
            vec![finding("a", Disposition::Implement), finding("b", Disposition::Implement)],
            "3 review rounds are used up and 2 findings are open: continue, accept it as it is, or stop?",
            json!(["a", "b"]),
        ),
    ] {
        state.progress.round = round;
        let asked = question(&cx, &state, &Evaluation { items, summary: String::new() });
        assert_eq!((asked.prompt.as_str(), asked.kind), (prompt, HumanKind::Rounds));
        assert_eq!(asked.context, json!({"asks": ASKS, "open": open}));
    }
}

#[test]
fn the_evaluator_sees_the_issue_the_task_and_what_the_person_said() {
    let evaluate = EvaluateNode(deps(&Arc::default(), &ScriptedDriver::new([]), Profile::default()));
    let told = PersonRemark::new("", "I want it so.").into_iter().collect::<Vec<_>>();
    let mut state = Implementation { issue: Some(issue("S-1", "It fails")), ..planned(2, "") };
    let word = evaluate.word(&state, &[ReviewComment::default()], &told, None);
    let places =
        ["The issue:", "It fails", "The task:", "t1", "the task counts", "- I want it so.", "The comments:"]
            .map(|words| word.find(words).unwrap_or_else(|| panic!("`{words}` is missing:\n{word}")));
    assert!(places.is_sorted(), "{word}");
    assert!(!word.contains("the last task"), "{word}");
    (state.task, state.commits) = (1, vec![task_commit("1", None)]);
    let last = evaluate.word(&state, &[ReviewComment::default()], &[], None);
    assert!(last.contains("the last task") && !last.contains("The person you work for"), "{last}");
    state.is_edited = true;
    let edited = evaluate.word(&state, &[ReviewComment::default()], &[], None);
    assert!(!edited.contains("the last task"), "the person left out what the plan leaves out:\n{edited}");
}

#[test]
fn the_evaluator_sees_what_was_made_clear_with_its_question_and_only_once() {
    let evaluate = EvaluateNode(deps(&Arc::default(), &ScriptedDriver::new([]), Profile::default()));
    let mut state = planned(1, "");
    let (asked, words) = ("what do these mean?\n- Zero: where?".to_owned(), "In the sum.".to_owned());
    state.apply(Update::Clarified { asked, words });
    let word = evaluate.word(&state, &[ReviewComment::default()], &state.progress.told, None);
    let said = "was asked:\n\n<untrusted source=\"what they were asked\">\nwhat do these mean?\n- Zero: where?\n\
                </untrusted>\n\nTheir answer is about these, in this order: In the sum.";
    assert!(word.contains(said), "{word}");
    assert_eq!(word.matches("In the sum.").count(), 1, "{word}");
    // Saved by a version that did not keep the question.
    state.progress.clarified = None;
    let word = evaluate.word(&state, &[ReviewComment::default()], &[], None);
    assert!(word.contains("was asked what they mean. Their answer: In the sum."), "{word}");
}

/// The last words to the Evaluator when a person has answered the question of the first try, and where it led.
async fn asked_after_answer(turns: Vec<ScriptedTurn>, words: &str) -> (Vec<String>, Vec<Update>) {
    let (log, script) = (Arc::default(), ScriptedDriver::new(turns));
    let profile = Profile { max_review_rounds: 1, ..Profile::default() };
    let evaluate = EvaluateNode(deps(&Arc::default(), &script, profile));
    let mut state = Implementation { issue: Some(issue("S-1", "It fails")), ..planned(1, "") };
    let comments = vec![ReviewComment { text: "It divides.".to_owned(), ..ReviewComment::default() }];
    state.apply(Update::Reviewed(Review { comments, ..merge(&[]) }));
    let Ok(Outcome::Wait(questions)) = evaluate.run(&visit(&log).await, &state).await else {
        panic!("no stop")
    };
    let before = script.requests().len();
    let cx = visit_after(&log, answered(only(questions), HumanAction::Approve, Some(words))).await;
    let Ok(Outcome::Done(updates)) = evaluate.run(&cx, &state).await else { panic!("it is not done") };
    (script.last_words().split_off(before), updates)
}

fn decided(disposition: &str) -> Value {
    json!({"decisions": [{"number": 1, "title": "t", "disposition": disposition, "reason": "r"}]})
}

#[tokio::test]
async fn an_evaluator_that_stopped_hears_what_the_person_answers() {
    let turns = || ScriptedTurn::Fails(DriverError::Turns { turns: 10 });
    let rejects = || ScriptedTurn::Calls("submit_evaluation", decided("reject"));
    let (said, _) = asked_after_answer(vec![turns(), rejects()], "Read the tests.").await;
    assert_eq!(said, ["Read the tests."]);
    let silent = [ScriptedTurn::Says("Well."), ScriptedTurn::Says("Hm."), ScriptedTurn::Says("Good.")];
    let (said, _) = asked_after_answer(silent.into_iter().chain([rejects()]).collect(), "Decide.").await;
    assert_eq!(said, ["Decide."]);
}

#[tokio::test]
async fn an_evaluation_that_a_person_was_asked_about_is_not_made_again_with_their_answer() {
    let text: &'static str = Box::leak(decided("implement").to_string().into_boxed_str());
    let turns = vec![ScriptedTurn::Says(text), ScriptedTurn::Says(text)];
    let (said, updates) = asked_after_answer(turns, "Only this one.").await;
    assert_eq!(said, [text], "the words are for the Developer");
    assert!(
        updates.contains(&Update::GivenMore { guidance: Some("Only this one.".to_owned()) }),
        "{updates:?}"
    );
}

#[tokio::test]
async fn an_evaluator_without_tools_for_git_is_shown_the_change_and_all_see_the_design() {
    let patch = WorktreeDiff { text: "+the change".to_owned(), ..WorktreeDiff::default() };
    let place = Arc::new(FakeWorkplace { patch, ..FakeWorkplace::default() });
    let word_of = async |driver: DriverType| {
        let mut deps = deps(&place, &ScriptedDriver::new([]), Profile::default());
        Arc::get_mut(&mut deps).unwrap().roles.evaluator.driver_type = driver;
        let mut state = Implementation { issue: Some(issue("S-1", "It fails")), ..planned(1, "") };
        let (content, source) = ("No export to PDF.".to_owned(), "file".to_owned());
        state.wanted.design = Some(Design { content, source, sections: None });
        let evaluate = EvaluateNode(deps);
        let change = evaluate.shown_change(&state).await.unwrap();
        evaluate.word(&state, &[ReviewComment::default()], &[], change.as_ref())
    };
    for (driver, is_shown, is_told) in
        [(DriverType::Acp, true, false), (DriverType::Codex, false, true), (DriverType::Api, false, false)]
    {
        let word = word_of(driver).await;
        assert!(word.contains("the design counts") && word.contains("No export to PDF."), "{word}");
        assert_eq!(word.contains("+the change"), is_shown, "{driver:?}: {word}");
        assert_eq!(word.contains("`git diff "), is_told, "{driver:?}: {word}");
    }
}
