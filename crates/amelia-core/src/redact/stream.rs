//! Secrets in texts that come in pieces: a model's answer is a stream of events, and a secret may begin in one of them and
//! end in another.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

use super::{PASS, Redactor};

/// Fields that tell which text of an answer a piece belongs to.
const PLACES: [&str; 4] = ["index", "output_index", "content_index", "summary_index"];

/// As much of a text as is looked at together.
const PART: usize = 1024 * 1024;

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

    /// `None` when there is nothing to take out that could not be seen in the text as it stands.
    fn in_pieces(&self, body: &str) -> Option<String> {
        if let Some(clean) = self.in_json(body) {
            return Some(clean);
        }
        if !self.is_in_pieces(body) {
            return None;
        }
        let mut lines: Vec<Line<'_>> = body.split_inclusive('\n').map(Line::of).collect();
        let mut whole: BTreeMap<String, String> = BTreeMap::new();
        for event in events(&mut lines) {
            pieces(event, &mut |place, text| whole.entry(place.to_owned()).or_default().push_str(text));
        }
        let clean = |(place, text): (String, String)| Some((place, self.cleaned(&text)?));
        let mut dirty: BTreeMap<String, String> = whole.into_iter().filter_map(clean).collect();
        if dirty.is_empty() {
            return None;
        }
        // The first piece is the whole text now, and the others are empty.
        for event in events(&mut lines) {
            pieces(event, &mut |place, text| {
                if let Some(whole) = dirty.get_mut(place) {
                    *text = std::mem::take(whole);
                }
            });
        }
        Some(lines.into_iter().map(Line::written).collect())
    }

    /// Whether a text that comes in pieces holds a secret. Looks at a part of each text at a time: an answer may be large,
    /// and nearly none holds one.
    fn is_in_pieces(&self, body: &str) -> bool {
        let longest =
            self.secrets.first().map_or(0, |secret| secret.reveal().len()).max(PASS.0.len() + PASS.1);
        let mut parts: BTreeMap<String, String> = BTreeMap::new();
        let mut is_dirty = false;
        for line in body.split_inclusive('\n') {
            let Line::Event { mut event, .. } = Line::of(line) else { continue };
            pieces(&mut event, &mut |place, text| {
                let part = parts.entry(place.to_owned()).or_default();
                part.push_str(text);
                if part.len() > PART {
                    is_dirty |= self.cleaned(part).is_some();
                    let end = (part.len() - longest..part.len()).find(|at| part.is_char_boundary(*at));
                    part.drain(..end.unwrap_or(part.len()));
                }
            });
        }
        is_dirty || parts.values().any(|part| self.cleaned(part).is_some())
    }

    /// A text without secrets, also as they may be written in JSON; `None` when there are none in it.
    fn cleaned(&self, text: &str) -> Option<String> {
        self.in_json(text).or_else(|| match self.text(text) {
            Cow::Owned(clean) => Some(clean),
            Cow::Borrowed(_) => None,
        })
    }

    /// JSON without secrets, in whichever way their letters are written; `None` when it is none, or there are none in it.
    fn in_json(&self, text: &str) -> Option<String> {
        let before: Value = serde_json::from_str(text).ok().filter(|value: &Value| value.is_object())?;
        let mut after = before.clone();
        self.clean_tree(&mut after);
        (after != before).then(|| after.to_string())
    }
}

/// Texts of a program that come in pieces, line by line: what may be the beginning of a secret goes with the next piece.
#[derive(Debug, Default)]
pub struct StreamRedactor(BTreeMap<String, String>);

impl StreamRedactor {
    /// A line without secrets. Anything else than a piece of a text is taken as it is.
    pub fn clean<'t>(&mut self, redactor: &Redactor, line: &'t str) -> Cow<'t, str> {
        let Ok(mut event) = serde_json::from_str::<Value>(line) else { return redactor.text(line) };
        let before = event.clone();
        pieces(&mut event, &mut |place, text| {
            if is_piece(place) {
                *text = redactor.flow(self.0.entry(place.to_owned()).or_default(), text);
            }
        });
        redactor.clean_tree(&mut event);
        if event == before { Cow::Borrowed(line) } else { Cow::Owned(event.to_string()) }
    }
}

/// Whether the text of this place comes in pieces, in the protocols that programs speak.
fn is_piece(place: &str) -> bool {
    let is_name = [".type", ".id", ".role", ".name"].iter().any(|name| place.ends_with(name));
    (place.contains(".delta") && !is_name) || place.ends_with(".update.content.text")
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

fn events<'l>(lines: &'l mut [Line<'_>]) -> impl Iterator<Item = &'l mut Value> {
    lines.iter_mut().filter_map(|line| match line {
        Line::Event { event, .. } => Some(event),
        Line::Other(_) => None,
    })
}

/// Every text of an event, with the name of its place: the same place in another event of the same type is the next piece
/// of it.
fn pieces(event: &mut Value, found: &mut impl FnMut(&str, &mut String)) {
    let mut place = event.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    walk(event, &mut place, found);
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
            piece(0, "the key is [redacted], a s"),
            piece(1, "other "),
            piece(0, ""),
            piece(1, "words"),
            piece(0, ""),
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

    #[test]
    fn a_secret_may_be_written_in_many_ways_in_json() {
        let error = r#"{"error":"bad key \u0073k-1234567890"}"#;
        assert_eq!(cleaned(error), r#"{"error":"bad key [redacted]"}"#);
        let arguments = r#"data: {"arguments":"{\"key\":\"\\u0073k-1234567890\"}"}"#;
        assert_eq!(cleaned(arguments), r#"data: {"arguments":"{\"key\":\"[redacted]\"}"}"#);
    }

    #[test]
    fn a_secret_over_several_lines_of_a_program_goes() {
        let redactor = Redactor::new([Secret::new("sk-1234567890")]);
        let mut pieces = StreamRedactor::default();
        let line = |text: &str| format!(r#"{{"method":"delta","params":{{"delta":"{text}"}}}}"#);
        let mut clean = |text: &str| pieces.clean(&redactor, &line(text)).into_owned();
        assert_eq!(clean("the key is sk-12"), line("the key is "));
        assert_eq!(clean("34567890 and"), line("[redacted] and"));
        assert_eq!(clean(" no more"), line(" no more"));
    }
}
