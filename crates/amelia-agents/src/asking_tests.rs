use std::sync::Arc;

use amelia_core::human::HumanAction;

use super::*;
use crate::testing::{self, Log, answered, request, visit, visit_after};

fn me() -> AgentName {
    AgentName::new("me").unwrap()
}

fn asks(args: Value) -> ToolCall {
    testing::call("c1", NAME, args)
}

#[tokio::test]
async fn a_question_keeps_its_call_and_its_options() {
    let log: Arc<Log> = Arc::default();
    let cx = visit(&log).await;
    let call = asks(json!({"question": "  Which port? ", "options": ["80", "8080"]}));
    let question = question(&cx, &me(), &call).unwrap();
    assert_eq!((question.kind, question.prompt.as_str()), (HumanKind::Question, "Which port?"));
    assert_eq!(question.context, json!({"call": "c1", "options": ["80", "8080"]}));
    assert_eq!(question.by, me());
}

#[tokio::test]
async fn a_question_without_words_is_refused_with_an_example() {
    let cx = visit(&Arc::default()).await;
    for args in [json!({}), json!({"question": " \n"}), json!({"question": 7})] {
        let refused = question(&cx, &me(), &asks(args.clone())).unwrap_err();
        assert!(refused.starts_with("`question` is missing: call again"), "{args}: {refused}");
    }
}

#[tokio::test]
async fn the_answer_is_the_result_of_the_call_that_asked() {
    use HumanAction::{Approve, Reject};
    let no = "No. The person gave no other answer: decide yourself, or do without.";
    for (action, words, output) in [
        (Approve, Some(" 8080 "), "8080"),
        (Reject, Some("neither"), "neither"),
        (Approve, None, "Yes."),
        (Approve, Some("  "), "Yes."),
        (Reject, None, no),
    ] {
        let given = answered(request(HumanKind::Question, json!({"call": "c1"})), action, words);
        let cx = visit_after(&Arc::default(), given).await;
        let result = answer(&cx, &asks(json!({}))).unwrap();
        assert_eq!((result.output.as_str(), result.error), (output, None), "{action:?} {words:?}");
        assert_eq!(answer(&cx, &testing::call("c2", NAME, json!({}))), None, "another call");
    }
    assert_eq!(answer(&visit(&Arc::default()).await, &asks(json!({}))), None, "no answer yet");
}

#[test]
fn an_agent_that_has_lost_its_call_is_told_its_question_and_the_answer() {
    let given = answered(request(HumanKind::Question, Value::Null), HumanAction::Approve, Some("8080"));
    let text = "You asked:\n\n<untrusted source=\"your question\">\nWhich one?\n</untrusted>\n\nThe answer is: 8080\n\
                Continue with this answer.";
    assert_eq!(words(&given).as_deref(), Some(text));
    let limit = answered(request(HumanKind::Budget, Value::Null), HumanAction::Approve, Some("8080"));
    assert_eq!(words(&limit), None, "a limit is no question of the agent");
}
