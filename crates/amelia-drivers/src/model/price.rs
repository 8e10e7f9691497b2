//! What models cost. A model without a price has no cost.

use std::collections::BTreeMap;

use amelia_core::driver::{Price, Usage};

use super::Provider;
use super::catalog::Catalog;

/// Prices of models, in USD per million tokens.
#[derive(Debug, Clone, PartialEq)]
pub struct Prices {
    catalog: Catalog,
    /// A user's own. A name ending in `*` stands for everything that begins so.
    own: BTreeMap<String, Price>,
}

impl Prices {
    /// Those of a table of models.
    #[must_use]
    pub fn of_models(catalog: Catalog) -> Self {
        Self { catalog, own: BTreeMap::new() }
    }

    /// The shipped ones.
    pub fn shipped() -> Result<Self, String> {
        Catalog::shipped().map(Self::of_models)
    }

    /// These, with a user's own on top:
    /// `{"model": {"input": 3, "output": 15, "cache_read": 0.3, "cache_write": 3.75}}`.
    pub fn with_own(self, text: &str) -> Result<Self, String> {
        let own: BTreeMap<String, Price> =
            serde_json::from_str(text).map_err(|error| format!("the price table cannot be read: {error}"))?;
        for (name, price) in &own {
            if let Some(problem) = price.problem() {
                return Err(format!("the price table cannot be used: {name}.{problem}"));
            }
        }
        Ok(Self { own, ..self })
    }

    /// The price of a model: a user's own, by its name or the longest beginning, else the shipped one.
    #[must_use]
    pub fn of(&self, model: &str) -> Option<Price> {
        let begins = |name: &&String| name.strip_suffix('*').is_some_and(|start| model.starts_with(start));
        let longest = || self.own.keys().filter(begins).max_by_key(|name| name.len());
        let own = self.own.get(model).or_else(|| longest().and_then(|name| self.own.get(name)));
        own.copied().or_else(|| self.catalog.of(model)?.price)
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
    fn the_shipped_prices_rise_with_long_prompts() {
        let prices = Prices::shipped().unwrap();
        let cost = |model: &str, input| {
            let (input_tokens, output_tokens, model) = (Some(input), Some(0), Some(model.to_owned()));
            let usage = Usage { input_tokens, output_tokens, model, num_turns: Some(1), ..Usage::default() };
            prices.priced(usage).cost_usd.unwrap()
        };
        assert!((cost("claude-haiku-5-5", 150_000) - 0.075).abs() < 1e-9);
        assert!((cost("gpt-6-luna", 300_000) - 0.06).abs() < 1e-9);
        assert!((cost("gpt-6-luna", 270_000) - 0.027).abs() < 1e-9);
    }

    #[test]
    fn the_longest_beginning_counts_and_unknown_models_have_no_price() {
        let own = r#"{"m-*": {"input":1,"output":1,"cache_read":1,"cache_write":1},
                "m-big-*": {"input":2,"output":2,"cache_read":2,"cache_write":2}}"#;
        let prices = Prices::shipped().unwrap().with_own(own).unwrap();
        let input = |model: &str| prices.of(model).map(|price| price.input);
        assert_eq!((input("m-x"), input("m-big-x"), input("other")), (Some(1.0), Some(2.0), None));
        let unknown = prices.priced(Usage { model: Some("other".to_owned()), ..Usage::default() });
        assert_eq!(unknown.cost_usd, None);
        let is_known = |provider, model| prices.is_cost_known(provider, model);
        let negative = r#"{"m": {"input":-1,"output":1,"cache_read":1,"cache_write":1}}"#;
        let error = prices.clone().with_own(negative).unwrap_err();
        assert!(error.ends_with("m.input: -1 is not a price"), "{error}");
        assert_eq!(
            (is_known("openai", "m-x"), is_known("openai", "other"), is_known("openrouter", "other")),
            (true, false, true)
        );
    }
}
