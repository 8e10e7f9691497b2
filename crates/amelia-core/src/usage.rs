//! What calls of models took, and what they cost.

use serde::{Deserialize, Serialize};

/// What one model call, or several, took. Drivers fill in what they know; `None` is "not told", never 0.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct Usage {
    /// Includes `cache_read_tokens`, and not `cache_creation_tokens`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_creation_tokens: Option<u64>,
    /// Of these, those that are kept for an hour, which costs more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_creation_1h_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub num_turns: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The tokens were not told, or not all of them: they are estimated.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
    pub is_estimated: bool,
}

impl Usage {
    /// Input and output tokens together, as far as they are known. What was written to a cache is input, too.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.prompt_tokens().saturating_add(self.output_tokens.unwrap_or(0))
    }

    /// All that was sent: read from a cache, written to it, or neither.
    #[must_use]
    pub fn prompt_tokens(&self) -> u64 {
        self.input_tokens.unwrap_or(0).saturating_add(self.cache_creation_tokens.unwrap_or(0))
    }
}

/// Price of a model in USD per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(from = "WrittenPrice")]
pub struct Price {
    pub input: f64,
    pub output: f64,
    pub cache_read: f64,
    pub cache_write: f64,
    /// What is kept for an hour; 1.6 times the other by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write_1h: Option<f64>,
    /// What a long prompt costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long: Option<LongPrompt>,
}

/// A price as a person writes it. What is read from or written to a cache costs as much as other input unless it is said.
#[derive(Deserialize)]
struct WrittenPrice {
    input: f64,
    output: f64,
    cache_read: Option<f64>,
    cache_write: Option<f64>,
    cache_write_1h: Option<f64>,
    long: Option<LongPrompt>,
}

impl From<WrittenPrice> for Price {
    fn from(written: WrittenPrice) -> Self {
        let WrittenPrice { input, output, cache_read, cache_write, cache_write_1h, long } = written;
        let (cache_read, cache_write) = (cache_read.unwrap_or(input), cache_write.unwrap_or(input));
        Self { input, output, cache_read, cache_write, cache_write_1h, long }
    }
}

/// How much more all of a call costs whose prompt is long.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LongPrompt {
    /// A prompt with more tokens than this.
    pub above: u64,
    /// So many times the price of input, also from and to the cache.
    pub input_times: f64,
    /// So many times the price of output.
    pub output_times: f64,
}

/// Twice the input instead of one and a quarter.
const HOUR_FACTOR: f64 = 1.6;

impl Price {
    /// Cost of `usage` in USD. `None` when the input or output count is not known: unknown is not free.
    ///
    /// `(input − cache_read) × input_rate + cache_read × cache_read_rate + cache_write × cache_write_rate + output × output_rate`,
    /// with a rate of its own for what is written to the cache for an hour, and for a long prompt.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "token counts stay far below 2^52")]
    pub fn cost_usd(&self, usage: &Usage) -> Option<f64> {
        let input = usage.input_tokens?;
        let output = usage.output_tokens?;
        let cache_read = usage.cache_read_tokens.unwrap_or(0);
        let cache_write = usage.cache_creation_tokens.unwrap_or(0);
        let for_an_hour = usage.cache_creation_1h_tokens.unwrap_or(0).min(cache_write);
        let hourly = self.cache_write_1h.unwrap_or(self.cache_write * HOUR_FACTOR);
        let base_input = input.saturating_sub(cache_read);
        let prompt = base_input as f64 * self.input
            + cache_read as f64 * self.cache_read
            + (cache_write - for_an_hour) as f64 * self.cache_write
            + for_an_hour as f64 * hourly;
        // The sum of several calls says nothing about the prompt of any.
        let is_one = usage.num_turns == Some(1);
        let long = self.long.filter(|long| is_one && usage.prompt_tokens() > long.above);
        let (input_times, output_times) =
            long.map_or((1.0, 1.0), |long| (long.input_times, long.output_times));
        Some((prompt * input_times + output as f64 * self.output * output_times) / 1e6)
    }

    /// Why this cannot be a price: the field, and what is wrong with it.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        let long = self
            .long
            .map(|long| [("long.input_times", long.input_times), ("long.output_times", long.output_times)]);
        let hourly = self.cache_write_1h.map(|price| ("cache_write_1h", price));
        let prices = [
            ("input", self.input),
            ("output", self.output),
            ("cache_read", self.cache_read),
            ("cache_write", self.cache_write),
        ];
        let all = prices.into_iter().chain(hourly).chain(long.into_iter().flatten());
        let bad = |(_, price): &(&str, f64)| !price.is_finite() || *price < 0.0;
        all.into_iter().find(bad).map(|(field, price)| format!("{field}: {price} is not a price"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICE: Price = Price {
        input: 3.0,
        output: 15.0,
        cache_read: 0.3,
        cache_write: 3.75,
        cache_write_1h: None,
        long: None,
    };

    #[test]
    fn a_price_without_a_cache_costs_as_much_as_input() {
        let price: Price = serde_json::from_str(r#"{"input": 3, "output": 15}"#).unwrap();
        assert_eq!((price.cache_read, price.cache_write), (3.0, 3.0));
        assert!(serde_json::from_str::<Price>(r#"{"input": 3}"#).is_err());
        let again: Price = serde_json::from_value(serde_json::to_value(PRICE).unwrap()).unwrap();
        assert_eq!(again, PRICE);
    }

    #[test]
    fn cache_reads_are_part_of_the_input_and_cheaper() {
        let usage = Usage {
            input_tokens: Some(1_000_000),
            output_tokens: Some(100_000),
            cache_read_tokens: Some(400_000),
            cache_creation_tokens: Some(200_000),
            ..Usage::default()
        };
        let expected = 0.6 * 3.0 + 0.4 * 0.3 + 0.2 * 3.75 + 0.1 * 15.0;
        assert!((PRICE.cost_usd(&usage).unwrap() - expected).abs() < 1e-9);
    }

    #[test]
    fn what_was_written_to_a_cache_counts_as_tokens() {
        let usage = Usage {
            input_tokens: Some(3),
            output_tokens: Some(50),
            cache_creation_tokens: Some(20_000),
            ..Usage::default()
        };
        assert_eq!(usage.tokens(), 20_053);
    }

    #[test]
    fn all_of_a_call_with_a_long_prompt_costs_more() {
        let price =
            Price { long: Some(LongPrompt { above: 100, input_times: 5.0, output_times: 2.0 }), ..PRICE };
        let usage = |written, turns| Usage {
            input_tokens: Some(100),
            output_tokens: Some(10),
            cache_creation_tokens: Some(written),
            num_turns: turns,
            ..Usage::default()
        };
        assert_eq!(price.cost_usd(&usage(0, Some(1))), PRICE.cost_usd(&usage(0, Some(1))), "not above it");
        let expected = (5.0 * (100.0 * 3.0 + 3.75) + 2.0 * 10.0 * 15.0) / 1e6;
        assert!((price.cost_usd(&usage(1, Some(1))).unwrap() - expected).abs() < 1e-12);
        assert_eq!(price.cost_usd(&usage(1, Some(2))), PRICE.cost_usd(&usage(1, Some(2))), "of two calls");
    }

    #[test]
    fn a_price_below_nothing_is_named() {
        assert_eq!(PRICE.problem(), None);
        let bad = Price { cache_read: -1.0, ..PRICE };
        assert_eq!(bad.problem().as_deref(), Some("cache_read: -1 is not a price"));
    }

    #[test]
    fn unknown_usage_has_no_cost() {
        assert_eq!(PRICE.cost_usd(&Usage::default()), None);
    }
}
