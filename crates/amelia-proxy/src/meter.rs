//! Reads what a call took out of an answer while it passes. Most pieces are not looked at twice: only those that speak of
//! usage are parsed.

use amelia_core::driver::Usage;
use amelia_drivers::model::{SseParser, Tally, WireFormat};
use memchr::memmem;
use serde_json::Value;

use crate::call::Metering;

/// What every provider calls it.
const USAGE: &[u8] = b"\"usage\"";

/// The meter of one answer.
pub(crate) struct AnswerMeter {
    tally: Tally,
    reading: BodyReader,
    is_input_only: bool,
}

enum BodyReader {
    Nothing,
    /// One piece of JSON, read at its end.
    Whole,
    Stream(SseParser),
}

/// How an answer comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Whole,
    Stream,
}

impl AnswerMeter {
    pub(crate) fn new(metering: Metering, form: Form) -> Self {
        let (wire, reading) = match (metering, form) {
            (Metering::Free, _) => (WireFormat::Chat, BodyReader::Nothing),
            (Metering::Input, _) => (WireFormat::Chat, BodyReader::Whole),
            (Metering::Tokens(wire), Form::Whole) => (wire, BodyReader::Whole),
            (Metering::Tokens(wire), Form::Stream) => (wire, BodyReader::Stream(SseParser::default())),
        };
        Self { tally: Tally::new(wire), reading, is_input_only: metering == Metering::Input }
    }

    /// Takes the next piece of a stream, however it is cut.
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        let BodyReader::Stream(parser) = &mut self.reading else { return };
        let ends_event = bytes.ends_with(b"\n\n") || bytes.ends_with(b"\r\n\r\n");
        if parser.is_between() && ends_event && !speaks_of_usage(bytes) {
            return;
        }
        for event in parser.feed(bytes) {
            match event {
                Ok(event) if speaks_of_usage(event.data.as_bytes()) => {
                    if let Ok(said) = serde_json::from_str::<Value>(&event.data) {
                        self.tally.take(&said);
                    }
                }
                Ok(_) => {}
                Err(_) => {
                    // Not a stream after all, or one without end: what was reported so far counts.
                    self.reading = BodyReader::Nothing;
                    return;
                }
            }
        }
    }

    /// What was reported. `whole` is the answer, when all of it is there.
    pub(crate) fn usage(&mut self, whole: Option<&[u8]>) -> Option<Usage> {
        if let (BodyReader::Whole, Some(whole)) = (&self.reading, whole)
            && let Ok(said) = serde_json::from_slice::<Value>(whole)
        {
            self.tally.take(&said);
        }
        let told = self.tally.usage()?.clone();
        let output_tokens = told.output_tokens.or(self.is_input_only.then_some(0));
        Some(Usage { output_tokens, ..told })
    }
}

/// Whether there may be a usage with something in it. OpenAI says `"usage":null` in every other piece.
fn speaks_of_usage(bytes: &[u8]) -> bool {
    memmem::find_iter(bytes, USAGE).any(|at| {
        let after = bytes.get(at + USAGE.len()..).unwrap_or_default();
        let mut after = after.iter().filter(|byte| !byte.is_ascii_whitespace());
        after.next().is_none_or(|byte| *byte == b':') && after.next().is_none_or(|byte| *byte == b'{')
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const STREAM: &str = concat!(
        "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":7,\"output_tokens\":1}}}\n\n",
        "data: {\"type\":\"content_block_delta\",\"delta\":{\"text\":\"\\\"usage\\\":{\"}}\n\n",
        ": comment\r\n\r\n",
        "data: {\"type\":\"message_delta\",\"usage\" : {\"output_tokens\":42}}\r\n\r\n",
        "data: {\"type\":\"message_stop\"}\n\n",
    );

    fn told(pieces: &[&[u8]]) -> Option<(Option<u64>, Option<u64>)> {
        let mut meter = AnswerMeter::new(Metering::Tokens(WireFormat::Messages), Form::Stream);
        pieces.iter().for_each(|piece| meter.take(piece));
        meter.usage(None).map(|usage| (usage.input_tokens, usage.output_tokens))
    }

    proptest! {
        #[test]
        fn the_size_of_the_pieces_does_not_matter(size in 1_usize..400) {
            let pieces: Vec<&[u8]> = STREAM.as_bytes().chunks(size).collect();
            prop_assert_eq!(told(&pieces), Some((Some(7), Some(42))));
        }
    }

    #[test]
    fn whole_events_are_not_looked_at_twice_and_still_counted() {
        let lines: Vec<&str> = STREAM.split_inclusive('\n').collect();
        let (begun, rest) = lines.split_at(5);
        let (middle, last) = rest.split_at(4);
        let pieces = [begun.concat(), middle.concat(), last.concat()];
        let pieces: Vec<&[u8]> = pieces.iter().map(String::as_bytes).collect();
        assert_eq!(told(&pieces), Some((Some(7), Some(42))));
        assert_eq!(told(&pieces[..1]), Some((Some(7), Some(1))), "cut off");
        assert_eq!(told(&pieces[2..]), None);
        assert_eq!(told(&[b"\xFF\xFE"]), None);
    }

    #[test]
    fn what_is_null_is_no_usage() {
        assert!(!speaks_of_usage(br#"{"usage":null,"a":1}"#));
        assert!(!speaks_of_usage(br#"{"text":"\"usage\":{"}"#));
        assert!(speaks_of_usage(br#"{"usage": {"#));
        assert!(speaks_of_usage(br#"{"usage":null,"response":{"usage":{}}}"#));
        assert!(speaks_of_usage(br#"{"usage""#), "the rest is still to come");
    }

    #[test]
    fn whole_answers_are_read_at_their_end() {
        let mut meter = AnswerMeter::new(Metering::Input, Form::Whole);
        let usage = meter.usage(Some(br#"{"usage":{"prompt_tokens":8,"total_tokens":8}}"#)).unwrap();
        assert_eq!((usage.input_tokens, usage.output_tokens), (Some(8), Some(0)));
        let mut meter = AnswerMeter::new(Metering::Tokens(WireFormat::Chat), Form::Whole);
        assert_eq!(meter.usage(Some(b"{broken")), None);
        assert_eq!(meter.usage(None), None);
    }
}
