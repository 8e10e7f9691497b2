use amelia_core::config::agent::DriverType;
use amelia_core::human::{HumanAction, HumanKind};

use super::*;
use crate::agent::{AgentStop, Question};
use crate::conversation;
use crate::testing::{self, Log, NoTools, ScriptedDriver, answered, request, visit, visit_after};

fn tool(mode: WaitMode) -> HumanTool {
    HumanTool {
        agent: AgentName::new("writer").unwrap(),
        name: "request_approval".to_owned(),
        kind: HumanToolKind::Approval,
        mode,
        prompt: None,
        timeout: 60,
        on_timeout: EscalationRule::Escalate(Some(30)),
        redactor: Arc::default(),
    }
}

fn call(args: Value) -> ToolCall {
    testing::call("c1", "request_approval", args)
}

fn asked(stopped: Result<ToolResult, OwnStop>) -> HumanRequest {
    match stopped {
        Err(OwnStop::Asks(requests)) => testing::only(requests),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_call_becomes_a_question_with_a_deadline_and_what_silence_means() {
    let cx = visit(&Arc::default()).await;
    let tool = tool(WaitMode::Asynchronous);
    let request = asked(tool.call(&cx, &call(json!({"action": "publish", "stop": 1}))).await);
    assert_eq!((request.kind, request.mode), (HumanKind::Approval, Some(WaitMode::Asynchronous)));
    assert_eq!((request.by.as_str(), request.prompt.as_str()), ("writer", "publish"));
    assert_eq!(request.deadline, deadline(request.at, 60));
    assert_eq!(request.on_timeout, OnTimeout::Escalate);
    let context = json!({
        "action": "publish", "hitl": "approval", "tool": "request_approval", "call": "c1", "escalate_seconds": 30,
    });
    assert_eq!(request.context, context, "nothing else of the call gets into it");
    let forever = asked(tool.call(&cx, &call(json!({"action": "publish", "timeout": 0}))).await);
    assert_eq!(forever.deadline, None);
    let refused = tool.call(&cx, &call(json!({}))).await.unwrap();
    assert!(refused.error.unwrap().contains("`action` is missing"));
}

#[tokio::test]
async fn the_answer_is_the_result_of_the_call() {
    let question = request(HumanKind::Approval, json!({"call": "c1", "hitl": "approval"}));
    let given = answered(question, HumanAction::Reject, Some("not yet"));
    let cx = visit_after(&Arc::default(), given).await;
    let result = tool(WaitMode::Synchronous).call(&cx, &call(json!({"action": "publish"}))).await.unwrap();
    let result: Value = serde_json::from_str(&result.output).unwrap();
    assert_eq!(result, json!({"response": "rejected", "approved": false, "message": "not yet"}));
}

#[tokio::test]
async fn advice_is_asked_for_once_and_not_waited_for() {
    let log: Arc<Log> = Arc::default();
    let call = call(json!({"action": "publish"}));
    let mut ids = Vec::new();
    for _ in 0..2 {
        let cx = visit(&log).await;
        let result = tool(WaitMode::Advisory).call(&cx, &call).await.unwrap();
        let result: Value = serde_json::from_str(&result.output).unwrap();
        assert_eq!(result["status"], "asked");
        ids.push(result["request_id"].clone());
    }
    assert_eq!(ids[0], ids[1], "a call that is made again after a crash has asked already");
    let is_question = |event: &&Event| matches!(event.draft.kind, EventKind::Human(HumanEvent::Requested(_)));
    assert_eq!(log.events().iter().filter(is_question).count(), 1);
}

#[tokio::test]
async fn silence_asks_anew_before_the_model_is_asked_at_all() {
    let asked = request(HumanKind::Approval, json!({"call": "c1", "hitl": "approval"}));
    let asked = HumanRequest { on_timeout: OnTimeout::Escalate, ..asked };
    let cx = visit_after(&Arc::default(), answered(asked.clone(), HumanAction::TimedOut, None)).await;
    let driver = ScriptedDriver::new([]);
    let agent = testing::member(&driver, DriverType::Api);
    let opening = conversation::from_user(&cx, &agent.name, "Write");
    let (system, tools) = (String::new(), Arc::new(NoTools));
    let question = Question { system, opening, tools, hand_ins: &[], shape: None };
    let Err(AgentStop::Asks(requests)) = agent.ask(&cx, &question).await else { panic!("a question") };
    let again = testing::only(requests);
    assert_eq!((again.kind, again.on_timeout), (HumanKind::Escalation, OnTimeout::Reject));
    assert_eq!(again.context["escalated_from"], json!(asked.id));
    assert_eq!(driver.requests().len(), 0);
}
