//! Drivers: what turns a conversation and tools into messages, what they say, and what it costs.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_core::Stream;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::budget::LimitReached;
use crate::id::{AgentName, CallId, SessionId};
use crate::key_source::KeySource;
use crate::message::Message;
use crate::problem::{Hinted, Problem};
use crate::recording::Channel;
use crate::tool::{ToolBox, ToolCall, ToolCx, ToolResult};

pub use crate::usage::{LongPrompt, Price, Usage};

/// What a driver has to say, as it comes. Dropping it stops the work and kills what was started.
pub type AgentMessageStream = Pin<Box<dyn Stream<Item = Result<AgentMessage, DriverError>> + Send>>;

/// One agent at work. The only path is the streaming one; a plain answer is the collected stream.
pub trait Driver: Send + Sync {
    /// Continues the conversation until the agent is done. A message that the stream has yielded is durable
    /// before the stream is asked for the next one: what a driver does after a [`AgentMessage::Said`] may rely
    /// on that. Only an [`AgentMessage::Usage`] may wait a moment for the turn it belongs to.
    fn run(&self, request: AgentRequest, tools: Arc<dyn ToolBox>, cx: ToolCx) -> AgentMessageStream;
}

/// What a driver is asked to do.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentRequest {
    pub agent: AgentName,
    pub model: String,
    pub system: String,
    /// The conversation so far, oldest first. A resumed one may end with calls that have no result yet.
    pub messages: Vec<Arc<Message>>,
    /// The final answer must fit this schema.
    pub answer: Option<AnswerShape>,
    pub options: ModelOptions,
    pub max_turns: u32,
    /// The vendor's conversation, for drivers that keep one.
    pub session: Option<SessionId>,
    /// So many messages at the end of the conversation the vendor has not heard, at least. What it has heard is not said
    /// again: it might do it again.
    pub unheard: usize,
    /// Where the conversation with the outside is kept.
    pub channel: Channel,
    /// Receives what a dropped call used, when nothing more can be said in the conversation.
    pub meter: UsageMeter,
}

impl AgentRequest {
    /// Whether the vendor has heard all of the conversation, and was interrupted after it.
    #[must_use]
    pub fn is_heard(&self) -> bool {
        self.unheard == 0
    }
}

/// Counts what a conversation can no longer report. By default, it is forgotten.
#[derive(Clone, Default)]
pub struct UsageMeter(Option<Arc<dyn Fn(Usage) + Send + Sync>>);

impl UsageMeter {
    /// Tells `count`.
    pub fn new(count: impl Fn(Usage) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(count)))
    }

    /// So much was used.
    pub fn count(&self, usage: Usage) {
        if let Some(count) = &self.0 {
            count(usage);
        }
    }
}

impl fmt::Debug for UsageMeter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Meter")
    }
}

impl PartialEq for UsageMeter {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// A structured answer that is wanted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerShape {
    pub name: String,
    pub schema: Value,
    /// What does not fit is asked for again. Otherwise the shape is only a wish, and an answer is taken as it comes.
    pub is_binding: bool,
}

/// Settings of the model itself. `None` is the provider's default.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelOptions {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// `low`, `medium`, `high`: how much the model may think.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
}

/// Everything a driver can say. Also the line format between host and worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentMessage {
    /// Live only, never stored.
    Delta {
        kind: DeltaKind,
        text: String,
    },
    /// The vendor's conversation has begun or continues: how to find it again.
    Session(SessionId),
    /// A completed turn. A resumed conversation begins with all of them.
    Said(Box<Message>),
    /// Drivers that keep their own conversation say what they do piece by piece.
    Thinking {
        text: String,
    },
    ToolCall(ToolCall),
    ToolResult(ToolResult),
    Usage(Usage),
    /// What a helper of the agent says, inside one of its calls.
    Nested {
        call: CallId,
        message: Box<AgentMessage>,
    },
    /// Something that people should know and that stops nothing, such as a compaction.
    Notice {
        text: String,
    },
    /// The model is a scripted one, which must not be taken for a real one.
    ScriptedModel,
    /// The model did not answer, and is asked again.
    Retry {
        text: String,
    },
    Result {
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<SessionId>,
        #[serde(default)]
        is_error: bool,
    },
}

/// What a live piece of text belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum DeltaKind {
    Text,
    Thinking,
    /// Output of a tool that is still running.
    Tool,
}

/// Why an agent cannot continue, by what can be done about it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DriverError {
    #[error("{provider} {}: {detail}", key.refusal(detail))]
    Unauthorised { provider: String, key: KeySource, detail: String },
    #[error("{provider} does not know the model `{model}`: {detail}")]
    UnknownModel { provider: String, model: String, detail: String },
    /// Without a status when the refusal came inside a stream.
    #[error("{provider} refused the request{}: {detail}", in_brackets(status))]
    Refused { provider: String, status: Option<u16>, detail: String },
    /// It would be the same the next time.
    #[error("{provider} returned no usable response: {detail}")]
    Unusable { provider: String, detail: String },
    #[error("the conversation is too long for `{model}`: {detail}")]
    TooLong { model: String, detail: String },
    /// Holds everything on this account until the reset.
    #[error("the usage limit of {provider} is reached{}: {detail}", until(resets_at))]
    Quota {
        provider: String,
        resets_at: Option<Timestamp>,
        detail: String,
        /// What all who share it have in common, once it is known to be held.
        account: Option<String>,
    },
    #[error("{provider} is not available{}: {detail}", after_tries(*tries))]
    Unavailable { provider: String, tries: u32, retry_after: Option<Duration>, detail: String },
    #[error("calls to {provider} are blocked after repeated failures, for {} s more: {detail}", wait.as_secs())]
    Held { provider: String, wait: Duration, detail: String },
    #[error("{0}")]
    Budget(LimitReached),
    #[error("the agent made the same failing call {times} times: {call}")]
    Loop { times: u32, call: String },
    #[error("the model returned no answer {times} times")]
    Silent { times: u32 },
    #[error("the answer was cut off {times} times and never completed")]
    Endless { times: u32 },
    #[error("{turns} turns are used up")]
    Turns { turns: u32 },
    #[error("the answer does not match the schema: {0}")]
    BadAnswer(String),
    /// A guardrail took its answers back again and again.
    #[error("the guardrail policy `{policy}` blocked {times} answers: {message}")]
    Guardrail { policy: String, message: String, times: u32 },
    /// A program that is an agent is not there, cannot be used, or has ended in the middle.
    #[error("{program}: {problem}")]
    Program { program: String, problem: Problem },
    /// Configuration that cannot work: no key, no model, a bad address.
    #[error("{0}")]
    Setup(String),
}

impl DriverError {
    /// The same, of a program that had asked its model again so often before.
    #[must_use]
    pub fn after_retries(mut self, retries: u32) -> Self {
        if let Self::Unavailable { tries, .. } = &mut self {
            *tries += retries;
        }
        self
    }

    /// The same, with the cause that the proxy knows in the place of what a program guesses.
    #[must_use]
    pub fn because(mut self, cause: Option<&str>) -> Self {
        if let (Self::Unavailable { detail, .. }, Some(cause)) = (&mut self, cause) {
            cause.clone_into(detail);
        }
        self
    }

    /// The same, with the key that a program uses through the proxy: it knows of none.
    #[must_use]
    pub fn with_key(mut self, source: &KeySource) -> Self {
        if let Self::Unauthorised { key, .. } = &mut self {
            key.clone_from(source);
        }
        self
    }

    /// The same, with what others have written in it changed by `clean`: no text of a provider or a program is shown or
    /// kept as it came.
    #[must_use]
    pub fn cleaned(mut self, clean: impl Fn(&str) -> String) -> Self {
        match &mut self {
            Self::Unauthorised { detail, .. }
            | Self::UnknownModel { detail, .. }
            | Self::Refused { detail, .. }
            | Self::Unusable { detail, .. }
            | Self::TooLong { detail, .. }
            | Self::Quota { detail, .. }
            | Self::Unavailable { detail, .. }
            | Self::Held { detail, .. }
            | Self::Loop { call: detail, .. }
            | Self::BadAnswer(detail)
            | Self::Guardrail { message: detail, .. }
            | Self::Setup(detail) => *detail = clean(detail),
            Self::Program { problem, .. } => {
                *problem =
                    Problem { message: clean(&problem.message), hint: problem.hint.as_deref().map(clean) };
            }
            Self::Budget(_) | Self::Silent { .. } | Self::Endless { .. } | Self::Turns { .. } => {}
        }
        self
    }
}

impl Hinted for DriverError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Unauthorised { provider, key, .. } => Some(key.hint(provider)),
            Self::Unavailable { .. } => Some(
                "check your network, and that the model server is running; its address comes from `base_url` in the profile or team, or from --base-url"
                    .to_owned(),
            ),
            Self::UnknownModel { .. } => Some(
                "name another model, in the profile or with --model (amelia doctor --model tests it)"
                    .to_owned(),
            ),
            Self::Program { problem, .. } => problem.hint.clone(),
            Self::Refused { status: Some(404), .. } => {
                Some("check the base_url, in the profile or of --base-url: it often ends with /v1".to_owned())
            }
            Self::Refused { .. }
            | Self::Unusable { .. }
            | Self::TooLong { .. }
            | Self::Quota { .. }
            | Self::Held { .. }
            | Self::Budget(_)
            | Self::Loop { .. }
            | Self::Silent { .. }
            | Self::Endless { .. }
            | Self::Turns { .. }
            | Self::BadAnswer(_)
            | Self::Guardrail { .. }
            | Self::Setup(_) => None,
        }
    }
}

fn after_tries(tries: u32) -> String {
    if tries > 1 { format!(" after {tries} tries") } else { String::new() }
}

fn in_brackets(status: &Option<u16>) -> String {
    status.map(|status| format!(" ({status})")).unwrap_or_default()
}

fn until(resets_at: &Option<Timestamp>) -> String {
    resets_at.map(|at| format!(" until {at}")).unwrap_or_default()
}
