//! An answer, the same for all three APIs, and its pieces. Made from a scripted speech and the request it answers.

use std::borrow::Cow;
use std::sync::Arc;

use crate::conversation::{ScriptedRequest, Wants, estimate};
use crate::fingerprint;
use crate::script::{ScriptedStop, Speech};

/// Stands for what a person said.
const SPOKEN: &str = "{spoken}";

#[derive(Debug)]
pub(crate) struct ScriptedAnswer {
    /// Sixteen digits, the same for the same conversation.
    pub(crate) id: String,
    pub(crate) model: String,
    pub(crate) thinking: Option<Arc<str>>,
    pub(crate) text: Arc<str>,
    pub(crate) calls: Vec<Call>,
    /// `None`: none is reported.
    pub(crate) tokens: Option<TokenCounts>,
    pub(crate) stop: ScriptedStop,
    pub(crate) wants: Wants,
}

#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) args: Arc<str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TokenCounts {
    /// With cache reads and writes.
    pub(crate) input: u64,
    pub(crate) output: u64,
    pub(crate) cache_read: u64,
    pub(crate) cache_write: u64,
    pub(crate) reasoning: u64,
}

impl ScriptedAnswer {
    pub(crate) fn new(speech: &Speech, asked: &ScriptedRequest) -> Self {
        let id = conversation_id(asked);
        let spoken = asked.spoken().unwrap_or_default();
        // In arguments it stands within a JSON string.
        let quoted = serde_json::Value::from(spoken.as_str()).to_string();
        let quoted = quoted.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or_default();
        let calls = speech.calls.iter().enumerate().map(|(index, call)| Call {
            id: call.id.clone().unwrap_or_else(|| format!("call_{id}_{index}")),
            name: call.name.clone(),
            args: with_words(&call.args, quoted).into(),
        });
        let calls: Vec<Call> = calls.collect();
        let by_default = if calls.is_empty() { ScriptedStop::EndTurn } else { ScriptedStop::ToolUse };
        Self {
            model: asked.model.clone(),
            thinking: speech.thinking.as_deref().map(Arc::from),
            text: with_words(&speech.text, &spoken).repeat(speech.repeat).into(),
            tokens: tokens(speech, asked),
            stop: speech.stop.unwrap_or(by_default),
            wants: asked.wants,
            calls,
            id,
        }
    }
}

fn with_words<'a>(text: &'a str, spoken: &str) -> Cow<'a, str> {
    match text.contains(SPOKEN) {
        true => text.replace(SPOKEN, spoken).into(),
        false => text.into(),
    }
}

fn conversation_id(asked: &ScriptedRequest) -> String {
    let whole = format!("{}\n{}\n{}\n{}", asked.wire, asked.model, asked.system, asked.text());
    format!("{:016x}", fingerprint::of(whole.as_bytes()))
}

fn tokens(speech: &Speech, asked: &ScriptedRequest) -> Option<TokenCounts> {
    let usage = &speech.usage;
    if usage.omit {
        return None;
    }
    let thought = speech.thinking.as_ref().map_or(0, String::len);
    let called: usize = speech.calls.iter().map(|call| call.name.len() + call.args.len()).sum();
    let said = speech.text.len().saturating_mul(speech.repeat) + called;
    let reasoning = if usage.reasoning == 0 { estimate(thought) } else { usage.reasoning };
    let cached = usage.cache_read.saturating_add(usage.cache_write);
    Some(TokenCounts {
        input: usage.input.unwrap_or_else(|| asked.estimated_tokens().saturating_add(cached)),
        output: usage.output.unwrap_or_else(|| estimate(said).saturating_add(reasoning)),
        cache_read: usage.cache_read,
        cache_write: usage.cache_write,
        reasoning,
    })
}

/// A text in pieces of so many characters. An empty text has none.
pub(crate) fn pieces(text: &Arc<str>, characters: usize) -> impl Iterator<Item = String> + Send + use<> {
    let text = Arc::clone(text);
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let end = rest.char_indices().nth(characters).map_or(rest.len(), |(end, _)| end);
        at += end;
        rest.get(..end).map(str::to_owned)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_whole_characters_and_together_the_text() {
        let text: Arc<str> = "aé漢🦀b".into();
        assert_eq!(pieces(&text, 2).collect::<Vec<_>>(), ["aé", "漢🦀", "b"]);
        assert_eq!(pieces(&text, 100).collect::<Vec<_>>(), ["aé漢🦀b"]);
        assert_eq!(pieces(&"".into(), 3).count(), 0);
    }
}
