//! A wire format: how a request is written and a reply is read, and what all of them share.

use amelia_core::driver::Usage;
use amelia_core::id::CallId;
use amelia_core::message::AudioPart;
use amelia_core::tool::{CallOptions, ToolCall, ToolName, ToolResult, UNPARSED};
use serde_json::{Value, json};

use super::encoded::{EncodedMessages, RequestBody};
use super::sse::SseEvent;
use super::{ModelFailure, ModelReply, ModelRequest, ReplyChunk, lenient};
use crate::media;

/// A wire format: how a request is written and a reply is read.
pub(super) trait Codec: Send + Sync + 'static {
    type Reader: AnswerReader;

    fn path(&self) -> &'static str;
    /// The body of a request. Messages that are `encoded` already are not encoded again.
    fn encode(&self, request: &ModelRequest, encoded: &EncodedMessages) -> RequestBody;
    fn reader(&self, request: &ModelRequest) -> Self::Reader;

    fn authorise(&self, http: reqwest::RequestBuilder, key: &str) -> reqwest::RequestBuilder {
        http.bearer_auth(key)
    }

    fn headers(&self, http: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        http
    }
}

/// A reply in the making.
pub(super) trait AnswerReader: Send + 'static {
    /// Takes one event; what it says to people.
    fn read(&mut self, event: &SseEvent) -> Result<Vec<ReplyChunk>, ModelFailure>;
    /// Takes an answer that came in one piece, from a server that does not stream. One that is none leaves it unfinished.
    fn read_whole(&mut self, answer: &Value) -> Result<Vec<ReplyChunk>, ModelFailure>;
    /// What the provider has told of the call so far.
    fn told(&self) -> Usage;
    /// The provider has said everything: nothing more needs to be read.
    fn is_complete(&self) -> bool;
    /// Enough was said, should the stream end here.
    fn is_enough(&self) -> bool {
        self.is_complete()
    }
    /// The reply, if it ended as an answer ends.
    fn finish(self) -> Result<ModelReply, ModelFailure>;
}

/// Sets a field of a JSON object, when there is something to set.
pub(super) fn set(object: &mut Value, name: &str, value: Option<Value>) {
    if let (Some(fields), Some(value)) = (object.as_object_mut(), value) {
        fields.insert(name.to_owned(), value);
    }
}

/// What a model gets of a result.
pub(super) fn tool_text(result: &ToolResult) -> String {
    match &result.error {
        // Small models take an empty result for a missing one and call again.
        None if result.output.is_empty() => "(it succeeded and printed nothing)".to_owned(),
        None => result.output.clone(),
        Some(error) if result.output.is_empty() => format!("error: {error}"),
        Some(error) => format!("{}\nerror: {error}", result.output),
    }
}

/// The format of a sound and its data, as OpenAI takes it.
pub(super) fn audio_data(audio: &AudioPart) -> Option<(&str, &str)> {
    let (kind, data) = media::data_url(&audio.url)?;
    let format = kind.rsplit('/').next().map(|kind| if kind == "mpeg" { "mp3" } else { kind })?;
    Some((audio.format.as_deref().unwrap_or(format), data))
}

/// The arguments as the model wrote them.
pub(super) fn arguments_text(call: &ToolCall) -> String {
    match call.args.get(UNPARSED).and_then(Value::as_str) {
        Some(raw) => raw.to_owned(),
        None => Value::Object(call.args.clone()).to_string(),
    }
}

/// A call as a model wrote it. Arguments that are no JSON object are kept, for an answer that says so, and names that
/// nothing can have are made possible: the model learns that there is no such tool.
pub(super) fn call_part(id: &str, name: &str, arguments: &str) -> ToolCall {
    let arguments = lenient::repaired(arguments);
    let args = match serde_json::from_str(&arguments) {
        Ok(Value::Object(args)) => args,
        // Some providers write nothing for "no arguments".
        _ if arguments.trim().is_empty() => amelia_core::message::Object::new(),
        _ => amelia_core::message::Object::from_iter([(UNPARSED.to_owned(), json!(arguments))]),
    };
    ToolCall {
        id: CallId::repaired(id),
        tool: ToolName::repaired(name),
        args,
        at: None,
        options: CallOptions::default(),
    }
}
