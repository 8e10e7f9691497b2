//! What a model reads about its last answer, so that it continues.

use amelia_core::message::{Message, Role};

/// Said after an answer that did not come to its end. What follows belongs to it.
pub(super) const CUT: &str =
    "Your answer was cut off by the output limit. Continue exactly where it stopped.";
pub(super) const WINDOW_FULL: &str = "Your answer was cut off because your context was full. Old results have been shortened. Continue exactly where it stopped.";
pub(super) const PAUSED: &str = "Continue.";
/// Said after an answer in which there is nothing.
pub(super) const SILENT: &str = "You gave no answer and called no tool. Continue, or end your turn in the way that your instructions say.";
/// The same when it was cut off: all of it was thinking.
pub(super) const ALL_THOUGHT: &str =
    "Your answer was cut off by the output limit before it began. Think less, and answer in smaller parts.";
/// How the word begins that follows an answer of the wrong shape.
pub(super) const MISFIT: &str = "Your answer does not match the schema: ";

/// After this the model continues an answer that was cut off.
pub(super) fn is_continuation(message: &Message) -> bool {
    message.role == Role::User && [CUT, WINDOW_FULL, PAUSED].contains(&message.text().as_str())
}

/// A word of ours about the last answer. It means nothing without that.
pub(super) fn is_nudge(message: &Message) -> bool {
    let text = message.text();
    let is_ours = [SILENT, ALL_THOUGHT].contains(&text.as_str()) || text.starts_with(MISFIT);
    message.role == Role::User && (is_ours || is_continuation(message))
}
