//! Secrets in texts that come in pieces: a model's answer is a stream of events, and a secret may begin in one of them and
//! end in another.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::Redactor;

/// Fields that tell which text of an answer a piece belongs to.
const PLACES: [&str; 4] = ["index", "output_index", "content_index", "summary_index"];

/// How a line with an event begins.
const DATA: &str = "data:";

impl Redactor {
    /// The events of a stream without secrets, also without those that are cut in pieces. Anything else than a stream is
    /// taken as it is.
    #[must_use]
    pub fn events<'b>(&self, body: &'b [u8]) -> Cow<'b, [u8]> {
        match std::str::from_utf8(body).ok().and_then(|text| self.in_pieces(text)) {
            Some(clean) => Cow::Owned(self.bytes(clean.as_bytes()).into_owned()),
            None => self.bytes(body),
        }
    }

    /// `None` when no secret is cut in pieces.
    fn in_pieces(&self, body: &str) -> Option<String> {
        let mut lines: Vec<Line<'_>> = body.split_inclusive('\n').map(Line::of).collect();
        let mut whole: BTreeMap<String, String> = BTreeMap::new();
        for (_, event) in events(&mut lines) {
            pieces(event, &mut |place, text| whole.entry(place.to_owned()).or_default().push_str(text));
        }
        let is_dirty = |text: &String| matches!(self.text(text), Cow::Owned(_));
        let dirty: BTreeSet<String> =
            whole.into_iter().filter(|(_, text)| is_dirty(text)).map(|(place, _)| place).collect();
        if dirty.is_empty() {
            return None;
        }
        let mut held: BTreeMap<String, (usize, String)> = BTreeMap::new();
        for (number, event) in events(&mut lines) {
            pieces(event, &mut |place, text| {
                if dirty.contains(place) {
                    let (last, rest) = held.entry(place.to_owned()).or_default();
                    *last = number;
                    *text = self.flow(rest, text);
                }
            });
        }
        // What was held back belongs to the end of its text.
        for (number, event) in events(&mut lines) {
            pieces(event, &mut |place, text| {
                if held.get(place).is_some_and(|(last, _)| *last == number)
                    && let Some((_, rest)) = held.remove(place)
                {
                    text.push_str(&rest);
                }
            });
        }
        Some(lines.into_iter().map(Line::written).collect())
    }
}

/// A line of a stream.
enum Line<'t> {
    Event { event: Value, end: &'t str },
    Other(&'t str),
}

impl<'t> Line<'t> {
    fn of(line: &'t str) -> Self {
        let text = line.trim_end_matches(['\r', '\n']);
        let event = text.strip_prefix(DATA).and_then(|data| serde_json::from_str(data).ok());
        match event {
            Some(event) => Self::Event { event, end: line.get(text.len()..).unwrap_or_default() },
            None => Self::Other(line),
        }
    }

    fn written(self) -> String {
        match self {
            Self::Event { event, end } => format!("{DATA} {event}{end}"),
            Self::Other(line) => line.to_owned(),
        }
    }
}

fn events<'l>(lines: &'l mut [Line<'_>]) -> impl Iterator<Item = (usize, &'l mut Value)> {
    lines.iter_mut().enumerate().filter_map(|(number, line)| match line {
        Line::Event { event, .. } => Some((number, event)),
        Line::Other(_) => None,
    })
}

/// Every text of an event, with the name of its place: the same place in another event is the next piece of it.
fn pieces(event: &mut Value, found: &mut impl FnMut(&str, &mut String)) {
    walk(event, &mut String::new(), found);
}

fn walk(value: &mut Value, place: &mut String, found: &mut impl FnMut(&str, &mut String)) {
    let length = place.len();
    match value {
        Value::String(text) => found(place, text),
        Value::Array(items) => {
            for (number, item) in items.iter_mut().enumerate() {
                place.push_str(&format!("[{number}]"));
                walk(item, place, found);
                place.truncate(length);
            }
        }
        Value::Object(fields) => {
            for name in PLACES {
                if let Some(number) = fields.get(name).and_then(Value::as_u64) {
                    place.push_str(&format!("#{name}={number}"));
                }
            }
            let here = place.len();
            for (name, value) in fields {
                place.push_str(&format!(".{name}"));
                walk(value, place, found);
                place.truncate(here);
            }
            place.truncate(length);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::secret::Secret;

    fn cleaned(body: &str) -> String {
        let redactor = Redactor::new([Secret::new("sk-1234567890")]);
        String::from_utf8(redactor.events(body.as_bytes()).into_owned()).unwrap()
    }

    #[test]
    fn a_secret_over_several_events_goes_and_the_other_texts_stay() {
        let piece = |index: u8, text: &str| {
            format!(
                "event: delta\ndata: {{\"delta\":{{\"text\":\"{text}\"}},\"index\":{index},\"type\":\"s\"}}\n\n"
            )
        };
        let body = [
            piece(0, "the key is s"),
            piece(1, "other "),
            piece(0, "k-12345"),
            piece(1, "words"),
            piece(0, "67890, a s"),
        ];
        let clean = [
            piece(0, "the key is "),
            piece(1, "other "),
            piece(0, ""),
            piece(1, "words"),
            piece(0, "[redacted], a s"),
        ];
        assert_eq!(cleaned(&body.concat()), clean.concat());
    }

    #[test]
    fn a_stream_without_secrets_and_what_is_no_stream_stay_as_they_are() {
        for body in
            ["data:  {\"b\": 1, \"a\": \"s\"}\r\n\r\ndata: [DONE]\n\n", "{\"error\": \"no\"}", "data: {"]
        {
            assert_eq!(cleaned(body), body);
        }
        assert_eq!(cleaned("no stream, but sk-1234567890"), "no stream, but [redacted]");
    }
}
