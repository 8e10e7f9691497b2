//! What agents have said on the screen, so that the end of a run does not say it again. Pure.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// The texts so far; a long run has many, so only their hashes are kept.
#[derive(Debug, Default)]
pub(super) struct SaidTexts(HashSet<u64>);

impl SaidTexts {
    /// An agent has said this.
    pub(super) fn note(&mut self, text: &str) {
        self.0.insert(hash(text));
    }

    /// Whether one has said it before, in the same words.
    pub(super) fn has(&self, text: &str) -> bool {
        self.0.contains(&hash(text))
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.trim().hash(&mut hasher);
    hasher.finish()
}
