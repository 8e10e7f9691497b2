//! What each model call used, read from the stream: the program's own sums come too late to stop it. Pure.

use amelia_core::driver::Usage;
use serde_json::Value;

/// The call under way, per conversation: the main one, and one for each sub-agent.
#[derive(Debug, Default)]
pub(super) struct Spending {
    model: Option<String>,
    usage: Value,
}

impl Spending {
    /// Takes one event of the stream; what a call used, once it has ended.
    pub(super) fn read(&mut self, event: &Value) -> Option<Usage> {
        match event.get("type").and_then(Value::as_str)? {
            "message_start" => {
                self.model = event.pointer("/message/model").and_then(Value::as_str).map(str::to_owned);
                self.usage = event.pointer("/message/usage").cloned().unwrap_or_default();
                None
            }
            "message_delta" => {
                if let (Some(known), Some(Value::Object(more))) =
                    (self.usage.as_object_mut(), event.get("usage").cloned())
                {
                    known.extend(more.into_iter().filter(|(_, value)| !value.is_null()));
                }
                None
            }
            "message_stop" => Some(self.usage()),
            _ => None,
        }
    }

    fn usage(&mut self) -> Usage {
        let usage = std::mem::take(&mut self.usage);
        let count = |name: &str| usage.get(name).and_then(Value::as_u64);
        let (read, written) = (count("cache_read_input_tokens"), count("cache_creation_input_tokens"));
        Usage {
            // Theirs leaves out what came from the cache.
            input_tokens: count("input_tokens").map(|plain| plain.saturating_add(read.unwrap_or(0))),
            output_tokens: count("output_tokens"),
            cache_read_tokens: read,
            cache_creation_tokens: written,
            cache_creation_1h_tokens: usage
                .pointer("/cache_creation/ephemeral_1h_input_tokens")
                .and_then(Value::as_u64)
                .filter(|tokens| *tokens > 0),
            num_turns: Some(1),
            model: self.model.take(),
            ..Usage::default()
        }
    }
}
