//! What models cost. A shipped table, overridable by a file; an unknown model has no price, and so no cost.

use std::collections::BTreeMap;

use amelia_core::driver::{Price, Usage};

use super::provider::Provider;

/// Prices by model, in USD per million tokens. A name ending in `*` stands for everything that begins so.
#[derive(Debug, Clone, PartialEq)]
pub struct Prices(BTreeMap<String, Price>);

impl Prices {
    /// The shipped table.
    pub fn shipped() -> Result<Self, String> {
        Self::parse(include_str!("prices.json"))
    }

    /// A table from JSON: `{"model": {"input": 3, "output": 15, "cache_read": 0.3, "cache_write": 3.75}}`.
    pub fn parse(text: &str) -> Result<Self, String> {
        serde_json::from_str(text)
            .map(Self)
            .map_err(|error| format!("the price table cannot be read: {error}"))
    }

    /// This table with the entries of `other` put on top.
    #[must_use]
    pub fn overridden_by(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// The price of a model: by its name, else by the longest beginning that is listed.
    #[must_use]
    pub fn of(&self, model: &str) -> Option<Price> {
        let begins = |name: &&String| name.strip_suffix('*').is_some_and(|start| model.starts_with(start));
        let longest = || self.0.keys().filter(begins).max_by_key(|name| name.len());
        self.0.get(model).or_else(|| longest().and_then(|name| self.0.get(name))).copied()
    }

    /// Whether the cost of a call will be known: by its price here, or because the provider tells it.
    #[must_use]
    pub fn is_cost_known(&self, provider: &str, model: &str) -> bool {
        provider == Provider::OpenRouter.to_string() || self.of(model).is_some()
    }

    /// `usage` with its cost, when the provider did not tell it and the price is known.
    #[must_use]
    pub fn priced(&self, usage: Usage) -> Usage {
        let cost_usd = usage.cost_usd.or_else(|| self.of(usage.model.as_deref()?)?.cost_usd(&usage));
        Usage { cost_usd, ..usage }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_beginning_counts_and_unknown_models_have_no_price() {
        let prices = Prices::parse(
            r#"{"m-*": {"input":1,"output":1,"cache_read":1,"cache_write":1},
                "m-big-*": {"input":2,"output":2,"cache_read":2,"cache_write":2}}"#,
        )
        .unwrap();
        let input = |model: &str| prices.of(model).map(|price| price.input);
        assert_eq!((input("m-x"), input("m-big-x"), input("other")), (Some(1.0), Some(2.0), None));
        let unknown = prices.priced(Usage { model: Some("other".to_owned()), ..Usage::default() });
        assert_eq!(unknown.cost_usd, None);
        let is_known = |provider, model| prices.is_cost_known(provider, model);
        assert_eq!(
            (is_known("openai", "m-x"), is_known("openai", "other"), is_known("openrouter", "other")),
            (true, false, true)
        );
    }

    #[test]
    fn the_shipped_table_reads() {
        assert!(Prices::shipped().unwrap().of("deepseek-chat").is_some());
    }
}
