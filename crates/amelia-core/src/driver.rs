//! What drivers say: messages of one agent at work, and what they cost.

use serde::{Deserialize, Serialize};

use crate::id::SessionId;
use crate::tool::{ToolCall, ToolResult};

/// Everything a driver can say. Also the line format between host and worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentMessage {
    /// Live only, never stored.
    Delta {
        text: String,
    },
    Thinking {
        text: String,
    },
    ToolCall(ToolCall),
    ToolResult(ToolResult),
    Usage(Usage),
    Result {
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<SessionId>,
        #[serde(default)]
        is_error: bool,
    },
}

/// What one model call, or several, took. Drivers fill in what they know; `None` is "not told", never 0.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// Includes `cache_read_tokens`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_creation_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub num_turns: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl Usage {
    /// Input and output tokens together, as far as they are known.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.input_tokens.unwrap_or(0).saturating_add(self.output_tokens.unwrap_or(0))
    }
}

/// Price of a model in USD per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Price {
    pub input: f64,
    pub output: f64,
    pub cache_read: f64,
    pub cache_write: f64,
}

impl Price {
    /// Cost of `usage` in USD. `None` when the input or output count is not known: unknown is not free.
    ///
    /// `(input − cache_read) × input_rate + cache_read × cache_read_rate + cache_write × cache_write_rate + output × output_rate`
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "token counts stay far below 2^52")]
    pub fn cost_usd(&self, usage: &Usage) -> Option<f64> {
        let input = usage.input_tokens?;
        let output = usage.output_tokens?;
        let cache_read = usage.cache_read_tokens.unwrap_or(0);
        let cache_write = usage.cache_creation_tokens.unwrap_or(0);
        let base_input = input.saturating_sub(cache_read);
        let micros = base_input as f64 * self.input
            + cache_read as f64 * self.cache_read
            + cache_write as f64 * self.cache_write
            + output as f64 * self.output;
        Some(micros / 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICE: Price = Price { input: 3.0, output: 15.0, cache_read: 0.3, cache_write: 3.75 };

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
    fn unknown_usage_has_no_cost() {
        assert_eq!(PRICE.cost_usd(&Usage::default()), None);
    }
}
