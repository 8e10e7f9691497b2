//! What providers say of the tokens that a call took, read out of answers that are for others. Pure.

use amelia_core::driver::Usage;
use amelia_core::message::Object;
use serde_json::Value;

use super::{WireFormat, chat, messages, responses};

/// The usage of one call, as far as it was reported.
#[derive(Debug, Clone)]
pub struct Tally {
    wire: WireFormat,
    told: Option<Usage>,
    /// Messages tells it in parts.
    parts: Object,
}

impl Tally {
    /// Nothing was reported yet.
    #[must_use]
    pub fn new(wire: WireFormat) -> Self {
        Self { wire, told: None, parts: Object::new() }
    }

    /// Takes an event of a stream, or a whole answer.
    pub fn take(&mut self, said: &Value) {
        let inner = match self.wire {
            WireFormat::Chat => None,
            WireFormat::Responses => said.pointer("/response/usage"),
            WireFormat::Messages => said.pointer("/message/usage"),
        };
        let Some(usage) = inner.or_else(|| said.get("usage")).filter(|usage| usage.is_object()) else {
            return;
        };
        self.told = Some(match self.wire {
            WireFormat::Chat => chat::usage(usage),
            WireFormat::Responses => responses::usage(usage),
            WireFormat::Messages => {
                messages::take_usage(&mut self.parts, Some(usage));
                messages::usage(&self.parts)
            }
        });
    }

    /// What was reported so far.
    #[must_use]
    pub fn usage(&self) -> Option<&Usage> {
        self.told.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(wire: WireFormat, said: &[Value]) -> Option<(Option<u64>, Option<u64>, Option<u64>)> {
        let mut tally = Tally::new(wire);
        said.iter().for_each(|said| tally.take(said));
        tally.usage().map(|usage| (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens))
    }

    #[test]
    fn usage_is_found_in_streams_and_whole_answers_of_every_format() {
        let chat = json!({"usage": {"prompt_tokens": 3, "completion_tokens": 4}});
        assert_eq!(told(WireFormat::Chat, &[json!({"usage": null}), chat]), Some((Some(3), Some(4), None)));
        let usage =
            json!({"input_tokens": 3, "output_tokens": 4, "input_tokens_details": {"cached_tokens": 2}});
        for said in [json!({"response": {"usage": usage}}), json!({"usage": usage})] {
            assert_eq!(told(WireFormat::Responses, &[said]), Some((Some(3), Some(4), Some(2))));
        }
        let start = json!({"message": {"usage": {"input_tokens": 3, "cache_read_input_tokens": 2, "output_tokens": 1}}});
        let delta = json!({"usage": {"output_tokens": 9}});
        assert_eq!(told(WireFormat::Messages, &[start.clone(), delta]), Some((Some(5), Some(9), Some(2))));
        assert_eq!(told(WireFormat::Messages, &[start]), Some((Some(5), Some(1), Some(2))), "cut off");
        assert_eq!(told(WireFormat::Messages, &[json!({"type": "ping"})]), None);
    }
}
