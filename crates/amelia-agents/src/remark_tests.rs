use std::sync::Arc;

use amelia_core::human::{HumanAction, HumanKind};
use amelia_core::id::AgentName;
use amelia_core::message::{Object, Part, TextPart};
use amelia_core::tool::ToolResult;
use serde_json::json;

use super::*;
use crate::conversation;
use crate::testing::{self, answered, message, request, visit_after};

fn me() -> AgentName {
    AgentName::new("me").unwrap()
}

fn said(role: Role, text: &str, metadata: &[(&str, &str)]) -> Message {
    let metadata: Object = metadata.iter().map(|(key, value)| ((*key).to_owned(), json!(value))).collect();
    Message { metadata, ..message(role, &me(), 1, vec![Part::Text(TextPart::new(text))]) }
}

fn remark(id: &str, asked: &str, words: &str) -> PersonRemark {
    PersonRemark { id: id.to_owned(), asked: asked.to_owned(), words: words.to_owned(), place: String::new() }
}

#[test]
fn only_what_the_person_said_counts_in_the_order_in_which_they_said_it() {
    let ask = testing::call("c1", "ask_human", json!({"question": " Tabs? "}));
    let lost = testing::call("c2", "ask_human", json!({"question": "Really?"}));
    let look = testing::call("c3", "shell", json!({"question": "no"}));
    let result = |call, output: &str| {
        let (output, error) = (output.to_owned(), None);
        Part::ToolResult(ToolResult { output, error, ..ToolResult::interrupted(call) })
    };
    let results =
        vec![result(&look, "a file"), result(&ask, "Yes."), Part::ToolResult(ToolResult::interrupted(&lost))];
    let calls = [look, ask, lost].map(Part::ToolCall).to_vec();
    let conversation = [
        said(Role::User, "the task", &[("opens_step", "1")]),
        said(Role::User, "Hurry.", &[(HEARD, "1")]),
        message(Role::Assistant, &me(), 2, calls),
        message(Role::Tool, &me(), 3, results),
        said(Role::User, "Continue.", &[("answer_to", "1")]),
        said(
            Role::User,
            "You asked: …",
            &[("answer_to", "2"), (PERSON_ASKED, "Which?"), (PERSON_SAID, "Mine.")],
        ),
        said(Role::Assistant, "done", &[]),
    ];
    let results_id = format!("{} 1", conversation[3].id.0);
    assert_eq!(
        remarks(&conversation),
        [remark("1", "", "Hurry."), remark(&results_id, "Tabs?", "Yes."), remark("2", "Which?", "Mine.")]
    );
}

#[tokio::test]
async fn an_answer_that_an_agent_is_told_in_words_is_kept_in_the_words_of_the_person() {
    use HumanAction::{Approve, Reject};
    use HumanKind::{Budget, Question};
    let remark = |words| remark(&request(Budget, Value::Null).id.to_string(), "Which one?", words);
    for (kind, action, words, found) in [
        (Question, Approve, Some("8080"), vec![remark("8080")]),
        (Question, Approve, None, vec![remark("Yes.")]),
        (Budget, Approve, Some("Be brief."), vec![remark("Be brief.")]),
        (Budget, Approve, None, vec![]),
        (HumanKind::Approval, Reject, Some("Not there."), vec![remark("Not there.")]),
    ] {
        let cx = visit_after(&Arc::default(), answered(request(kind, Value::Null), action, words)).await;
        let opening = conversation::from_user(&cx, &me(), "the task");
        let told = conversation::next_words(&cx, std::slice::from_ref(&opening), &opening);
        assert_eq!((told.len(), remarks(&told)), (1, found), "{kind:?} {words:?}");
    }
}
