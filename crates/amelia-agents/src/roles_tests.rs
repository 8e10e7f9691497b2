use amelia_core::driver::{AgentRequest, DriverError};
use amelia_core::event::{AgentEvent, EventKind};
use serde_json::json;

use super::*;
use crate::role::evaluator::{EvaluationIn, submit_evaluation};
use crate::testing::{Log, NoTools, ScriptedDriver, ScriptedTurn, member, visit};

const DECIDED: &str =
    r#"{"decisions": [{"number": 1, "title": "t", "disposition": "reject", "reason": "r"}]}"#;
const UNDECIDED: &str = r#"{"decisions": []}"#;

/// What comes of a conversation about one comment.
async fn asked(
    script: &Arc<ScriptedDriver>,
    driver: DriverType,
    log: &Arc<Log>,
) -> Result<RoleOutcome<usize>, AgentStop> {
    let brief = Brief { system: "You decide.".to_owned(), word: "Decide.".to_owned(), ..Brief::default() };
    let cx = visit(log).await;
    let hand_in = submit_evaluation(1);
    let outcome =
        member(script, driver).ask_for::<EvaluationIn>(&cx, Arc::new(NoTools), brief, &hand_in).await?;
    Ok(match outcome {
        RoleOutcome::HandedIn(found) => RoleOutcome::HandedIn(found.decisions.len()),
        RoleOutcome::Talked(text) => RoleOutcome::Talked(text),
    })
}

/// The same in words, with all that was said to the agent.
async fn played(turns: Vec<ScriptedTurn>) -> (String, Vec<String>) {
    let script = ScriptedDriver::new(turns);
    let outcome = match asked(&script, DriverType::Api, &Arc::default()).await {
        Ok(RoleOutcome::HandedIn(count)) => format!("handed in {count}"),
        Ok(RoleOutcome::Talked(text)) => format!("talked: {text}"),
        Err(stopped) => format!("stopped: {stopped:?}"),
    };
    (outcome, script.last_words())
}

const NOTHING: &str = "You have not submitted a result. Call the tool `submit_evaluation` now, or answer with its \
                       arguments as JSON and nothing else.";
const MISSING: &str = "Your result was not accepted: comments without a decision: 1. Call the tool `submit_evaluation` \
                       now, or answer with its arguments as JSON and nothing else.";

#[tokio::test]
async fn a_result_is_taken_from_a_call_or_from_json_alone() {
    let fenced: &'static str = Box::leak(format!("```json\n{DECIDED}\n```").into_boxed_str());
    for turn in [
        ScriptedTurn::Calls("submit_evaluation", serde_json::from_str(DECIDED).unwrap()),
        ScriptedTurn::Says(DECIDED),
        ScriptedTurn::Says(fenced),
    ] {
        assert_eq!(played(vec![turn]).await, ("handed in 1".to_owned(), vec!["Decide.".to_owned()]));
    }
}

#[tokio::test]
async fn a_reminder_says_why_the_result_was_not_accepted() {
    let turns =
        vec![ScriptedTurn::Says("I reject it."), ScriptedTurn::Says(UNDECIDED), ScriptedTurn::Says(DECIDED)];
    let (outcome, words) = played(turns).await;
    assert_eq!(
        (outcome.as_str(), words),
        ("handed in 1", ["Decide.", NOTHING, MISSING].map(str::to_owned).into())
    );
}

#[tokio::test]
async fn the_reason_of_a_reminder_is_that_of_the_last_answer() {
    let turns = vec![
        ScriptedTurn::Says(UNDECIDED),
        ScriptedTurn::Says("I do not know."),
        ScriptedTurn::Says(DECIDED),
    ];
    let (outcome, words) = played(turns).await;
    assert_eq!(
        (outcome.as_str(), words),
        ("handed in 1", ["Decide.", MISSING, NOTHING].map(str::to_owned).into())
    );
}

#[tokio::test]
async fn an_agent_that_only_talks_is_reminded_twice() {
    let turns = vec![ScriptedTurn::Says("One."), ScriptedTurn::Says("Two."), ScriptedTurn::Says("Three.")];
    let (outcome, words) = played(turns).await;
    assert_eq!((outcome.as_str(), words.len()), ("talked: Three.", 3));
    let (outcome, words) =
        played(vec![ScriptedTurn::Says("One."), ScriptedTurn::Says("Two."), ScriptedTurn::Says(UNDECIDED)])
            .await;
    assert_eq!((outcome, words.len()), (format!("talked: {UNDECIDED}"), 3));
}

#[tokio::test]
async fn a_call_that_is_refused_is_told_the_place_of_the_mistake() {
    let turns = vec![
        ScriptedTurn::Calls("submit_evaluation", json!({"decisions": [{"number": 1}]})),
        ScriptedTurn::Says(DECIDED),
    ];
    let script = ScriptedDriver::new(turns);
    let log = Arc::default();
    assert!(matches!(asked(&script, DriverType::Api, &log).await, Ok(RoleOutcome::HandedIn(1))));
    let refused = log.events().into_iter().find_map(|event| match event.draft.kind {
        EventKind::Agent(AgentEvent::Returned(result)) => result.error,
        _ => None,
    });
    let reason = "not accepted: decisions[0]: missing field `title`; call submit_evaluation again";
    assert_eq!(refused.as_deref(), Some(reason));
}

#[tokio::test]
async fn a_call_of_an_unknown_tool_is_told_the_tools_of_its_role_too() {
    let script = ScriptedDriver::new([ScriptedTurn::Calls("submit", json!({})), ScriptedTurn::Says(DECIDED)]);
    let log = Arc::default();
    assert!(matches!(asked(&script, DriverType::Api, &log).await, Ok(RoleOutcome::HandedIn(1))));
    let refused = log.events().into_iter().find_map(|event| match event.draft.kind {
        EventKind::Agent(AgentEvent::Returned(result)) => result.error,
        _ => None,
    });
    assert_eq!(refused.as_deref(), Some("there are no tools; there are also: submit_evaluation"));
}

#[tokio::test]
async fn only_a_reminder_to_a_server_asks_for_a_shape() {
    for (driver, shapes) in [(DriverType::Api, [false, true]), (DriverType::Codex, [false, false])] {
        let script = ScriptedDriver::new([ScriptedTurn::Says("One."), ScriptedTurn::Says(DECIDED)]);
        asked(&script, driver, &Arc::default()).await.unwrap();
        let asked: Vec<bool> = script.requests().iter().map(|request| request.answer.is_some()).collect();
        assert_eq!(asked, shapes, "{driver:?}");
    }
}

#[tokio::test]
async fn a_result_that_the_log_has_is_not_asked_for_again() {
    let log = Arc::default();
    let first = ScriptedDriver::new([ScriptedTurn::Calls(
        "submit_evaluation",
        serde_json::from_str(DECIDED).unwrap(),
    )]);
    asked(&first, DriverType::Api, &log).await.unwrap();
    let second = ScriptedDriver::new([]);
    assert!(matches!(asked(&second, DriverType::Api, &log).await, Ok(RoleOutcome::HandedIn(1))));
    assert!(second.requests().is_empty());
}

#[tokio::test]
async fn a_conversation_that_broke_off_continues_with_all_that_was_said() {
    let log = Arc::default();
    let error = DriverError::Setup("no key".to_owned());
    let first = ScriptedDriver::new([ScriptedTurn::Says("Hm."), ScriptedTurn::Fails(error.clone())]);
    assert_eq!(asked(&first, DriverType::Api, &log).await.err(), Some(AgentStop::Driver(error)));
    let second = ScriptedDriver::new([ScriptedTurn::Says("Hm."), ScriptedTurn::Says(DECIDED)]);
    asked(&second, DriverType::Api, &log).await.unwrap();
    let texts =
        |request: &AgentRequest| request.messages.iter().map(|message| message.text()).collect::<Vec<_>>();
    assert_eq!(texts(second.requests().first().unwrap()), ["Decide.", "Hm.", NOTHING]);
}
