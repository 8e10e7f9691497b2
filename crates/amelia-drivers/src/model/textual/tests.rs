use std::sync::Mutex;

use amelia_core::driver::{ModelOptions, Usage};
use amelia_core::id::{AgentName, CallId, MessageId};
use amelia_core::message::{ExecutionMode, Message, Object, Role, TextPart};
use amelia_core::tool::{Risk, ToolName, ToolResult, ToolSpec, UNPARSED};
use serde_json::json;

use super::*;

/// Refuses tools, and says what it was told to.
struct Plain {
    text: &'static str,
    asked: Mutex<Vec<ModelRequest>>,
}

impl Model for Plain {
    fn provider(&self) -> &str {
        "plain"
    }

    fn ask(&self, request: ModelRequest) -> Pieces {
        let refused = !request.tools.is_empty();
        self.asked.lock().unwrap().push(request);
        let (usage, stop) = (Usage::default(), StopReason::Done);
        let reply = Reply { parts: vec![Part::Text(TextPart::new(self.text))], usage, stop };
        let pieces = if refused {
            let detail = "model `tiny` does not support tools".to_owned();
            vec![Err(Failure::Status { status: 400, detail, retry_after: None })]
        } else {
            vec![Ok(Piece::Delta(DeltaKind::Text, self.text.to_owned())), Ok(Piece::Reply(reply))]
        };
        Box::pin(futures_util::stream::iter(pieces))
    }

    fn give_up(&self, failure: Failure, _: &str, _: u32) -> DriverError {
        DriverError::Setup(failure.to_string())
    }
}

fn message(role: Role, parts: Vec<Part>) -> Arc<Message> {
    Arc::new(Message {
        id: MessageId(uuid::Uuid::nil()),
        at: jiff::Timestamp::UNIX_EPOCH,
        role,
        agent: AgentName::new("a").unwrap(),
        task: None,
        parent: None,
        mode: ExecutionMode::default(),
        memory: Object::new(),
        parts,
        metadata: Object::new(),
    })
}

fn request() -> ModelRequest {
    let call = protocol::read("<tool_call>{\"name\":\"look\",\"arguments\":{\"at\":\"x\"}}</tool_call>");
    let result = ToolResult {
        call: CallId::new("call_0").unwrap(),
        tool: ToolName::builtin("look"),
        output: "a</tool_result>b".to_owned(),
        error: None,
        exit_code: None,
        artifacts: Vec::new(),
        duration_ms: None,
        resources: None,
    };
    ModelRequest {
        model: "tiny".to_owned(),
        system: "be good".to_owned(),
        messages: Arc::new(vec![
            message(Role::User, vec![Part::Text(TextPart::new("go"))]),
            message(Role::Assistant, call),
            message(Role::Tool, vec![Part::ToolResult(result)]),
        ]),
        tools: Arc::new(vec![ToolSpec {
            name: ToolName::builtin("look"),
            description: "Looks.".to_owned(),
            input_schema: json!({"type": "object"}),
            output_schema: None,
            risk: Risk::Read,
            timeout_seconds: 1,
            fallbacks: Vec::new(),
        }]),
        answer: None,
        options: ModelOptions::default(),
        traits: crate::model::Traits::default(),
        strand: amelia_core::recording::Strand::default(),
    }
}

#[tokio::test]
async fn a_model_that_refuses_tools_is_asked_in_text_from_then_on() {
    let text = "I look.\n<tool_call>\n{\"name\": \"look\", \"arguments\": {\"at\": \"y\"}}\n</tool_call>";
    let plain = Arc::new(Plain { text, asked: Mutex::default() });
    let model = Textual::when_needed(Arc::clone(&plain) as Arc<dyn Model>);
    let pieces: Vec<_> = model.ask(request()).map(Result::unwrap).collect().await;
    assert!(matches!(pieces.first(), Some(Piece::Notice(_))), "{pieces:?}");
    assert_eq!(pieces.get(1), Some(&Piece::Delta(DeltaKind::Text, "I look.\n".to_owned())));
    let Some(Piece::Reply(reply)) = pieces.last() else { panic!("{pieces:?}") };
    assert_eq!(reply.stop, StopReason::Tools);
    assert!(matches!(reply.parts.last(), Some(Part::ToolCall(call)) if call.args["at"] == "y"));
    let again: Vec<_> = model.ask(request()).map(Result::unwrap).collect().await;
    assert!(!again.iter().any(|piece| matches!(piece, Piece::Notice(_))));
    let asked = plain.asked.lock().unwrap();
    assert_eq!(asked.len(), 3, "refused once, then asked in text twice");
    let told = &asked[1];
    assert!(told.tools.is_empty() && told.system.contains("## look\nLooks."), "{}", told.system);
    assert_eq!(
        told.messages[1].text(),
        "<tool_call>\n{\"arguments\":{\"at\":\"x\"},\"name\":\"look\"}\n</tool_call>"
    );
    assert_eq!(told.messages[2].role, Role::User);
    assert_eq!(told.messages[2].text(), "<tool_result name=\"look\">\na<\\/tool_result>b\n</tool_result>");
}

#[test]
fn calls_are_read_as_models_write_them_and_made_up_results_are_not() {
    let calls = |text: &str| {
        let parts = protocol::read(text);
        let call = |part: Part| match part {
            Part::ToolCall(call) => Some((call.tool.name, call.args)),
            _ => None,
        };
        parts.into_iter().filter_map(call).collect::<Vec<_>>()
    };
    let fenced = calls("<tool_call>```json\n{\"name\":\"a\",\"args\":{\"b\":1}}\n```</tool_call>");
    assert_eq!(fenced[0].1["b"], 1);
    let quoted = calls("<tool_call>{\"name\":\"a\",\"arguments\":\"{\\\"b\\\":2}\"}");
    assert_eq!(quoted[0].1["b"], 2);
    let broken = calls("<tool_call>{name: a}</tool_call>");
    assert_eq!(broken[0].1[UNPARSED], "{name: a}");
    let two = calls("<tool_call>{\"name\":\"a\"}</tool_call><tool_call>{\"name\":\"b\"}</tool_call>");
    assert_eq!(two.len(), 2);
    let made_up = "<tool_call>{\"name\":\"a\"}</tool_call><tool_result>x<tool_call>{\"name\":\"b\"}";
    assert_eq!(calls(made_up).len(), 1);
    assert_eq!(protocol::read("just text").len(), 1);
}
