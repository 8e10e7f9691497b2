//! The body of a request, in pieces: a message is encoded once, and not again with every turn after it.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use amelia_core::message::Message;
use parking_lot::Mutex;
use serde_json::Value;

use super::ReasoningEcho;

/// With so many entries, those of messages that are gone are removed.
const FIRST_LIMIT: usize = 1024;

/// Messages as one wire format writes them, for as long as the conversation has them.
#[derive(Debug, Default)]
pub struct EncodedMessages(Mutex<Entries>);

#[derive(Debug, Default)]
struct Entries {
    /// By the address of the message, which is not used again while the entry is there.
    by_address: HashMap<usize, EncodedMessage>,
    limit: usize,
}

#[derive(Debug)]
struct EncodedMessage {
    message: Weak<Message>,
    echo: ReasoningEcho,
    text: Arc<str>,
}

impl EncodedMessages {
    /// The JSON values of all messages, each message's with commas between them.
    pub(super) fn all(
        &self,
        messages: &[Arc<Message>],
        echo: ReasoningEcho,
        encode: impl Fn(&Message) -> Vec<Value>,
    ) -> Vec<Arc<str>> {
        let mut entries = self.0.lock();
        let text = |message: &Arc<Message>| {
            let address = Arc::as_ptr(message).addr();
            if let Some(known) = entries.by_address.get(&address).filter(|known| known.echo == echo) {
                return Arc::clone(&known.text);
            }
            let text: Arc<str> = joined(&encode(message)).into();
            let entry = EncodedMessage { message: Arc::downgrade(message), echo, text: Arc::clone(&text) };
            entries.by_address.insert(address, entry);
            text
        };
        let texts = messages.iter().map(text).collect();
        entries.tidy();
        texts
    }
}

impl Entries {
    fn tidy(&mut self) {
        if self.by_address.len() > self.limit.max(FIRST_LIMIT) {
            self.by_address.retain(|_, entry| entry.message.strong_count() > 0);
            self.limit = self.by_address.len() * 2;
        }
    }
}

fn joined(values: &[Value]) -> String {
    let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
    texts.join(",")
}

/// A request as JSON, with one of its lists in pieces.
pub(super) struct RequestBody {
    fields: Value,
    /// Its field, and the pieces: JSON values with commas between them, or nothing.
    list: Option<(&'static str, Vec<Arc<str>>)>,
}

impl RequestBody {
    /// Without pieces.
    pub(super) fn whole(fields: Value) -> Self {
        Self { fields, list: None }
    }

    /// Whose field `name`, which is null, is this list.
    pub(super) fn with_list(fields: Value, name: &'static str, pieces: Vec<Arc<str>>) -> Self {
        Self { fields, list: Some((name, pieces)) }
    }

    /// The text.
    pub(super) fn into_text(self) -> String {
        let (Value::Object(fields), Some((list, pieces))) = (&self.fields, &self.list) else {
            return self.fields.to_string();
        };
        let mut text =
            String::with_capacity(pieces.iter().map(|piece| piece.len() + 1).sum::<usize>() + 4096);
        text.push('{');
        for (place, (name, value)) in fields.iter().enumerate() {
            text.push_str(if place == 0 { "\"" } else { ",\"" });
            text.push_str(name);
            text.push_str("\":");
            if name != list {
                text.push_str(&value.to_string());
                continue;
            }
            let mut separator = '[';
            for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
                text.push(separator);
                text.push_str(piece);
                separator = ',';
            }
            text.push_str(if separator == '[' { "[]" } else { "]" });
        }
        text.push('}');
        text
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use amelia_core::clock::{Clock as _, TickingClock};
    use amelia_core::id::{AgentName, MessageId};
    use amelia_core::message::{ExecutionMode, Object, Part, Role, TextPart};
    use serde_json::json;

    use super::*;

    fn message(text: &str) -> Arc<Message> {
        let clock = TickingClock::default();
        Arc::new(Message {
            id: MessageId(clock.new_id()),
            at: clock.now(),
            role: Role::User,
            agent: AgentName::system(),
            task: None,
            parent: None,
            mode: ExecutionMode::default(),
            memory: Object::new(),
            parts: vec![Part::Text(TextPart::new(text))],
            metadata: Object::new(),
        })
    }

    #[test]
    fn a_message_is_encoded_once_for_each_way_to_write_it() {
        let (encoded, count) = (EncodedMessages::default(), Cell::new(0));
        let encode = |message: &Message| {
            count.set(count.get() + 1);
            vec![json!(message.text()), json!(1)]
        };
        let mut messages = vec![message("a"), message("b")];
        let all = |messages: &[Arc<Message>], echo| encoded.all(messages, echo, encode).join(" ");
        assert_eq!(all(&messages, ReasoningEcho::Nothing), "\"a\",1 \"b\",1");
        messages.push(message("c"));
        assert_eq!(all(&messages, ReasoningEcho::Nothing), "\"a\",1 \"b\",1 \"c\",1");
        assert_eq!(count.get(), 3);
        all(&messages, ReasoningEcho::ReasoningContent);
        assert_eq!(count.get(), 6);
    }

    #[test]
    fn messages_that_are_gone_leave_nothing() {
        let encoded = EncodedMessages::default();
        let kept = message("kept");
        for _ in 0..3 * FIRST_LIMIT {
            encoded.all(&[Arc::clone(&kept), message("x")], ReasoningEcho::Nothing, |_| vec![json!(0)]);
        }
        assert!(encoded.0.lock().by_address.len() <= FIRST_LIMIT + 1);
    }

    #[test]
    fn a_body_in_pieces_is_the_body_as_a_whole() {
        let text = |items: &[&str]| {
            let pieces = items.iter().map(|item| Arc::from(*item)).collect();
            RequestBody::with_list(json!({"a": "\"", "list": null, "z": [1]}), "list", pieces).into_text()
        };
        assert_eq!(text(&["1,2", "", "{}"]), json!({"a": "\"", "list": [1, 2, {}], "z": [1]}).to_string());
        assert_eq!(text(&[]), json!({"a": "\"", "list": [], "z": [1]}).to_string());
        assert_eq!(RequestBody::whole(json!({"a": 1})).into_text(), "{\"a\":1}");
    }
}
