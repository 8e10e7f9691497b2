use std::sync::Arc;

use super::*;
use crate::testing::{self, Log, answered, request, visit, visit_after};

fn call(command: &str) -> ToolCall {
    testing::call("c1", "Bash", json!({"command": command}))
}

const RISKS: [Risk; 4] = [Risk::Read, Risk::Write, Risk::Execute, Risk::External];

#[test]
fn every_role_and_risk_has_one_decision() {
    // For reading, writing, executing and going outside: allowed, denied, or a question.
    for (rights, asks, decisions) in [
        (None, Asks::Never, "allow deny deny deny"),
        (None, Asks::Commands, "allow deny deny deny"),
        (None, Asks::Changes, "allow deny deny deny"),
        (Some(Rights::Read), Asks::Never, "allow deny deny deny"),
        (Some(Rights::Read), Asks::Commands, "allow deny deny deny"),
        (Some(Rights::Read), Asks::Changes, "allow deny deny deny"),
        (Some(Rights::Work), Asks::Never, "allow allow allow allow"),
        (Some(Rights::Work), Asks::Commands, "allow allow ask ask"),
        (Some(Rights::Work), Asks::Changes, "allow ask ask ask"),
    ] {
        let decided = |allowed: &[&str]| {
            let allowed = allowed.iter().map(|rule| (*rule).to_owned()).collect();
            let permissions = Permissions { asks, allowed };
            RISKS.map(|risk| match decide(&permissions, rights, &call("ls"), risk) {
                PermissionDecision::Permit(ToolPermission::Allow { args: None }) => "allow",
                PermissionDecision::Permit(ToolPermission::Allow { args: Some(_) }) => "change",
                PermissionDecision::Permit(ToolPermission::Deny { .. }) => "deny",
                PermissionDecision::AskPerson => "ask",
            })
        };
        assert_eq!(decided(&[]).join(" "), decisions, "{rights:?} {asks:?}");
        assert_eq!(decided(&["Bash(git status)"]).join(" "), decisions, "a rule for another command");
        let with_rule = decisions.replace("ask", "allow");
        assert_eq!(decided(&["Bash"]).join(" "), with_rule, "{rights:?} {asks:?}: a rule gives no rights");
    }
}

#[test]
fn a_rule_for_edits_does_not_reach_outside_of_the_worktree() {
    let edit = testing::call("c1", "edit", json!({"path": "a.rs"}));
    for asks in [Asks::Commands, Asks::Changes] {
        let permissions = Permissions { asks, allowed: vec!["edit".to_owned()] };
        let decided = |risk| decide(&permissions, Some(Rights::Work), &edit, risk);
        let allowed = PermissionDecision::Permit(ToolPermission::Allow { args: None });
        assert_eq!(decided(Risk::Write), allowed, "{asks:?}");
        assert_eq!(decided(Risk::External), PermissionDecision::AskPerson, "{asks:?}");
    }
}

#[test]
fn a_reader_is_told_what_it_may_not_do_and_what_to_use_instead() {
    let decision = decide(&Permissions::default(), Some(Rights::Read), &call("ls"), Risk::Execute);
    let PermissionDecision::Permit(ToolPermission::Deny { message }) = decision else {
        panic!("{decision:?}")
    };
    assert!(message.contains("read-only") && message.contains("instead"), "{message}");
}

/// The question about a call, as it is written down.
async fn asked_about(call: &ToolCall) -> HumanRequest {
    let log: Arc<Log> = Arc::default();
    question(&visit(&log).await, &AgentName::new("me").unwrap(), call, Risk::Execute)
}

#[tokio::test]
async fn a_question_shows_the_call_in_one_line() {
    let request = asked_about(&call("make\nmake install")).await;
    assert_eq!(request.prompt, "Me wants to use Bash: make ⏎ make install");
    assert_eq!((request.kind, request.by.as_str()), (HumanKind::Approval, "me"));
    assert_eq!(request.context[PERMISSION]["args"], json!({"command": "make\nmake install"}));
    let edit = asked_about(&testing::call("c2", "Edit", json!({"path": "a.rs"}))).await;
    assert_eq!(edit.prompt, "Me wants to use Edit: {\"path\":\"a.rs\"}");
    assert_eq!(edit.offered_rule().as_deref(), Some("Edit"));
}

#[tokio::test]
async fn an_answer_is_good_for_the_very_call_it_was_given_for() {
    use HumanAction::{Approve, Modify, Reject};
    let deny = |message: &str| Some(ToolPermission::Deny { message: message.to_owned() });
    let changed = json!({"command": "make -n"});
    let changed_args = changed.as_object().cloned();
    for (action, words, updates, permit) in [
        (Approve, None, None, Some(ToolPermission::Allow { args: None })),
        (Approve, None, Some(&changed), Some(ToolPermission::Allow { args: None })),
        (Modify, None, Some(&changed), Some(ToolPermission::Allow { args: changed_args })),
        (Reject, Some("not now"), None, deny("not now")),
        (
            Reject,
            Some("  "),
            None,
            deny("a person did not allow it: do not do the same by other means, continue without it"),
        ),
        (
            Reject,
            None,
            None,
            deny("a person did not allow it: do not do the same by other means, continue without it"),
        ),
    ] {
        let mut given = answered(asked_about(&call("make")).await, action, words);
        given.reply.updates = updates.cloned();
        let cx = visit_after(&Arc::default(), given).await;
        assert_eq!(answer(&cx, &call("make")), permit, "{action:?} {words:?}");
        assert_eq!(answer(&cx, &call("make install")), None, "another command");
    }
    assert_eq!(answer(&visit(&Arc::default()).await, &call("make")), None, "no person was asked");
}

#[tokio::test]
async fn an_agent_that_has_lost_its_call_is_told_what_was_decided() {
    use HumanAction::{Approve, Reject};
    let fence = "\n\n<untrusted source=\"your call\">\nBash {\"command\":\"make\"}\n</untrusted>\n\n";
    for (action, said, first, last) in [
        (
            Approve,
            None,
            "A person has allowed this call:",
            "Make exactly the same call again, then continue.",
        ),
        (
            Approve,
            Some("once"),
            "A person has allowed this call:",
            "They said: once\nMake exactly the same call again, then continue.",
        ),
        (
            Reject,
            None,
            "A person did not allow this call:",
            "Do not do the same by other means. Continue without it, and say in your result what is missing.",
        ),
        (
            Reject,
            Some("not now"),
            "A person did not allow this call:",
            "They said: not now\nContinue accordingly.",
        ),
    ] {
        let given = answered(asked_about(&call("make")).await, action, said);
        assert_eq!(words(&given), Some(format!("{first}{fence}{last}")));
    }
    let other = answered(request(HumanKind::Approval, Value::Null), Approve, None);
    assert_eq!(words(&other), None, "it was about something else");
}

#[tokio::test]
async fn an_agent_is_told_which_arguments_a_person_has_put_in_the_place_of_its_own() {
    let mut given = answered(asked_about(&call("make")).await, HumanAction::Modify, None);
    given.reply.updates = Some(json!({"command": "make -n"}));
    let told = words(&given).unwrap();
    assert!(told.starts_with("A person has allowed this call with other arguments:"), "{told}");
    assert!(
        told.contains(r#"it is run with {"command":"make -n"} in the place of your arguments"#),
        "{told}"
    );
}
