use amelia_core::config::profile::Profile;
use amelia_core::human::HumanAction;

use super::*;
use crate::testing::place::{FakeWorkplace, deps};
use crate::testing::{ScriptedDriver, answered, only, request, visit, visit_after};

const PLAN: &str = "**Goal:** It adds its two numbers, as the issue asks, and says so.\n\n**Architecture:** It stays one script with one test.\n\n### Task 1: Add\n\n**Files:**\n- Modify: `a.py`\n\n\
                    **Step 1:** Replace the minus by a plus.\n";

fn drafted(markdown: &str) -> Implementation {
    let draft = PlanDraft { plan: check(markdown).0, markdown: markdown.to_owned() };
    Implementation { draft: Some(draft), plan_path: "plan.md".to_owned(), ..Implementation::default() }
}

/// What an answer leads to, and what was written.
async fn after(
    state: &Implementation,
    action: HumanAction,
    words: Option<&str>,
    edited: Option<&str>,
) -> (Outcome<Update>, Vec<String>) {
    let place: Arc<FakeWorkplace> = Arc::default();
    let mut given = answered(request(HumanKind::Approval, Value::Null), action, words);
    given.reply.updates = edited.map(|plan| json!({"plan": plan}));
    let cx = visit_after(&Arc::default(), given).await;
    let approve = ApproveNode(deps(&place, &ScriptedDriver::new([]), Profile::default()));
    (approve.run(&cx, state).await.unwrap(), place.done())
}

fn updates(outcome: Outcome<Update>) -> Vec<Update> {
    match outcome {
        Outcome::Done(updates) => updates,
        Outcome::Wait(requests) => panic!("it waits: {requests:?}"),
    }
}

#[tokio::test]
async fn a_person_is_asked_about_the_plan_and_its_problems() {
    let approve = ApproveNode(deps(&Arc::default(), &ScriptedDriver::new([]), Profile::default()));
    let mut state = drafted(PLAN);
    for (problems, prompt) in [
        (vec![], "approve the plan (1 task)?"),
        (vec!["no goal".to_owned()], "the plan is not valid (no goal): what now?"),
    ] {
        state.problems = problems;
        let outcome = approve.run(&visit(&Arc::default()).await, &state).await.unwrap();
        let Outcome::Wait(asked) = outcome else { panic!("it does not wait") };
        let asked = only(asked);
        assert_eq!((asked.prompt.as_str(), asked.kind), (prompt, HumanKind::Approval));
        assert_eq!(asked.context["plan_path"], "plan.md");
    }
}

#[tokio::test]
async fn a_plan_is_approved_with_a_note_or_sent_back_with_a_reason() {
    use HumanAction::{Approve, Reject};
    let state = drafted(PLAN);
    let back = |feedback: &str, is_unexplained| {
        vec![Update::SentBack { feedback: feedback.to_owned(), is_unexplained }]
    };
    let approved =
        |note: Option<&str>| vec![Update::Approved { note: note.map(str::to_owned), is_edited: false }];
    let unsaid = "The plan was rejected without a reason: find out what is wrong with it.";
    for (action, words, expected) in [
        (Approve, None, approved(None)),
        (Approve, Some(" Hurry. "), approved(Some("Hurry."))),
        (Reject, Some("Smaller."), back("Smaller.", false)),
        (Reject, Some(" "), back(unsaid, true)),
        (Reject, None, back(unsaid, true)),
    ] {
        let (outcome, written) = after(&state, action, words, None).await;
        assert_eq!((updates(outcome), written), (expected, vec![]), "{action:?} {words:?}");
    }
}

#[tokio::test]
async fn a_plan_without_a_task_is_not_approved_by_a_yes() {
    let (outcome, _) = after(&drafted("nothing"), HumanAction::Approve, None, None).await;
    assert!(matches!(outcome, Outcome::Wait(_)));
}

#[tokio::test]
async fn a_plan_that_a_person_changed_is_checked_and_written() {
    let changed = PLAN.replace("plus", "plus sign");
    let (outcome, written) = after(&drafted(PLAN), HumanAction::Modify, None, Some(&changed)).await;
    let draft = PlanDraft { plan: check(&changed).0, markdown: changed };
    assert_eq!(updates(outcome), [Update::Drafted(draft), Update::Approved { note: None, is_edited: true }]);
    assert_eq!(written, ["write plan.md"]);
    let (outcome, _) = after(&drafted(PLAN), HumanAction::Modify, None, Some(PLAN)).await;
    let saved_as_it_was = Update::Approved { note: None, is_edited: false };
    assert_eq!(updates(outcome).last(), Some(&saved_as_it_was));
    let (outcome, written) = after(&drafted(PLAN), HumanAction::Modify, None, Some("no plan")).await;
    let Outcome::Wait(asked) = outcome else { panic!("it does not wait") };
    let asked = only(asked);
    assert!(asked.prompt.starts_with("the plan is not valid"), "{}", asked.prompt);
    assert_eq!(written, [] as [&str; 0]);
}
