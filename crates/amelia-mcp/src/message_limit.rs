//! A limit for what a server sends at a time: a parser keeps what it has read of an event, which a server can send without end.

use futures_util::{Stream, StreamExt as _};

/// No message of a server is larger than this.
pub(crate) const LARGEST: usize = 16 * 1024 * 1024;

/// What is said about a message that was refused.
pub(crate) fn refusal() -> String {
    format!("a message of more than {} MB was refused", LARGEST >> 20)
}

/// Ends a stream of events when a single one is too large, and says so.
pub(crate) fn bounded<B: AsRef<[u8]>, E>(
    bytes: impl Stream<Item = Result<B, E>>,
    mut refused: impl FnMut(),
) -> impl Stream<Item = Result<B, E>> {
    let mut size = EventSize::default();
    bytes.take_while(move |piece| {
        let fits = piece.as_ref().map_or(true, |piece| size.fits(piece.as_ref()));
        if !fits {
            refused();
        }
        std::future::ready(fits)
    })
}

/// How much there is of the event that is open.
#[derive(Default)]
struct EventSize {
    /// In lines that have ended.
    event: usize,
    line: usize,
    /// A comment is not kept.
    is_comment: bool,
    was_return: bool,
}

impl EventSize {
    fn fits(&mut self, piece: &[u8]) -> bool {
        piece.iter().all(|byte| {
            self.take(*byte);
            self.event.saturating_add(self.line) <= LARGEST
        })
    }

    fn take(&mut self, byte: u8) {
        let ends_return = std::mem::take(&mut self.was_return) && byte == b'\n';
        match byte {
            _ if ends_return => {}
            b'\n' | b'\r' => {
                self.was_return = byte == b'\r';
                match (self.line, self.is_comment) {
                    (0, _) => self.event = 0,
                    (_, true) => {}
                    (line, false) => self.event = self.event.saturating_add(line).saturating_add(1),
                }
                self.line = 0;
            }
            byte => {
                if self.line == 0 {
                    self.is_comment = byte == b':';
                }
                self.line = self.line.saturating_add(1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The size of the event that is open after these pieces.
    fn open(pieces: &[&str]) -> usize {
        let mut size = EventSize::default();
        assert!(pieces.iter().all(|piece| size.fits(piece.as_bytes())));
        size.event + size.line
    }

    #[test]
    fn an_event_ends_with_an_empty_line_wherever_its_pieces_are_cut() {
        for (pieces, expected) in [
            (&["data: a"][..], 7),
            (&["data: a\n", "data: b"], 15),
            (&["data: a\n\n"], 0),
            (&["data: a\n", "\n"], 0),
            (&["data: a\r\n", "\r", "\n"], 0),
            (&["data: a\r", "\n\r\ndata: b"], 7),
            (&["data: a\r\rx"], 1),
            (&[": ping\n", ": ping\n"], 0),
            (&["data: a\n", ": ping\n"], 8),
        ] {
            assert_eq!(open(pieces), expected, "{pieces:?}");
        }
    }

    #[test]
    fn events_of_any_number_fit_and_one_without_end_does_not() {
        let mut size = EventSize::default();
        let event = format!("data: {}\n\n", "x".repeat(LARGEST - 7));
        assert!((0..3).all(|_| size.fits(event.as_bytes())));
        assert!(size.fits(&event.as_bytes()[..LARGEST]));
        assert!(!size.fits(b"x"));
    }
}
