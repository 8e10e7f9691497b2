//! The keys of a script file, as a person writes them. Doc comments here are the descriptions of the JSON Schema.
//!
//! Says what may be written; what it means together is decided in `compile`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::conversation::ScriptedApi;

/// Script for the scripted model.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ScriptFile {
    /// Models that `GET /v1/models` lists. Default: those that rules name without a wildcard.
    #[serde(default)]
    pub(super) models: Vec<String>,
    /// Rules, tried in order for each request; the first one that matches answers.
    #[schemars(length(min = 1))]
    pub(super) rules: Vec<RuleKeys>,
}

/// Conditions and an answer. Needs exactly one of `reply` and `replies`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleKeys {
    /// Name of the rule, for error messages.
    pub(super) name: Option<String>,
    /// Conditions that must all hold. Default: every request matches.
    #[serde(default)]
    pub(super) when: WhenKeys,
    /// Answer to every request that matches.
    pub(super) reply: Option<ReplyKeys>,
    /// One reply per match; after the last one, the rule no longer matches.
    #[schemars(length(min = 1))]
    pub(super) replies: Option<Vec<ReplyKeys>>,
}

/// What a request must be like.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WhenKeys {
    /// Model that the request names; `*` matches any characters, `?` matches one.
    pub(super) model: Option<String>,
    /// Text anywhere in the conversation: user, assistant and tool messages, names and arguments of tool calls.
    pub(super) text: Option<String>,
    /// Like `text`, as a regular expression.
    pub(super) text_regex: Option<String>,
    /// Text in what came after the model's last turn: the user's message or the tools' results.
    pub(super) last: Option<String>,
    /// Like `last`, as a regular expression.
    pub(super) last_regex: Option<String>,
    /// Text in the system prompt.
    pub(super) system: Option<String>,
    /// Whether a person sent a message while the model was working: a user message next to results of calls, or a second
    /// one at the beginning. `{spoken}` in the reply's text and arguments stands for that message.
    pub(super) spoken: Option<bool>,
    /// How many turns of the model the conversation has so far.
    pub(super) turn: Option<u32>,
    /// Tools that the request must offer.
    #[serde(default)]
    pub(super) tools: Vec<String>,
    /// The API that the request uses.
    pub(super) wire: Option<ScriptedApi>,
    /// How many times the rule may match.
    #[schemars(range(min = 1))]
    pub(super) times: Option<u32>,
}

/// An answer. If it is empty, the model says nothing.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReplyKeys {
    /// What the model says.
    pub(super) text: Option<String>,
    /// Repeat the text this many times, for very long answers.
    #[schemars(range(min = 1))]
    pub(super) repeat: Option<u32>,
    /// What the model thinks before it speaks.
    pub(super) thinking: Option<String>,
    /// Tool calls, in parallel.
    #[serde(default)]
    pub(super) tool_calls: Vec<CallKeys>,
    /// Usage to report, in tokens. Default: an estimate based on the length of the texts.
    #[serde(default)]
    pub(super) usage: UsageKeys,
    /// Why the model stopped. Default: `tool_use` with tool calls, else `end_turn`.
    pub(super) stop_reason: Option<ScriptedStop>,
    /// Characters per streamed chunk. Default: 24.
    #[schemars(range(min = 1))]
    pub(super) chunk: Option<u32>,
    /// Milliseconds between the events of a stream.
    pub(super) chunk_delay_ms: Option<u32>,
    /// Milliseconds before the first byte, headers included.
    pub(super) delay_ms: Option<u32>,
    /// An HTTP error instead of an answer, or within a stream.
    pub(super) error: Option<ErrorKeys>,
    /// Where the server drops the connection.
    pub(super) cut_after: Option<PlaceKeys>,
    /// Where the server stops sending, but keeps the connection open.
    pub(super) stall_after: Option<PlaceKeys>,
    /// Send this body unchanged, with status 200.
    pub(super) garbage: Option<String>,
    /// Like `garbage`, for bytes that are not text.
    pub(super) garbage_base64: Option<String>,
}

/// A tool call. Can have at most one of `args` and `raw_args`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CallKeys {
    /// Name of the tool.
    pub(super) name: String,
    /// Id of the call. Default: derived from the conversation, so the same conversation gets the same id.
    pub(super) id: Option<String>,
    /// The arguments. Default: `{}`.
    pub(super) args: Option<Value>,
    /// The arguments as text that need not be JSON.
    pub(super) raw_args: Option<String>,
}

/// Tokens of one answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UsageKeys {
    /// All input tokens, including those read from and written to the cache.
    pub(crate) input: Option<u64>,
    /// All output tokens, including those for thinking.
    pub(crate) output: Option<u64>,
    /// Input tokens read from the prompt cache.
    #[serde(default)]
    pub(crate) cache_read: u64,
    /// Input tokens written to the prompt cache.
    #[serde(default)]
    pub(crate) cache_write: u64,
    /// Output tokens spent on thinking.
    #[serde(default)]
    pub(crate) reasoning: u64,
    /// Report no usage.
    #[serde(default)]
    pub(crate) omit: bool,
}

/// Each API has its own words for these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ScriptedStop {
    EndTurn,
    ToolUse,
    MaxTokens,
    StopSequence,
    Refusal,
    PauseTurn,
}

/// An HTTP error. Can have at most one of `message` and `body`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ErrorKeys {
    /// The HTTP status.
    #[schemars(range(min = 400, max = 599))]
    pub(super) status: u16,
    /// Error message, in the error format of the API.
    pub(super) message: Option<String>,
    /// Response body: text is sent unchanged, anything else as JSON.
    pub(super) body: Option<Value>,
    /// Value of the `retry-after` header, in seconds.
    pub(super) retry_after: Option<u32>,
    /// Additional response headers.
    #[serde(default)]
    pub(super) headers: BTreeMap<String, String>,
    /// Send the error within the stream, after this many events.
    pub(super) after: Option<u32>,
}

/// A position in the response body. Needs exactly one of `bytes` and `chunks`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PlaceKeys {
    /// After this many bytes of the body.
    pub(super) bytes: Option<u32>,
    /// After this many stream events; an answer that is not streamed has one.
    pub(super) chunks: Option<u32>,
}
