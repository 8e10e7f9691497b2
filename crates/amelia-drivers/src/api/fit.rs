//! Keeping a conversation within the model's window. Pure and deterministic: the log keeps everything, this is only
//! what the model is shown. The system prompt and the first message are never touched, and a call is never
//! separated from its result.

use std::sync::Arc;

use amelia_core::message::{Message, Part, Role};
use amelia_core::text::capped;

/// Of the window, how much the conversation may take.
const SHARE: u64 = 80;
/// The newest messages are shown whole.
const KEEP_WHOLE: usize = 6;
/// What is left of an old tool result.
const OLD_RESULT: usize = 400;

/// The messages to show, and how many of them were shortened or left out. `total` is their token count.
#[must_use]
pub fn fit(messages: &[Arc<Message>], total: u64, system: &str, window: u64) -> (Vec<Arc<Message>>, usize) {
    let room = (window / 100).saturating_mul(SHARE).saturating_sub(tokens_of(system));
    if total <= room {
        return (messages.to_vec(), 0);
    }
    let recent = messages.len().saturating_sub(KEEP_WHOLE);
    let mut shown: Vec<Arc<Message>> = Vec::with_capacity(messages.len());
    let mut changed = 0;
    for (index, message) in messages.iter().enumerate() {
        let is_old_result = index < recent && message.role == Role::Tool;
        changed += usize::from(is_old_result);
        shown.push(if is_old_result { Arc::new(shortened(message)) } else { Arc::clone(message) });
    }
    while tokens(&shown) > room {
        let dropped = drop_oldest(&mut shown);
        if dropped == 0 {
            break;
        }
        changed += dropped;
    }
    (shown, changed)
}

/// Drops the oldest turn after the first message, with the results of its calls.
fn drop_oldest(shown: &mut Vec<Arc<Message>>) -> usize {
    let is_result =
        |message: Option<&Arc<Message>>| message.is_some_and(|message| message.role == Role::Tool);
    let mut end = 2;
    while is_result(shown.get(end)) {
        end += 1;
    }
    // What is left must still be a conversation: the first message and the newest exchange.
    if shown.len() < end + 2 {
        return 0;
    }
    shown.drain(1..end).count()
}

fn shortened(message: &Message) -> Message {
    let mut message = message.clone();
    for part in &mut message.parts {
        if let Part::ToolResult(result) = part {
            result.output = capped(&result.output, OLD_RESULT);
        }
    }
    message
}

/// A rough count, on the safe side: providers tell the truth afterwards.
#[must_use]
pub fn tokens(messages: &[Arc<Message>]) -> u64 {
    messages.iter().map(|message| message.parts.iter().map(part_tokens).sum::<u64>() + 8).sum()
}

/// The same for a text: about 3.5 bytes each.
#[must_use]
pub fn tokens_of(text: &str) -> u64 {
    (text.len() as u64).saturating_mul(2) / 7
}

fn part_tokens(part: &Part) -> u64 {
    match part {
        Part::Text(part) => tokens_of(&part.text),
        Part::Thinking(part) => tokens_of(&part.text),
        Part::ToolCall(call) => tokens_of(&serde_json::Value::Object(call.args.clone()).to_string()) + 16,
        Part::ToolResult(result) => {
            tokens_of(&result.output) + result.error.as_deref().map_or(0, tokens_of) + 16
        }
        Part::Artifact(_) | Part::Image(_) | Part::Audio(_) | Part::Memory(_) | Part::Guardrail(_) => 64,
    }
}
