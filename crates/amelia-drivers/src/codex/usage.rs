//! What its model calls took, as it says itself. Pure.

use std::collections::BTreeMap;

use amelia_core::driver::Usage;
use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Tokens {
    #[serde(alias = "input_tokens")]
    input_tokens: u64,
    #[serde(default, alias = "cached_input_tokens")]
    cached_input_tokens: u64,
    #[serde(default, alias = "cache_write_input_tokens")]
    cache_write_input_tokens: u64,
    #[serde(default, alias = "output_tokens")]
    output_tokens: u64,
}

impl Tokens {
    /// As usage of ours; both count what was read from a cache as input, and only theirs what was written to it.
    pub(super) fn used(&self, model: &str, calls: Option<u32>) -> Usage {
        Usage {
            input_tokens: Some(self.input_tokens.saturating_sub(self.cache_write_input_tokens)),
            output_tokens: Some(self.output_tokens),
            cache_read_tokens: Some(self.cached_input_tokens),
            cache_creation_tokens: Some(self.cache_write_input_tokens),
            num_turns: calls,
            model: Some(model.to_owned()),
            ..Usage::default()
        }
    }
}

#[derive(Deserialize)]
struct Updated {
    total: Tokens,
    last: Tokens,
}

/// The running totals of a conversation and of those that it has started.
#[derive(Debug, Clone, Default)]
pub(super) struct Meter {
    totals: BTreeMap<String, Tokens>,
}

impl Meter {
    /// The model call that an update is about; `None` when it says what was said before.
    pub(super) fn counted(&mut self, thread: &str, update: &Value) -> Option<Tokens> {
        let Updated { total, last } = Updated::deserialize(update.get("tokenUsage")?).ok()?;
        let is_new = self.totals.get(thread) != Some(&total);
        self.totals.insert(thread.to_owned(), total);
        is_new.then_some(last)
    }
}
