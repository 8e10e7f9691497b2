use std::sync::atomic::{AtomicUsize, Ordering};

use amelia_core::id::CallId;
use amelia_core::object::Object;
use amelia_core::tool::{CallOptions, Risk, Tool, ToolOutput};
use amelia_core::tool_failure::RetryableFailure;
use serde_json::json;

use super::*;
use crate::Tools;

/// Fails so often, then answers.
struct Flaky {
    spec: ToolSpec,
    failure: ToolFailure,
    fails: usize,
    calls: AtomicUsize,
}

#[async_trait]
impl Tool for Flaky {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, _: &ToolCx, _: &Object) -> ToolOutput {
        match self.calls.fetch_add(1, Ordering::Relaxed) < self.fails {
            true => ToolOutput { failure: Some(self.failure), ..ToolOutput::failed("no") },
            false => ToolOutput::done("yes"),
        }
    }
}

fn flaky(name: &str, risk: Risk, failure: ToolFailure, fails: usize) -> Flaky {
    let spec = ToolSpec {
        name: ToolName::repaired(name),
        retry_on: RetryableFailure::ALL.to_vec(),
        ..ToolSpec::builtin("x", "", risk, json!({"type": "object"}))
    };
    Flaky { spec, failure, fails, calls: AtomicUsize::new(0) }
}

fn combined(tools: Vec<Flaky>) -> CombinedTools {
    let tools = tools.into_iter().map(|tool| Arc::new(tool) as Arc<dyn Tool>);
    let nothing = Arc::new(Tools::new([]).unwrap());
    let others = Tools::new(tools).unwrap();
    CombinedTools { first_pause: Duration::ZERO, ..CombinedTools::new(nothing, vec![Arc::new(others)]) }
}

fn call(tool: &str) -> ToolCall {
    let id = CallId::new("1").unwrap();
    let tool = ToolName::repaired(tool);
    ToolCall { id, tool, args: Object::new(), at: None, options: CallOptions::default() }
}

const LOST: ToolFailure = ToolFailure::MayPass(RetryableFailure::Connection);

#[tokio::test]
async fn a_call_that_reads_is_made_again_and_any_other_is_not() {
    for (risk, failure, fails, expected) in [
        (Risk::Read, LOST, 2, Ok("yes")),
        (Risk::Read, LOST, 3, Err("no (tried 3 times)")),
        (Risk::Read, ToolFailure::Failed, 1, Err("no")),
        (Risk::External, LOST, 1, Err("no")),
    ] {
        let tools = combined(vec![flaky("web:get", risk, failure, fails)]);
        let result = ToolBox::call(&tools, &ToolCx::default(), &call("web:get")).await;
        let said = result.error.as_deref().map_or(Ok(result.output.as_str()), Err);
        assert_eq!(said, expected, "{risk:?} {failure:?} {fails}");
    }
}

#[tokio::test]
async fn another_tool_answers_when_it_can_do_no_more_harm() {
    let broken = |risk, fallbacks: &[&str]| {
        let mut tool = flaky("web:get", risk, ToolFailure::Failed, 100);
        tool.spec.fallbacks = fallbacks.iter().map(|name| ToolName::repaired(name)).collect();
        tool
    };
    let other = |risk| flaky("other:get", risk, LOST, 0);
    let tools = combined(vec![broken(Risk::Read, &["gone:get", "other:get"]), other(Risk::Read)]);
    let result = ToolBox::call(&tools, &ToolCx::default(), &call("web:get")).await;
    assert_eq!(result.output, "web:get: no\n(answered by other:get)\n\nyes");
    assert_eq!(result.tool.to_string(), "web:get");
    let tools = combined(vec![broken(Risk::Read, &["other:get"]), other(Risk::External)]);
    let refused = ToolBox::call(&tools, &ToolCx::default(), &call("web:get")).await.error.unwrap();
    assert!(refused.contains("other:get: not called, because its risk is higher"), "{refused}");
    let tools = combined(vec![broken(Risk::External, &["other:get"]), other(Risk::External)]);
    assert!(ToolBox::call(&tools, &ToolCx::default(), &call("web:get")).await.is_success());
    // What was wrong with the call is wrong with every other tool, too.
    let unknown = ToolBox::call(&tools, &ToolCx::default(), &call("web:post")).await;
    assert_eq!(unknown.failure, Some(ToolFailure::InvalidCall));
    let said = unknown.error.unwrap();
    assert!(said.contains("web:get"), "the tools of the server are named: {said}");
}
