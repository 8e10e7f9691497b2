//! Each wire format, both ways: what is sent, and what is read from streams as providers send them.

use std::sync::Arc;

use amelia_core::clock::{Clock, TickingClock};
use amelia_core::driver::{AnswerShape, DeltaKind, ModelOptions};
use amelia_core::id::{AgentName, MessageId};
use amelia_core::message::{ExecutionMode, Message, Object, Part, Role, TextPart, ThinkingPart};
use amelia_core::tool::{Risk, ToolName, ToolResult, ToolSpec};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::chat::Chat;
use super::codec::{AnswerReader, Codec, call_part, tool_text};
use super::encoded::EncodedMessages;
use super::messages::Messages;
use super::responses::Responses;
use super::sse::SseParser;
use super::{ModelFailure, ModelReply, ModelRequest, ReplyChunk, StopReason};

fn message(clock: &TickingClock, role: Role, parts: Vec<Part>) -> Arc<Message> {
    Arc::new(Message {
        id: MessageId(clock.new_id()),
        at: clock.now(),
        role,
        agent: AgentName::system(),
        task: None,
        parent: None,
        mode: ExecutionMode::default(),
        memory: Object::new(),
        parts,
        metadata: Object::new(),
    })
}

fn request(signature: &str) -> ModelRequest {
    let clock = TickingClock::default();
    let call = call_part("c1", "read_file", "{\"path\":\"a\"}");
    let broken = call_part("c2", "read_file", "{\"path\":");
    let fine = ToolResult { output: "text".to_owned(), error: None, ..ToolResult::interrupted(&call) };
    let failed = ToolResult { error: Some("no such file".to_owned()), ..ToolResult::interrupted(&broken) };
    let thought = ThinkingPart { text: "hm".to_owned(), signature: Some(signature.to_owned()) };
    ModelRequest {
        model: "m".to_owned(),
        system: "be good".to_owned(),
        messages: Arc::new(vec![
            message(&clock, Role::User, vec![Part::Text(TextPart::new("hello"))]),
            message(
                &clock,
                Role::Assistant,
                vec![
                    Part::Thinking(thought),
                    Part::Text(TextPart::new("let me look")),
                    Part::ToolCall(call),
                    Part::ToolCall(broken),
                ],
            ),
            message(&clock, Role::Tool, vec![Part::ToolResult(fine), Part::ToolResult(failed)]),
        ]),
        changed_from: None,
        tools: Arc::new(vec![ToolSpec {
            name: ToolName::builtin("read_file"),
            description: "reads".to_owned(),
            input_schema: json!({"type": "object"}),
            output_schema: None,
            risk: Risk::Read,
            timeout_seconds: 5,
            fallbacks: vec![],
            retry_on: Vec::new(),
        }]),
        answer: Some(AnswerShape {
            name: "verdict".to_owned(),
            schema: json!({"type": "object"}),
            is_binding: true,
        }),
        options: ModelOptions {
            temperature: Some(0.5),
            max_tokens: Some(4096),
            reasoning: Some("low".to_owned()),
        },
        traits: super::Traits::default(),
        channel: amelia_core::recording::Channel::default(),
    }
}

#[test]
fn requests_are_written_as_each_provider_wants_them() {
    insta::assert_json_snapshot!("chat_request", sent(&Chat, "s"));
    insta::assert_json_snapshot!("messages_request", sent(&Messages, "s"));
    let item = json!({"type": "reasoning", "id": "r", "encrypted_content": "e", "summary": []}).to_string();
    insta::assert_json_snapshot!("responses_request", sent(&Responses, &item));
}

fn sent(codec: &impl Codec, signature: &str) -> Value {
    let text = codec.encode(&request(signature), &EncodedMessages::default()).into_text();
    serde_json::from_str(&text).unwrap()
}

fn read<C: Codec>(codec: &C, stream: &str) -> Result<(Vec<(DeltaKind, String)>, ModelReply), ModelFailure> {
    let mut reader = codec.reader(&request("s"));
    let mut deltas = Vec::new();
    for event in SseParser::default().feed(stream.as_bytes()) {
        for piece in reader.read(&event?)? {
            match piece {
                ReplyChunk::Delta(kind, text) => deltas.push((kind, text)),
                ReplyChunk::Arguments(_)
                | ReplyChunk::Told(_)
                | ReplyChunk::Notice(_)
                | ReplyChunk::Scripted
                | ReplyChunk::Reply(_) => {}
            }
        }
    }
    if !reader.is_enough() {
        return Err(ModelFailure::Cut);
    }
    Ok((deltas, reader.finish()?))
}

fn sse(events: &[Value]) -> String {
    events
        .iter()
        .map(|event| match event.get("type").and_then(Value::as_str) {
            Some(name) => format!("event: {name}\ndata: {event}\n\n"),
            None => format!("data: {event}\n\n"),
        })
        .collect()
}

const CHAT: &str = concat!(
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"reasoning_content\":\"hm\"}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"shell\",\"arguments\":\"{\\\"x\\\"\"}},{\"index\":1,\"id\":\"c2\",\"function\":{\"name\":\"shell\",\"arguments\":\"\"}}]}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\":1}\"}}]}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n",
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":4,\"prompt_tokens_details\":{\"cached_tokens\":6}}}\n\n",
    "data: [DONE]\n\n",
);

#[test]
fn chat_streams_are_read() {
    let (deltas, reply) = read(&Chat, CHAT).unwrap();
    assert_eq!(deltas, [(DeltaKind::Thinking, "hm".to_owned()), (DeltaKind::Text, "a".to_owned())]);
    assert_eq!(reply.stop, StopReason::Tools);
    assert_eq!((reply.usage.input_tokens, reply.usage.cache_read_tokens), (Some(10), Some(6)));
    insta::assert_json_snapshot!("chat_reply", reply.parts);
}

#[test]
fn messages_streams_are_read() {
    let stream = sse(&[
        json!({"type": "message_start", "message": {"usage": {"input_tokens": 4, "cache_read_input_tokens": 6, "cache_creation_input_tokens": 2, "output_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "sig"}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "ping"}),
        json!({"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "a"}}),
        json!({"type": "content_block_start", "index": 2, "content_block": {"type": "tool_use", "id": "t1", "name": "shell", "input": {}}}),
        json!({"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": "{\"x\":"}}),
        json!({"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": "1}"}}),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}}),
        json!({"type": "message_stop"}),
    ]);
    let (deltas, reply) = read(&Messages, &stream).unwrap();
    assert_eq!(deltas, [(DeltaKind::Thinking, "hm".to_owned()), (DeltaKind::Text, "a".to_owned())]);
    let usage = &reply.usage;
    assert_eq!(
        (usage.input_tokens, usage.cache_read_tokens, usage.output_tokens),
        (Some(10), Some(6), Some(9))
    );
    insta::assert_json_snapshot!("messages_reply", reply.parts);
}

#[test]
fn an_answer_of_a_given_shape_is_text_on_every_wire() {
    let stream = sse(&[
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "t1", "name": "verdict", "input": {}}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "{\"ok\":true}"}}),
        json!({"type": "message_stop"}),
    ]);
    let (_, reply) = read(&Messages, &stream).unwrap();
    assert_eq!(reply.parts, [Part::Text(TextPart::new("{\"ok\":true}"))]);
    assert_eq!(reply.stop, StopReason::Done);
    let sentence = sse(&[
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Here it is."}}),
    ]);
    let (_, reply) = read(&Messages, &format!("{sentence}{stream}")).unwrap();
    assert_eq!(reply.parts, [Part::Text(TextPart::new("{\"ok\":true}"))], "a sentence before it is left out");
}

#[test]
fn a_call_that_printed_nothing_says_so() {
    let call = call_part("c1", "shell", "{}");
    let silent = ToolResult { output: String::new(), error: None, ..ToolResult::interrupted(&call) };
    assert_eq!(tool_text(&silent), "(it succeeded and printed nothing)");
}

#[test]
fn responses_streams_are_read() {
    let reasoning = json!({"type": "reasoning", "id": "r1", "encrypted_content": "e", "summary": [{"type": "summary_text", "text": "hm"}]});
    let stream = sse(&[
        json!({"type": "response.created"}),
        json!({"type": "response.reasoning_summary_text.delta", "delta": "hm"}),
        json!({"type": "response.output_item.done", "item": reasoning}),
        json!({"type": "response.output_text.delta", "delta": "a"}),
        json!({"type": "response.output_item.done", "item": {"type": "message", "content": [{"type": "output_text", "text": "a"}]}}),
        json!({"type": "response.output_item.done", "item": {"type": "function_call", "call_id": "c1", "name": "shell", "arguments": "{\"x\":1}"}}),
        json!({"type": "response.completed", "response": {"usage": {"input_tokens": 10, "output_tokens": 3, "input_tokens_details": {"cached_tokens": 6}}}}),
    ]);
    let (deltas, reply) = read(&Responses, &stream).unwrap();
    assert_eq!(deltas.len(), 2);
    assert_eq!(reply.stop, StopReason::Tools);
    insta::assert_json_snapshot!("responses_reply", reply.parts);
}

#[test]
fn errors_inside_a_stream_are_failures() {
    let overloaded = json!({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}});
    let expected = ModelFailure::Reported { kind: "overloaded_error".to_owned(), detail: "busy".to_owned() };
    assert_eq!(read(&Messages, &sse(&[overloaded])), Err(expected));
    let failed = json!({"type": "response.failed", "response": {"error": {"code": "server_error", "message": "oops"}}});
    assert!(matches!(read(&Responses, &sse(&[failed])), Err(ModelFailure::Reported { .. })));
    assert!(matches!(
        read(&Chat, "data: {\"error\":{\"message\":\"no\"}}\n\n"),
        Err(ModelFailure::Reported { .. })
    ));
    assert!(matches!(read(&Chat, "data: not json\n\n"), Err(ModelFailure::Garbage(_))));
    assert_eq!(read(&Chat, "data: {\"choices\":[]}\n\n"), Err(ModelFailure::Cut));
}

/// JSON of any shape, made of the words that the readers look for.
fn any_json() -> impl Strategy<Value = Value> {
    let words = prop::sample::select(vec![
        "type",
        "error",
        "choices",
        "delta",
        "usage",
        "index",
        "id",
        "function",
        "arguments",
        "name",
        "content",
        "content_block",
        "content_block_start",
        "content_block_delta",
        "message_delta",
        "response",
        "response.completed",
        "response.output_item.done",
        "item",
        "call_id",
        "tool_use",
        "function_call",
        "text",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        words.clone().prop_map(Value::from),
        ".{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((words.clone(), inner), 0..5).prop_map(|fields| {
                fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
            }),
        ]
    })
}

proptest! {
    #[test]
    fn no_stream_makes_a_reader_panic(events in prop::collection::vec(any_json(), 0..6)) {
        let stream = sse(&events);
        read(&Chat, &stream).ok();
        read(&Messages, &stream).ok();
        read(&Responses, &stream).ok();
    }
}
