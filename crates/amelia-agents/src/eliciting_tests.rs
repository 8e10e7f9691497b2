use amelia_core::human::HumanAction;
use amelia_core::tool::{Risk, ToolBox, ToolResult, ToolSpec};
use async_trait::async_trait;

use super::*;
use crate::agent::AgentStop;
use crate::testing::{self, Log, visit, visit_after};
use crate::tool_step::ToolCaller;

/// A server whose tool asks for a name and an age, and counts how often it is called.
#[derive(Default)]
struct Asking(Mutex<u32>);

#[async_trait]
impl ToolBox for Asking {
    fn specs(&self) -> Vec<ToolSpec> {
        vec![ToolSpec::builtin("sign", "signs", Risk::External, json!({}))]
    }

    async fn call(&self, cx: &ToolCx, call: &ToolCall) -> ToolResult {
        *self.0.lock() += 1;
        let mut heard = Vec::new();
        for field in ["name", "age"] {
            let schema =
                json!({"type": "object", "properties": {field: {"type": "string"}}, "required": [field]});
            let message = format!("Your {field}? It is {}.", cx.cancel.is_cancelled());
            heard.push((cx.elicit)(&Elicitation { server: "web".to_owned(), message, schema }));
        }
        ToolResult { output: format!("{heard:?}"), error: None, ..ToolResult::interrupted(call) }
    }
}

fn caller(tools: &Arc<Asking>) -> ToolCaller {
    let tools = Arc::clone(tools) as Arc<dyn ToolBox>;
    ToolCaller { name: AgentName::new("me").unwrap(), tools, redactor: Arc::default() }
}

fn begun(log: &Log) -> usize {
    let is_begun = |event: &&Event| matches!(event.draft.kind, EventKind::Agent(AgentEvent::Called(_)));
    log.events().iter().filter(is_begun).count()
}

#[tokio::test]
async fn a_call_ends_with_a_question_and_is_made_again_with_the_answer() {
    let (log, tools): (Arc<Log>, Arc<Asking>) = Default::default();
    let (caller, call) = (caller(&tools), testing::call("c1", "sign", json!({"what": "it"})));
    let asks = |stop: Result<ToolResult, AgentStop>| match stop {
        Err(AgentStop::Asks(requests)) => testing::only(requests),
        other => panic!("{other:?}"),
    };
    let name = asks(caller.call(&visit(&log).await, &call).await);
    assert_eq!((name.kind, begun(&log)), (HumanKind::Question, 1));
    assert!(name.prompt.contains("`web` asks: Your name?"), "{}", name.prompt);

    let after = visit_after(&log, testing::answered(name, HumanAction::Approve, Some("Ada"))).await;
    assert!(!caller.is_interrupted(&after, &call).await.unwrap(), "it ended with a question");
    let age = asks(caller.call(&after, &call).await);
    assert!(age.prompt.contains("Your age?"), "{}", age.prompt);
    assert_eq!(begun(&log), 2);

    let after = visit_after(&log, testing::answered(age, HumanAction::Reject, None)).await;
    let done = caller.call(&after, &call).await.unwrap();
    let expected = r#"[Answered(Accept({"name": String("Ada")})), Answered(Decline)]"#;
    assert_eq!((done.output.as_str(), begun(&log), *tools.0.lock()), (expected, 3, 3));
}

#[tokio::test]
async fn a_crash_while_a_call_is_made_again_leaves_it_interrupted() {
    let (log, tools): (Arc<Log>, Arc<Asking>) = Default::default();
    let (caller, call) = (caller(&tools), testing::call("c1", "sign", json!({})));
    let Err(AgentStop::Asks(name)) = caller.call(&visit(&log).await, &call).await else { panic!("it asks") };
    let answered = testing::answered(testing::only(name), HumanAction::Approve, Some("Ada"));
    let killed = visit_after(&log, answered.clone()).await;
    let called = EventKind::Agent(AgentEvent::Called(call.clone()));
    killed.record(vec![killed.draft(&caller.name, called)]).await.unwrap();
    let after = visit_after(&log, answered).await;
    assert!(caller.is_interrupted(&after, &call).await.unwrap());
    let result = caller.call(&after, &call).await.unwrap();
    assert_eq!(result, ToolResult::interrupted(&call));
    assert_eq!(*tools.0.lock(), 1, "it is not made again");
}
