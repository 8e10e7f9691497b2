//! Calls that come in pieces, each with its own idea of an index and an id. Pure.

use serde_json::Value;

/// The calls of an answer, as far as they have come.
#[derive(Debug, Default)]
pub(super) struct HalfCalls(Vec<HalfCall>);

#[derive(Debug, Default)]
pub(super) struct HalfCall {
    index: Option<u64>,
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
    pub(super) extra: Value,
}

impl HalfCalls {
    /// Takes the pieces of one event; how many bytes of arguments they have.
    pub(super) fn take_all(&mut self, pieces: &[Value]) -> usize {
        let before = self.bytes();
        for (place, piece) in pieces.iter().enumerate() {
            // Several in one event are several calls, even if they say otherwise.
            let place = u64::try_from(place).ok().filter(|_| pieces.len() > 1);
            let index = piece.get("index").and_then(Value::as_u64).or(place);
            self.half_of(piece, index).take(piece);
        }
        self.bytes().saturating_sub(before)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &HalfCall> {
        self.0.iter()
    }

    pub(super) fn into_iter(self) -> impl Iterator<Item = HalfCall> {
        self.0.into_iter()
    }

    fn bytes(&self) -> usize {
        self.0.iter().map(|call| call.name.len() + call.arguments.len()).sum()
    }

    /// The call that a piece belongs to. Some servers leave the index out, or give all calls the same: an id that is
    /// not the one so far begins another call, and so does a name after arguments that are whole.
    fn half_of(&mut self, piece: &Value, index: Option<u64>) -> &mut HalfCall {
        let id = piece.get("id").and_then(Value::as_str).filter(|id| !id.is_empty());
        let is_same = |half: &HalfCall| match (id, index) {
            (Some(id), _) if !half.id.is_empty() => half.id == id,
            (Some(_), None) => false,
            (_, Some(_)) => half.index == index && !half.is_followed_by(piece),
            (None, None) => !half.is_followed_by(piece),
        };
        // Only the newest of an index can still grow.
        let newest = self.0.iter().rposition(|half| id.is_some() || index.is_none() || half.index == index);
        let known = match id {
            Some(_) => self.0.iter().rposition(is_same),
            None => newest.filter(|place| self.0.get(*place).is_some_and(is_same)),
        };
        let known = known.unwrap_or(self.0.len());
        if known == self.0.len() {
            self.0.push(HalfCall { index, ..HalfCall::default() });
        }
        // It has just been found or pushed.
        #[expect(clippy::indexing_slicing, reason = "the place is inside")]
        &mut self.0[known]
    }
}

impl HalfCall {
    /// Whether this piece, which has no id of its own, is of another call: it names a function, and this one is whole.
    /// Some say the name again with every piece, also with a last empty one.
    fn is_followed_by(&self, piece: &Value) -> bool {
        let name = piece.pointer("/function/name").and_then(Value::as_str).unwrap_or_default();
        let says_more = match piece.pointer("/function/arguments") {
            Some(Value::String(more)) => !more.is_empty(),
            Some(other) => !other.is_null(),
            None => false,
        };
        let is_whole = || serde_json::from_str::<Value>(&self.arguments).is_ok_and(|args| args.is_object());
        !name.is_empty() && (says_more || name != self.name) && is_whole()
    }

    fn take(&mut self, piece: &Value) {
        let text = |pointer: &str| piece.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        if self.id.is_empty() {
            self.id.push_str(text("/id"));
        }
        // Some say the whole name again with every piece.
        if self.name != text("/function/name") {
            self.name.push_str(text("/function/name"));
        }
        match piece.pointer("/function/arguments") {
            Some(Value::Object(whole)) => self.arguments = Value::Object(whole.clone()).to_string(),
            Some(Value::String(more)) => self.arguments.push_str(more),
            _ => {}
        }
        if let Some(extra) = piece.get("extra_content").filter(|extra| !extra.is_null()) {
            self.extra = extra.clone();
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn calls(events: &[Value]) -> Vec<(String, String)> {
        let mut calls = HalfCalls::default();
        for event in events {
            calls.take_all(event.as_array().unwrap());
        }
        calls.into_iter().map(|call| (call.name, call.arguments)).collect()
    }

    fn piece(name: &str, arguments: &str) -> Value {
        json!({"function": {"name": name, "arguments": arguments}})
    }

    #[test]
    fn calls_without_ids_are_told_apart() {
        let two = [("look".to_owned(), "{\"a\":1}".to_owned()), ("look".to_owned(), "{\"b\":2}".to_owned())];
        let (one, other) = (piece("look", "{\"a\":1}"), piece("look", "{\"b\":2}"));
        assert_eq!(calls(&[json!([one]), json!([other])]), two, "one after the other");
        assert_eq!(calls(&[json!([one, other])]), two, "in one event");
        let zero = |mut piece: Value| {
            piece["index"] = json!(0);
            piece["id"] = json!("");
            json!([piece])
        };
        assert_eq!(calls(&[zero(one), zero(other)]), two, "with the same index and an empty id");
        let empty = [piece("look", ""), piece("read", "")];
        assert_eq!(calls(&[json!(empty)]).len(), 2, "without arguments");
    }

    #[test]
    fn pieces_of_one_call_stay_together() {
        let one = [("read_file".to_owned(), "{\"a\":1}".to_owned())];
        let pieces = |names: [&str; 4]| {
            let texts = ["", "{\"a\"", ":1}", ""];
            let events: Vec<Value> =
                names.iter().zip(texts).map(|(name, text)| json!([piece(name, text)])).collect();
            calls(&events)
        };
        assert_eq!(pieces(["read_file", "", "", ""]), one);
        assert_eq!(pieces(["read_file", "read_file", "read_file", "read_file"]), one, "the name again");
        assert_eq!(pieces(["read_", "file", "", ""]), one, "a name in two pieces");
    }
}
