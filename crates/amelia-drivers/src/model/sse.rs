//! Server-sent events, fed in pieces of any size. Pure, and bounded: an event larger than the limit is an error.

use super::ModelFailure;

/// One event: its name, when it has one, and its data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SseEvent {
    pub name: Option<String>,
    pub data: String,
}

/// No event of any provider is larger than this.
pub(crate) const LARGEST: usize = 16 * 1024 * 1024;

/// Bytes in, events out.
#[derive(Debug, Default)]
pub struct SseParser {
    line: Vec<u8>,
    name: Option<String>,
    data: String,
    has_data: bool,
    /// The last byte was a carriage return, so a line feed now belongs to it.
    after_return: bool,
    has_begun: bool,
}

impl SseParser {
    /// Takes the next bytes and returns the events they complete; a failure is the last of them, and nothing after it
    /// counts. What comes out does not depend on where the pieces were cut.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Result<SseEvent, ModelFailure>> {
        let mut events = Vec::new();
        if let Err(failure) = self.take(bytes, &mut events) {
            events.push(Err(failure));
        }
        events
    }

    /// Nothing of an event is held: bytes that end one, and that are not wanted, may be left out from here.
    #[must_use]
    pub fn is_between(&self) -> bool {
        self.has_begun && self.line.is_empty() && self.name.is_none() && !self.has_data && !self.after_return
    }

    fn take(
        &mut self,
        bytes: &[u8],
        events: &mut Vec<Result<SseEvent, ModelFailure>>,
    ) -> Result<(), ModelFailure> {
        for byte in bytes {
            let is_rest_of_break = self.after_return && *byte == b'\n';
            self.after_return = *byte == b'\r';
            match byte {
                b'\n' if is_rest_of_break => {}
                b'\n' | b'\r' => events.extend(self.end_line()?.map(Ok)),
                byte => self.line.push(*byte),
            }
            if self.line.len() + self.data.len() > LARGEST {
                return Err(ModelFailure::TooLarge(LARGEST));
            }
        }
        Ok(())
    }

    fn end_line(&mut self) -> Result<Option<SseEvent>, ModelFailure> {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8(line).map_err(|_| ModelFailure::Garbage("not UTF-8".to_owned()))?;
        let line = match self.has_begun {
            true => line.as_str(),
            false => line.strip_prefix('\u{FEFF}').unwrap_or(&line),
        };
        self.has_begun = true;
        if line.is_empty() {
            let name = self.name.take();
            let data = std::mem::take(&mut self.data);
            let is_event = std::mem::take(&mut self.has_data);
            return Ok(is_event.then_some(SseEvent { name, data }));
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => self.name = Some(value.to_owned()),
            "data" => {
                if self.has_data {
                    self.data.push('\n');
                }
                self.data.push_str(value);
                self.has_data = true;
            }
            // Comments, ids and retry times are of no use to a request that is made once.
            _ => {}
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(bytes: &[u8]) -> Vec<(Option<String>, String)> {
        let events = SseParser::default().feed(bytes).into_iter().map(Result::unwrap);
        events.map(|event| (event.name, event.data)).collect()
    }

    fn named(name: &str, data: &str) -> (Option<String>, String) {
        (Some(name.to_owned()), data.to_owned())
    }

    fn plain(data: &str) -> (Option<String>, String) {
        (None, data.to_owned())
    }

    #[test]
    fn events_are_read_as_the_standard_says() {
        assert_eq!(parse(b"data: a\n\ndata:b\n\n"), [plain("a"), plain("b")]);
        assert_eq!(parse(b"event: x\r\ndata: 1\r\ndata: 2\r\n\r\n"), [named("x", "1\n2")]);
        assert_eq!(parse(b"\xEF\xBB\xBFdata: a\r\r"), [plain("a")]);
        assert_eq!(parse(b": comment\nid: 4\nretry: 5\ndata\n\n"), [plain("")]);
        assert_eq!(parse(b"event: lonely\n\ndata: unfinished"), []);
    }

    #[test]
    fn an_endless_event_is_refused() {
        let mut parser = SseParser::default();
        let piece = vec![b'x'; 1024 * 1024];
        let refused = (0..32).find_map(|_| parser.feed(&piece).pop());
        assert_eq!(refused, Some(Err(ModelFailure::TooLarge(LARGEST))));
    }

    #[test]
    fn what_came_before_a_failure_counts() {
        let event = SseEvent { name: None, data: "a".to_owned() };
        let failure = ModelFailure::Garbage("not UTF-8".to_owned());
        assert_eq!(SseParser::default().feed(b"data: a\n\ndata: \xFF\n"), [Ok(event), Err(failure)]);
    }

    proptest! {
        #[test]
        fn the_size_of_the_pieces_does_not_matter(bytes in prop::collection::vec(prop_oneof![
            Just(b'\n'), Just(b'\r'), Just(b':'), Just(b' '), Just(b'd'), any::<u8>()
        ], 0..200), sizes in prop::collection::vec(1_usize..7, 1..200)) {
            let whole = SseParser::default().feed(&bytes);
            let mut parser = SseParser::default();
            let mut events = Vec::new();
            let mut rest = bytes.as_slice();
            for size in sizes.iter().cycle() {
                if rest.is_empty() || matches!(events.last(), Some(Err(_))) { break; }
                let (piece, after) = rest.split_at((*size).min(rest.len()));
                rest = after;
                events.extend(parser.feed(piece));
            }
            prop_assert_eq!(events, whole);
        }
    }
}
