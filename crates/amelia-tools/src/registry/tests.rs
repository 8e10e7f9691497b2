use std::sync::atomic::{AtomicBool, Ordering};

use amelia_core::id::CallId;
use amelia_core::message::Object;
use amelia_core::tool::CallOptions;
use serde_json::{Value, json};

use super::*;

/// Does what its name says.
struct Odd {
    spec: ToolSpec,
    was_told_to_stop: Arc<AtomicBool>,
}

fn odd(name: &str) -> Odd {
    let schema = json!({
        "type": "object",
        "properties": {"n": {"type": "integer", "minimum": 1}, "s": {"enum": ["a", "b"]}},
        "required": ["n"],
        "additionalProperties": false,
    });
    let spec = ToolSpec {
        name: ToolName::builtin(name),
        description: String::new(),
        input_schema: schema,
        output_schema: None,
        risk: Risk::Execute,
        timeout_seconds: 1,
        fallbacks: Vec::new(),
        retry_on: Vec::new(),
    };
    Odd { spec, was_told_to_stop: Arc::default() }
}

#[async_trait]
impl Tool for Odd {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, cx: &ToolCx, _: &Object) -> ToolOutput {
        match self.spec.name.name.as_str() {
            "breaks" => panic!("oh no"),
            "waits" => {
                cx.cancel.cancelled().await;
                self.was_told_to_stop.store(true, Ordering::SeqCst);
                ToolOutput::done("so far")
            }
            "talks" => ToolOutput::done("é".repeat(100_000)),
            _ => ToolOutput::done("done"),
        }
    }
}

fn tools() -> Tools {
    let names = ["breaks", "waits", "talks", "works"];
    Tools::new(names.map(|name| Arc::new(odd(name)) as Arc<dyn Tool>)).unwrap()
}

fn call(tool: &str, args: Value) -> ToolCall {
    ToolCall {
        id: CallId::new("1").unwrap(),
        tool: ToolName::parse(tool).unwrap(),
        args: serde_json::from_value(args).unwrap(),
        at: None,
        options: CallOptions::default(),
    }
}

async fn error(tool: &str, args: Value) -> String {
    tools().call(&ToolCx::default(), &call(tool, args)).await.error.unwrap()
}

#[tokio::test]
async fn an_unknown_tool_is_answered_with_its_nearest_names() {
    assert_eq!(error("work", json!({})).await, "there is no tool `work`; did you mean works?");
    assert_eq!(
        error("xyz.q", json!({})).await,
        "there is no tool `xyz:q`; there are: breaks, waits, talks, works"
    );
}

#[tokio::test]
async fn wrong_arguments_are_all_named_with_path_expectation_and_value() {
    assert_eq!(
        error("works", json!({"n": "7", "s": "c", "m": 1})).await,
        "the arguments do not match the schema of `works`:\n\
         - `/n`: the value is not of type \"integer\"; given: \"7\" (string)\n\
         - `/s`: the value is not one of \"a\" or \"b\"; given: \"c\" (string)\n\
         - arguments: Additional properties are not allowed ('m' was unexpected)\n\
         arguments it takes: n (required), s"
    );
    assert!(error("works", json!({})).await.contains("- arguments: \"n\" is a required property"));
}

#[tokio::test]
async fn a_tool_that_breaks_is_a_result() {
    let text = error("breaks", json!({"n": 1})).await;
    assert_eq!(text, "tool `breaks` broke (oh no); its outcome is unknown, check before repeating");
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_takes_too_long_is_stopped_and_keeps_what_it_said() {
    let result = tools().call(&ToolCx::default(), &call("waits", json!({"n": 1}))).await;
    assert_eq!((result.output.as_str(), result.error.as_deref()), ("so far", Some("timed out after 1 s")));
    let mut patient = call("waits", json!({"n": 1}));
    patient.options.timeout_seconds = Some(u64::MAX);
    let cx = ToolCx::default();
    let stop = async { cx.cancel.cancel() };
    let toolbox = tools();
    let (result, ()) = tokio::join!(toolbox.call(&cx, &patient), stop);
    assert_eq!((result.output.as_str(), result.error.as_deref()), ("so far", Some("cancelled")));
}

#[tokio::test]
async fn output_is_capped_and_time_is_told() {
    let mut tools = tools();
    tools.output_cap = 90;
    let result = tools.call(&ToolCx::default(), &call("talks", json!({"n": 1}))).await;
    assert!(result.output.len() < 150 && result.output.contains("bytes left out"), "{}", result.output);
    assert!(result.is_success() && result.duration_ms.is_some());
}

#[test]
fn risks_are_known_by_name_and_tools_that_cannot_be_offered_are_refused() {
    assert_eq!(tools().risk_of(&ToolName::builtin("works")), Some(Risk::Execute));
    assert_eq!(tools().risk_of(&ToolName::builtin("other")), None);
    let twice = Tools::new(["a", "a"].map(|name| Arc::new(odd(name)) as Arc<dyn Tool>));
    assert_eq!(twice.err(), Some(BadTool::Twice(ToolName::builtin("a"))));
    let mut bad = odd("bad");
    bad.spec.input_schema = json!({"type": 7});
    assert!(matches!(Tools::new([Arc::new(bad) as Arc<dyn Tool>]), Err(BadTool::Schema { .. })));
}
