//! The short-term limit of a conversation: what is oldest in it becomes a summary, which is a message of the log. So a turn that
//! is resumed or replayed sees the same. Pure.

use std::sync::Arc;

use amelia_core::message::{Message, Part, Role};
use amelia_core::tag::{UNTRUSTED, tagged};
use amelia_core::text::capped;
use amelia_core::token_count::tokens;
use serde_json::Value;

use crate::conversation::is_word_of;

/// Marks a message that stands for the oldest ones before it, except for the first: those in front of this place. No id is in it,
/// because those of a replay are others.
pub(crate) const FOLDS_BEFORE: &str = "folds_before";
/// The newest messages, which stay as they are.
const KEEP_WHOLE: usize = 6;
/// The fewest messages that are worth a summary.
const MIN_FOLDED: usize = 2;
/// The most bytes that the summary is made from: of one text, of one result, and of all.
const MAX_TEXT: usize = 8_000;
const MAX_RESULT: usize = 2_000;
const MAX_ALL: usize = 120_000;

/// What is oldest in a conversation, before it becomes a summary.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OldPart {
    pub(crate) messages: Vec<Arc<Message>>,
    /// The place after the last of them.
    pub(crate) end: usize,
}

/// The conversation as it continues: each summary in the place of what it stands for.
#[must_use]
pub(crate) fn folded(messages: Vec<Arc<Message>>) -> Vec<Arc<Message>> {
    let mut shown: Vec<Arc<Message>> = Vec::with_capacity(messages.len());
    for message in messages {
        let end = message.metadata.get(FOLDS_BEFORE).and_then(Value::as_u64);
        let end = end.and_then(|end| usize::try_from(end).ok()).filter(|end| (1..=shown.len()).contains(end));
        match end {
            Some(end) => drop(shown.splice(1..end, [message])),
            None => shown.push(message),
        }
    }
    shown
}

/// What a conversation above the limit can do without: all but the first message, the newest ones, and what was said in the visit
/// that `opening` belongs to.
#[must_use]
pub(crate) fn old_part(messages: &[Arc<Message>], limit: u64, opening: &Message) -> Option<OldPart> {
    if tokens(messages) <= limit {
        return None;
    }
    let own = messages.iter().position(|message| is_word_of(message, opening)).unwrap_or(messages.len());
    let mut end = messages.len().saturating_sub(KEEP_WHOLE).min(own);
    // The results of calls stay with the calls.
    while end > 1 && messages.get(end).is_some_and(|next| next.role == Role::Tool) {
        end -= 1;
    }
    let old = messages.get(1..end).filter(|old| old.len() >= MIN_FOLDED)?;
    Some(OldPart { messages: old.to_vec(), end })
}

impl OldPart {
    /// What a model is asked for the summary.
    #[must_use]
    pub(crate) fn question(&self) -> String {
        let all: Vec<String> = self.messages.iter().flat_map(|message| shown(message)).collect();
        let all =
            tagged(UNTRUSTED, &capped(&all.join("\n\n"), MAX_ALL), "the earlier part of the conversation");
        format!("Summarise this earlier part of your conversation.\n\n{all}")
    }

    /// What stands in the conversation instead.
    #[must_use]
    pub(crate) fn summary(&self, text: &str) -> String {
        format!("Summary of the earlier part of this conversation, which is left out:\n\n{}", text.trim())
    }

    /// The same without a summary.
    #[must_use]
    pub(crate) fn gap(&self, why: &str) -> String {
        let count = self.messages.len();
        format!("{count} earlier messages of this conversation are left out without a summary: {why}")
    }
}

/// The parts of a message, as the model that summarises reads them.
fn shown(message: &Message) -> Vec<String> {
    let who = match message.role {
        Role::System | Role::User => "You got",
        Role::Assistant => "You said",
        Role::Tool => "A tool returned",
    };
    let part = |part: &Part| match part {
        Part::Text(text) => Some(format!("{who}: {}", capped(&text.text, MAX_TEXT))),
        Part::ToolCall(call) => {
            let args = serde_json::to_string(&call.args).unwrap_or_default();
            Some(format!("You called {}: {}", call.tool, capped(&args, MAX_RESULT)))
        }
        Part::ToolResult(result) => {
            let text = result.error.as_deref().unwrap_or(&result.output);
            Some(format!("{} returned: {}", result.tool, capped(text, MAX_RESULT)))
        }
        Part::Thinking(_)
        | Part::Artifact(_)
        | Part::Image(_)
        | Part::Audio(_)
        | Part::Memory(_)
        | Part::Guardrail(_) => None,
    };
    message.parts.iter().filter_map(part).collect()
}

#[cfg(test)]
#[path = "short_term_tests.rs"]
mod tests;
