//! Models over HTTP: one request, one streamed reply. Three wire formats, one path.

mod breaker;
mod catalog;
mod chat;
mod codec;
mod encoded;
mod exchange;
mod failure;
#[cfg(fuzzing)]
pub(crate) mod fuzzing;
mod http;
mod images;
mod lenient;
pub(crate) mod messages;
mod price;
mod refusal;
mod responses;
mod sse;
mod tally;
pub(crate) mod textual;
mod traits;
mod transport;
mod waiting;

#[cfg(test)]
mod codec_tests;

use std::pin::Pin;
use std::sync::Arc;

use amelia_core::driver::{AnswerShape, DeltaKind, DriverError, ModelOptions, Usage};
use amelia_core::message::{Message, Part};
use amelia_core::recording::Channel;
use amelia_core::tool::ToolSpec;
use futures_util::Stream;

pub use amelia_core::config::provider::{Provider, WireFormat};
pub use breaker::Breaker;
pub use catalog::{Catalog, ModelInfo, ReasoningEcho, Thinking};
pub use encoded::EncodedMessages;
pub(crate) use failure::LONGEST_RETRY;
pub use failure::{ModelFailure, RetryDecision};
pub use http::{HttpModel, Timeouts, cannot_reach, client, client_for, local_client, prepare_tls};
pub(crate) use images::UNREADABLE_RESULT;
pub use price::Prices;
pub use refusal::refusal;
pub use sse::{SseEvent, SseParser};
pub use tally::Tally;
pub use textual::Textual;
pub use traits::Traits;
pub use transport::{
    ByteStream, ModelResponse, ModelTransport, Network, OnEnd, PlayedTransport, TapedTransport, cause,
};

/// What a model is asked. Cheap to clone: messages are shared.
#[derive(Debug, Clone)]
pub struct ModelRequest {
    pub model: String,
    pub system: String,
    pub messages: Arc<Vec<Arc<Message>>>,
    /// The first message that is not as it was when the ones after it were said; `None` when all are.
    pub changed_from: Option<usize>,
    pub tools: Arc<Vec<ToolSpec>>,
    pub answer: Option<AnswerShape>,
    pub options: ModelOptions,
    /// How the model is spoken to; who asks need not know.
    pub traits: Traits,
    /// Where the exchange is kept.
    pub channel: Channel,
}

/// What comes back, as it comes. Ends with exactly one [`Piece::Reply`], or an error.
#[derive(Debug, Clone, PartialEq)]
pub enum ReplyChunk {
    Delta(DeltaKind, String),
    /// So many bytes of the arguments of a call, which people do not see and which cost as much as words.
    Arguments(usize),
    /// What the provider has told of the call so far. It is paid for, whether or not a reply comes.
    Told(Usage),
    /// Something that people should know about the model.
    Notice(String),
    /// The model is a scripted one.
    Scripted,
    Reply(ModelReply),
}

/// One complete answer of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelReply {
    /// Thinking, text and tool calls, in order.
    pub parts: Vec<Part>,
    pub usage: Usage,
    pub stop: StopReason,
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    Done,
    Tools,
    /// The output limit cut it off.
    Length,
    /// The window of the model was full.
    WindowFull,
    /// The provider paused a long turn, to be continued.
    Paused,
    Refused,
}

/// A reply on its way.
pub type ReplyStream = Pin<Box<dyn Stream<Item = Result<ReplyChunk, ModelFailure>> + Send>>;

/// Something that answers. One try: retries are the caller's.
pub trait Model: Send + Sync {
    /// Who is asked, for messages and for the breaker.
    fn provider(&self) -> &str;

    /// Asks once. Dropping the stream ends the request.
    fn ask(&self, request: ModelRequest) -> ReplyStream;

    /// The message about a failed try, with the model and where it should be.
    fn told(&self, model: &str, failure: &ModelFailure) -> String;

    /// What a failure means for the agent, after `tries` tries.
    fn give_up(&self, failure: ModelFailure, model: &str, tries: u32) -> DriverError;
}
