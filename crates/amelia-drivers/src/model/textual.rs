//! Models without tool calls of their own: tools are described in the system prompt, calls are written as text between
//! tags, results come back as text. Everything above sees the same parts as with any other model.

mod hidden;
pub(crate) mod protocol;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use amelia_core::driver::{DeltaKind, DriverError};
use amelia_core::message::Part;
use futures_util::StreamExt;

use self::hidden::Hidden;
use super::{Model, ModelFailure, ModelReply, ModelRequest, ReplyChunk, ReplyStream, StopReason};

/// A model that is spoken to in text, always or once it has said that it takes no tools.
pub struct Textual {
    inner: Arc<dyn Model>,
    is_on: Arc<AtomicBool>,
}

impl Textual {
    /// For a model that is known to have no tool calls.
    #[must_use]
    pub fn always(inner: Arc<dyn Model>) -> Self {
        Self { inner, is_on: Arc::new(AtomicBool::new(true)) }
    }

    /// For any model: the first refusal of tools turns it on.
    #[must_use]
    pub fn when_needed(inner: Arc<dyn Model>) -> Self {
        Self { inner, is_on: Arc::default() }
    }
}

impl Model for Textual {
    fn provider(&self) -> &str {
        self.inner.provider()
    }

    fn told(&self, model: &str, failure: &ModelFailure) -> String {
        self.inner.told(model, failure)
    }

    fn ask(&self, request: ModelRequest) -> ReplyStream {
        if request.tools.is_empty() {
            return self.inner.ask(request);
        }
        let (inner, is_on) = (Arc::clone(&self.inner), Arc::clone(&self.is_on));
        Box::pin(async_stream::stream! {
            if !is_on.load(Ordering::Relaxed) {
                let mut pieces = inner.ask(request.clone());
                let mut refused = false;
                while let Some(piece) = pieces.next().await {
                    refused = matches!(&piece, Err(failure) if is_about_tools(failure));
                    if !refused {
                        yield piece;
                    }
                }
                if !refused {
                    return;
                }
                is_on.store(true, Ordering::Relaxed);
                yield Ok(ReplyChunk::Notice("the model accepts no tools: they are described to it in text".to_owned()));
            }
            let mut hidden = Hidden::default();
            let mut pieces = inner.ask(protocol::in_text(request));
            while let Some(piece) = pieces.next().await {
                match piece {
                    Ok(ReplyChunk::Delta(DeltaKind::Text, text)) => {
                        let shown = hidden.feed(&text);
                        if !shown.is_empty() {
                            yield Ok(ReplyChunk::Delta(DeltaKind::Text, shown));
                        }
                    }
                    Ok(ReplyChunk::Reply(reply)) => yield Ok(ReplyChunk::Reply(read(reply))),
                    other => yield other,
                }
            }
        })
    }

    fn give_up(&self, failure: ModelFailure, model: &str, tries: u32) -> DriverError {
        self.inner.give_up(failure, model, tries)
    }
}

/// The reply with its calls as calls.
fn read(reply: ModelReply) -> ModelReply {
    let mut parts = Vec::new();
    for part in reply.parts {
        match part {
            Part::Text(text) => parts.extend(protocol::read(&text.text)),
            other => parts.push(other),
        }
    }
    let has_calls = parts.iter().any(|part| matches!(part, Part::ToolCall(_)));
    let stop = if has_calls { StopReason::Tools } else { reply.stop };
    ModelReply { parts, stop, ..reply }
}

/// How servers say that a model, or the way it was started, has no tools. Nothing else is taken for it: a model that has
/// tools must not be spoken to in text because something else was wrong with a request.
const NO_TOOLS: [&str; 6] = [
    // Ollama, and others.
    "does not support tools",
    "do not support tools",
    "does not support function calling",
    // vLLM
    "--enable-auto-tool-choice",
    // llama.cpp
    "tools param requires --jinja",
    // OpenRouter
    "no endpoints found that support tool use",
];

fn is_about_tools(failure: &ModelFailure) -> bool {
    let ModelFailure::Status { status: 400 | 404 | 422 | 500 | 501, detail, .. } = failure else {
        return false;
    };
    let detail = detail.to_lowercase();
    NO_TOOLS.iter().any(|words| detail.contains(words))
}

#[cfg(test)]
mod tests;
