use serde_json::json;

use super::*;
use crate::testing::{self, Log, visit};

/// A shell that says what it was asked.
struct Shell;

#[async_trait]
impl ToolBox for Shell {
    fn specs(&self) -> Vec<ToolSpec> {
        vec![ToolSpec::builtin("shell", "runs it", Risk::Execute, json!({}))]
    }

    async fn call(&self, _: &ToolCx, call: &ToolCall) -> ToolResult {
        ToolResult { output: "done".to_owned(), error: None, ..ToolResult::interrupted(call) }
    }
}

async fn run(command: &str) -> ToolResult {
    let log: Arc<Log> = Arc::default();
    let (cx, shell): (_, Arc<dyn ToolBox>) = (visit(&log).await, Arc::new(Shell));
    let (helpers, redactor, agent) = (Helpers::default(), Arc::default(), AgentName::system());
    let own = OwnTools { tools: &shell, helpers: &helpers, redactor: &redactor, agent: &agent };
    let (outlet, _ending) = StopSignal::new();
    let tools = JournaledTools::new(&own, &cx, None, outlet);
    let tool_cx = ToolCx { cancel: cx.cancel().child_token(), progress: Arc::new(|_: &str| {}) };
    tools.call(&tool_cx, &testing::call("c1", "shell", json!({"command": command}))).await
}

#[tokio::test]
async fn a_call_with_the_mark_of_a_secret_is_refused_with_a_way_to_write_the_mark_itself() {
    let refused = run("curl -H 'key: [redacted]'").await.error.unwrap();
    assert!(refused.starts_with("not run: the arguments contain `[redacted]`"), "{refused}");
    let advice = "`printf '[%s]' redacted`";
    assert!(refused.ends_with(advice), "{refused}");
    let followed = run(advice.trim_matches('`')).await;
    assert_eq!(
        (followed.output.as_str(), followed.error),
        ("done", None),
        "the advice itself is not refused"
    );
}
