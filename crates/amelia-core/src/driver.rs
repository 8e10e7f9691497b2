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
use crate::message::Message;
use crate::recording::Strand;
use crate::tool::{ToolBox, ToolCall, ToolCx, ToolResult};

/// What a driver has to say, as it comes. Dropping it stops the work and kills what was started.
pub type Messages = Pin<Box<dyn Stream<Item = Result<AgentMessage, DriverError>> + Send>>;

/// One agent at work. The only path is the streaming one; a plain answer is the collected stream.
pub trait Driver: Send + Sync {
    /// Goes on with the conversation until the agent is done. A message that the stream has yielded is durable
    /// before the stream is asked for the next one: whatever a driver does after a [`AgentMessage::Said`] may rely
    /// on that. Only an [`AgentMessage::Usage`] may wait a moment for the turn it belongs to.
    fn run(&self, request: AgentRequest, tools: Arc<dyn ToolBox>, cx: ToolCx) -> Messages;
}

/// What a driver is asked to do.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentRequest {
    pub agent: AgentName,
    pub model: String,
    pub system: String,
    /// The conversation so far, oldest first. A resumed one may end with calls that have no result yet.
    pub messages: Vec<Message>,
    /// The final answer must fit this schema.
    pub answer: Option<AnswerShape>,
    pub options: ModelOptions,
    pub max_turns: u32,
    /// The vendor's conversation, for drivers that keep one.
    pub session: Option<SessionId>,
    /// The vendor has heard all of the conversation, and was interrupted after it.
    pub is_heard: bool,
    /// Where the conversation with the outside is kept.
    pub strand: Strand,
    /// Is told what a call took that was dropped in the middle, when nothing more can be said in the conversation.
    pub meter: Meter,
}

/// Counts what a conversation can no longer report. By default, it is forgotten.
#[derive(Clone, Default)]
pub struct Meter(Option<Arc<dyn Fn(Usage) + Send + Sync>>);

impl Meter {
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

impl fmt::Debug for Meter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Meter")
    }
}

impl PartialEq for Meter {
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
    /// The vendor's conversation has begun, or goes on: how it is found again.
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
    /// Something that people should know and that stops nothing: a retry, a compaction.
    Notice {
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

/// Why an agent cannot go on, by what can be done about it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DriverError {
    /// Without a `key_env` for a program with a sign-in of its own.
    #[error("{provider} refused the key: {detail}\n  hint: {}", way_in(provider, key_env))]
    Unauthorised { provider: String, key_env: String, detail: String },
    #[error("{provider} does not know the model `{model}`: {detail}")]
    UnknownModel { provider: String, model: String, detail: String },
    /// Without a status when the refusal came inside a stream.
    #[error("{provider} refused the request{}: {detail}", in_brackets(status))]
    Refused { provider: String, status: Option<u16>, detail: String },
    /// It would be the same the next time.
    #[error("{provider} gave no usable answer: {detail}")]
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
    #[error("{provider} is not available after {tries} tries: {detail}\n  hint: resume the run later")]
    Unavailable { provider: String, tries: u32, retry_after: Option<Duration>, detail: String },
    #[error("{provider} is held back after repeated failures, for {} s more: {detail}", wait.as_secs())]
    Held { provider: String, wait: Duration, detail: String },
    #[error("{0}")]
    Budget(LimitReached),
    #[error("the agent made the same failing call {times} times: {call}")]
    Loop { times: u32, call: String },
    #[error("the model gave no answer {times} times")]
    Silent { times: u32 },
    #[error("the answer was cut off {times} times and did not come to an end")]
    Endless { times: u32 },
    #[error("{turns} turns are used up")]
    Turns { turns: u32 },
    #[error("the answer does not fit the schema: {0}")]
    BadAnswer(String),
    /// A program that is an agent is not there, cannot be used, or has ended in the middle.
    #[error("{program}: {detail}")]
    Program { program: String, detail: String },
    /// Configuration that cannot work: no key, no model, a bad address.
    #[error("{0}")]
    Setup(String),
}

impl DriverError {
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
            | Self::Program { detail, .. }
            | Self::Loop { call: detail, .. }
            | Self::BadAnswer(detail)
            | Self::Setup(detail) => *detail = clean(detail),
            Self::Budget(_) | Self::Silent { .. } | Self::Endless { .. } | Self::Turns { .. } => {}
        }
        self
    }
}

fn way_in(provider: &str, key_env: &str) -> String {
    match key_env {
        "" => format!("sign in with `{provider}` itself, or name a key for this agent (api_key_env)"),
        name => format!("check the variable `{name}`"),
    }
}

fn in_brackets(status: &Option<u16>) -> String {
    status.map(|status| format!(" ({status})")).unwrap_or_default()
}

fn until(resets_at: &Option<Timestamp>) -> String {
    resets_at.map(|at| format!(" until {at}")).unwrap_or_default()
}

/// What one model call, or several, took. Drivers fill in what they know; `None` is "not told", never 0.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct Usage {
    /// Includes `cache_read_tokens`, and not `cache_creation_tokens`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_creation_tokens: Option<u64>,
    /// Of these, those that are kept for an hour, which costs more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_creation_1h_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub num_turns: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The tokens were not told, or not all of them: they are estimated.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
    pub is_estimated: bool,
}

impl Usage {
    /// Input and output tokens together, as far as they are known. What was written to a cache is input, too.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.prompt_tokens().saturating_add(self.output_tokens.unwrap_or(0))
    }

    /// All that was sent: read from a cache, written to it, or neither.
    #[must_use]
    pub fn prompt_tokens(&self) -> u64 {
        self.input_tokens.unwrap_or(0).saturating_add(self.cache_creation_tokens.unwrap_or(0))
    }
}

/// Price of a model in USD per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Price {
    pub input: f64,
    pub output: f64,
    pub cache_read: f64,
    pub cache_write: f64,
    /// What is kept for an hour; 1.6 times the other by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_1h: Option<f64>,
    /// What a long prompt costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long: Option<LongPrompt>,
}

/// How much more all of a call costs whose prompt is long.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LongPrompt {
    /// A prompt with more tokens than this.
    pub above: u64,
    /// So many times the price of input, also from and to the cache.
    pub input_times: f64,
    /// So many times the price of output.
    pub output_times: f64,
}

/// Twice the input instead of one and a quarter.
const HOUR_FACTOR: f64 = 1.6;

impl Price {
    /// Cost of `usage` in USD. `None` when the input or output count is not known: unknown is not free.
    ///
    /// `(input − cache_read) × input_rate + cache_read × cache_read_rate + cache_write × cache_write_rate + output × output_rate`,
    /// with a rate of its own for what is written to the cache for an hour, and for a long prompt.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "token counts stay far below 2^52")]
    pub fn cost_usd(&self, usage: &Usage) -> Option<f64> {
        let input = usage.input_tokens?;
        let output = usage.output_tokens?;
        let cache_read = usage.cache_read_tokens.unwrap_or(0);
        let cache_write = usage.cache_creation_tokens.unwrap_or(0);
        let for_an_hour = usage.cache_creation_1h_tokens.unwrap_or(0).min(cache_write);
        let hourly = self.cache_write_1h.unwrap_or(self.cache_write * HOUR_FACTOR);
        let base_input = input.saturating_sub(cache_read);
        let prompt = base_input as f64 * self.input
            + cache_read as f64 * self.cache_read
            + (cache_write - for_an_hour) as f64 * self.cache_write
            + for_an_hour as f64 * hourly;
        // The sum of several calls says nothing about the prompt of any.
        let is_one = usage.num_turns == Some(1);
        let long = self.long.filter(|long| is_one && usage.prompt_tokens() > long.above);
        let (input_times, output_times) =
            long.map_or((1.0, 1.0), |long| (long.input_times, long.output_times));
        Some((prompt * input_times + output as f64 * self.output * output_times) / 1e6)
    }

    /// Why this cannot be a price: the field, and what is wrong with it.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        let long = self
            .long
            .map(|long| [("long.input_times", long.input_times), ("long.output_times", long.output_times)]);
        let hourly = self.cache_write_1h.map(|price| ("cache_write_1h", price));
        let prices = [
            ("input", self.input),
            ("output", self.output),
            ("cache_read", self.cache_read),
            ("cache_write", self.cache_write),
        ];
        let all = prices.into_iter().chain(hourly).chain(long.into_iter().flatten());
        let bad = |(_, price): &(&str, f64)| !price.is_finite() || *price < 0.0;
        all.into_iter().find(bad).map(|(field, price)| format!("{field}: {price} is not a price"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICE: Price = Price {
        input: 3.0,
        output: 15.0,
        cache_read: 0.3,
        cache_write: 3.75,
        cache_write_1h: None,
        long: None,
    };

    #[test]
    fn cache_reads_are_part_of_the_input_and_cheaper() {
        let usage = Usage {
            input_tokens: Some(1_000_000),
            output_tokens: Some(100_000),
            cache_read_tokens: Some(400_000),
            cache_creation_tokens: Some(200_000),
            ..Usage::default()
        };
        let expected = 0.6 * 3.0 + 0.4 * 0.3 + 0.2 * 3.75 + 0.1 * 15.0;
        assert!((PRICE.cost_usd(&usage).unwrap() - expected).abs() < 1e-9);
    }

    #[test]
    fn what_was_written_to_a_cache_counts_as_tokens() {
        let usage = Usage {
            input_tokens: Some(3),
            output_tokens: Some(50),
            cache_creation_tokens: Some(20_000),
            ..Usage::default()
        };
        assert_eq!(usage.tokens(), 20_053);
    }

    #[test]
    fn all_of_a_call_with_a_long_prompt_costs_more() {
        let price =
            Price { long: Some(LongPrompt { above: 100, input_times: 5.0, output_times: 2.0 }), ..PRICE };
        let usage = |written, turns| Usage {
            input_tokens: Some(100),
            output_tokens: Some(10),
            cache_creation_tokens: Some(written),
            num_turns: turns,
            ..Usage::default()
        };
        assert_eq!(price.cost_usd(&usage(0, Some(1))), PRICE.cost_usd(&usage(0, Some(1))), "not above it");
        let expected = (5.0 * (100.0 * 3.0 + 3.75) + 2.0 * 10.0 * 15.0) / 1e6;
        assert!((price.cost_usd(&usage(1, Some(1))).unwrap() - expected).abs() < 1e-12);
        assert_eq!(price.cost_usd(&usage(1, Some(2))), PRICE.cost_usd(&usage(1, Some(2))), "of two calls");
    }

    #[test]
    fn a_price_below_nothing_is_named() {
        assert_eq!(PRICE.problem(), None);
        let bad = Price { cache_read: -1.0, ..PRICE };
        assert_eq!(bad.problem().as_deref(), Some("cache_read: -1 is not a price"));
    }

    #[test]
    fn unknown_usage_has_no_cost() {
        assert_eq!(PRICE.cost_usd(&Usage::default()), None);
    }
}
