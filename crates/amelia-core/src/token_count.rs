//! A rough count of tokens, on the safe side: providers tell the truth afterwards. Pure.

use std::sync::Arc;

use crate::message::{Message, Part};

/// About what a large image takes.
const IMAGE_TOKENS: u64 = 1600;

/// The tokens of a conversation.
#[must_use]
pub fn tokens(messages: &[Arc<Message>]) -> u64 {
    messages.iter().map(|message| message.parts.iter().map(part_tokens).sum::<u64>() + 8).sum()
}

/// The same for a text: about 3.5 bytes each.
#[must_use]
pub fn tokens_of(text: &str) -> u64 {
    tokens_of_bytes(text.len())
}

/// The same for so many bytes of one.
#[must_use]
pub fn tokens_of_bytes(bytes: usize) -> u64 {
    (bytes as u64).saturating_mul(2) / 7
}

/// The same for an answer.
#[must_use]
pub fn output_tokens(parts: &[Part]) -> u64 {
    parts.iter().map(part_tokens).sum()
}

fn part_tokens(part: &Part) -> u64 {
    match part {
        Part::Text(part) => tokens_of(&part.text),
        Part::Thinking(part) => tokens_of(&part.text),
        Part::ToolCall(call) => serde_json::to_string(&call.args).map_or(0, |args| tokens_of(&args)) + 16,
        Part::ToolResult(result) => {
            let images = IMAGE_TOKENS * result.images.len() as u64;
            tokens_of(&result.output) + result.error.as_deref().map_or(0, tokens_of) + images + 16
        }
        Part::Artifact(_) | Part::Image(_) | Part::Audio(_) | Part::Memory(_) | Part::Guardrail(_) => 64,
    }
}
