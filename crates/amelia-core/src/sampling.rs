//! A server that asks for an answer of a model in the middle of a tool call.

use async_trait::async_trait;

/// What a server wants to be answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SamplingRequest {
    /// Its instructions and its conversation, as one text.
    pub prompt: String,
    /// The longest answer, in tokens.
    pub max_tokens: Option<u64>,
}

/// What a model said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SamplingAnswer {
    pub text: String,
    pub model: String,
}

/// Answers with the model of the agent that made the call.
#[async_trait]
pub trait Sampler: Send + Sync {
    /// `Err` says why there is no answer; the server reads it.
    async fn sample(&self, request: SamplingRequest) -> Result<SamplingAnswer, String>;
}
