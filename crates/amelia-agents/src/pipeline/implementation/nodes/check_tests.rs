use amelia_core::human::HumanAction;
use serde_json::Value;

use super::*;
use crate::pipeline::implementation::state::TaskProgress;
use crate::testing::{answered, request, visit, visit_after};

fn failed(name: &str) -> CheckResult {
    CheckResult { name: name.to_owned(), ..CheckResult::default() }
}

fn conflict(files: &[&str]) -> ConflictedMerge {
    let files = files.iter().map(|file| (*file).to_owned()).collect();
    ConflictedMerge { files, text: "<<<<<<<".to_owned() }
}

#[test]
fn marks_are_looked_for_in_the_files_of_the_conflict_whatever_they_are_called() {
    assert_eq!(marks(&conflict(&[])), None);
    let check = marks(&conflict(&["a b.rs", "it's.rs"])).unwrap();
    assert_eq!(check.name, "conflicts");
    assert_eq!(check.command, "! grep -nE '^(<<<<<<<|>>>>>>>)( |$)' -- 'a b.rs' 'it'\\''s.rs'");
}

/// What is decided about failing checks after the last try.
async fn decided(
    state: &Implementation,
    asks: &str,
    answer: Option<(HumanAction, Value)>,
    check: &str,
) -> String {
    let cx = match answer {
        None => visit(&Arc::default()).await,
        Some((action, updates)) => {
            let mut given = answered(request(HumanKind::Rounds, json!({"asks": asks})), action, Some("w"));
            given.reply.updates = Some(updates);
            visit_after(&Arc::default(), given).await
        }
    };
    let shown = |update: &Update| match update {
        Update::TakenAsItIs { words, .. } => format!("taken {}", words.as_deref().unwrap_or_default()),
        other => format!("{other:?}"),
    };
    match after_last_try(&cx, state, &[failed(check), CheckResult { passed: true, ..failed("lint") }]) {
        Ok(Ok(updates)) => updates.iter().map(shown).collect::<Vec<_>>().join(", "),
        Ok(Err(question)) => format!("asks {}: {}", question.context["asks"], question.prompt),
        Err(error) => format!("{}: {}", error.code, error.problem),
    }
}

#[tokio::test]
async fn checks_that_keep_failing_are_put_to_a_person() {
    let state = Implementation {
        progress: TaskProgress { failed_checks: 2, ..TaskProgress::default() },
        ..Implementation::default()
    };
    let accept = json!({"accept": true});
    for (answer, outcome) in [
        (
            None,
            r#"asks "failing_checks": the check `test` failed 3 times in a row: continue, accept it as it is and have it reviewed, or stop?"#,
        ),
        (Some((HumanAction::Reject, Value::Null)), "checks_failed: a person stopped the run: test fail"),
        (Some((HumanAction::Approve, Value::Null)), r#"GivenMore { guidance: Some("w") }"#),
        (Some((HumanAction::Approve, accept)), "taken w, Accepted"),
    ] {
        assert_eq!(decided(&state, FAILING_CHECKS, answer, "test").await, outcome);
    }
    let other = Some((HumanAction::Approve, Value::Null));
    assert!(
        decided(&state, CONFLICT, other, "test").await.starts_with("asks"),
        "an answer to another question"
    );
}

#[tokio::test]
async fn a_conflict_that_stays_is_given_up_rather_than_accepted() {
    let progress = TaskProgress { conflict: Some(conflict(&["a.rs"])), ..TaskProgress::default() };
    let state = Implementation { progress, ..Implementation::default() };
    let accept = || Some((HumanAction::Approve, json!({"accept": true})));
    let asked = decided(&state, CONFLICT, None, MARKS).await;
    assert!(
        asked.starts_with(r#"asks "merge_conflict": its changes conflict"#) && asked.contains("(a.rs)"),
        "{asked}"
    );
    assert_eq!(decided(&state, CONFLICT, accept(), MARKS).await, "taken w, GivenUp");
    let stopped = decided(&state, CONFLICT, Some((HumanAction::Reject, Value::Null)), MARKS).await;
    assert_eq!(stopped, "merge_conflict: a person stopped the run: conflicts fail");
    // The marks are gone, and only the tests fail: the work as such is there.
    assert_eq!(decided(&state, FAILING_CHECKS, accept(), "test").await, "taken w, Accepted");
}

#[tokio::test]
async fn a_check_whose_program_is_missing_is_a_question_about_the_setup() {
    let missing = CheckResult {
        exit_code: Some(127),
        output: "sh: 1: pytest: not found".to_owned(),
        ..failed("tests")
    };
    let answer =
        |action| answered(request(HumanKind::Rounds, json!({"asks": MISSING_PROGRAM})), action, None);
    let fresh = visit(&Arc::default()).await;
    let question = about_setup(&fresh, std::slice::from_ref(&missing)).unwrap().unwrap();
    assert!(question.prompt.contains("`pytest` is not installed"), "{}", question.prompt);
    assert_eq!(question.context["output"], "sh: 1: pytest: not found");
    // It is asked again as long as it is not there.
    let again = visit_after(&Arc::default(), answer(HumanAction::Approve)).await;
    assert!(about_setup(&again, std::slice::from_ref(&missing)).unwrap().is_some());
    assert_eq!(about_setup(&again, &[failed("tests")]).unwrap(), None);
    let stopped = visit_after(&Arc::default(), answer(HumanAction::Reject)).await;
    assert_eq!(about_setup(&stopped, &[missing]).unwrap_err().code, "checks_failed");
}
