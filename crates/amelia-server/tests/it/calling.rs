//! A toy that says everything that a driver can say, with more calls than are shown at once.

use amelia_core::driver::Usage;
use amelia_core::event::{AgentEvent, EventKind};
use amelia_core::id::{AgentName, CallId, SessionId};
use amelia_core::message::{Object, ThinkingPart};
use amelia_core::tool::{CallOptions, ToolCall, ToolName, ToolResult};
use amelia_graph::node::{NodeCx, NodeError};
use jiff::Timestamp;
use serde_json::json;

/// Calls a tool so often, then tells how it went.
pub(crate) const CALLS: usize = 120;

pub(crate) async fn call(cx: &NodeCx) -> Result<(), NodeError> {
    let agent = AgentName::new("caller").unwrap();
    let session = Some(SessionId::new("conversation-7").unwrap());
    let started = AgentEvent::Started { context_tokens: None, memories: None, session };
    let thought = ThinkingPart { text: "Which files?".to_owned(), signature: None };
    let usage = Usage {
        input_tokens: Some(10),
        output_tokens: Some(5),
        cache_read_tokens: Some(4),
        cache_creation_tokens: Some(3),
        cache_creation_1h_tokens: None,
        cost_usd: None,
        duration_ms: Some(20),
        num_turns: Some(1),
        model: Some("toy-1".to_owned()),
        is_estimated: false,
    };
    let mut events = vec![started, AgentEvent::Used(usage), AgentEvent::Thought(thought)];
    for number in 0..CALLS {
        let (id, tool) =
            (CallId::new(format!("call-{number}")).unwrap(), ToolName::parse("read_file").unwrap());
        let args = Object::from_iter([("path".to_owned(), json!(format!("{number}.txt")))]);
        let at = Some(Timestamp::from_second(1_700_000_000).unwrap());
        let call = ToolCall { id, tool, args, at, options: CallOptions::default() };
        let error = (number == CALLS - 1).then(|| "no such file".to_owned());
        let result = ToolResult {
            output: if error.is_none() { format!("text {number}") } else { String::new() },
            error,
            duration_ms: Some(7),
            ..ToolResult::interrupted(&call)
        };
        events.extend([AgentEvent::Called(call), AgentEvent::Returned(result)]);
    }
    events.push(AgentEvent::Finished {
        text: "One file is missing.".to_owned(),
        is_error: true,
        session: None,
        tokens: None,
        duration_ms: None,
        memories_stored: None,
    });
    cx.record(events.into_iter().map(|event| cx.draft(&agent, EventKind::Agent(event))).collect()).await?;
    Ok(())
}
