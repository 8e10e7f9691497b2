//! Bytes of a stranger's program as text that cannot steer a terminal: control characters become pictures of
//! themselves, so nothing is hidden and nothing acts.

/// Decodes a stream whose characters may be cut anywhere.
#[derive(Default)]
pub(super) struct Harmless {
    /// The beginning of a character whose end has not come yet.
    pending: Vec<u8>,
    /// A carriage return that may be half of a line end.
    has_return: bool,
}

impl Harmless {
    pub(super) fn push(&mut self, bytes: &[u8]) -> String {
        let mut all = std::mem::take(&mut self.pending);
        all.extend_from_slice(bytes);
        let mut text = String::with_capacity(all.len());
        let mut rest = all.as_slice();
        loop {
            match std::str::from_utf8(rest) {
                Ok(valid) => {
                    self.show(valid, &mut text);
                    return text;
                }
                Err(error) => {
                    let (valid, after) = rest.split_at_checked(error.valid_up_to()).unwrap_or_default();
                    self.show(&String::from_utf8_lossy(valid), &mut text);
                    let Some(broken) = error.error_len() else {
                        self.pending = after.to_vec();
                        return text;
                    };
                    self.show("\u{fffd}", &mut text);
                    rest = after.get(broken..).unwrap_or_default();
                }
            }
        }
    }

    pub(super) fn finish(&mut self) -> String {
        let mut text = String::new();
        if !std::mem::take(&mut self.pending).is_empty() {
            self.show("\u{fffd}", &mut text);
        }
        if std::mem::take(&mut self.has_return) {
            text.push('␍');
        }
        text
    }

    fn show(&mut self, piece: &str, text: &mut String) {
        if !self.has_return && !may_have_control(piece) {
            text.push_str(piece);
            return;
        }
        for c in piece.chars() {
            // A line end of another system is a line end.
            if std::mem::take(&mut self.has_return) && c != '\n' {
                text.push('␍');
            }
            match c {
                '\n' | '\t' => text.push(c),
                '\r' => self.has_return = true,
                '\u{0}'..='\u{1f}' => text.extend(char::from_u32(0x2400 + u32::from(c))),
                '\u{7f}' => text.push('␡'),
                _ if is_steering(c) => text.extend(c.escape_unicode()),
                _ => text.push(c),
            }
        }
    }
}

/// May say yes for nothing, never no: only bytes are looked at, which is what keeps endless output cheap. The last
/// two begin the characters of `is_steering`.
fn may_have_control(text: &str) -> bool {
    for byte in text.as_bytes() {
        if matches!(byte, 0..=8 | 11..=31 | 0x7f | 0xc2 | 0xe2) {
            return true;
        }
    }
    false
}

/// The second block of control characters, and those that turn the direction of writing.
fn is_steering(c: char) -> bool {
    matches!(c, '\u{80}'..='\u{9f}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::Harmless;

    fn shown(pieces: &[&[u8]]) -> String {
        let mut harmless = Harmless::default();
        let mut text: String = pieces.iter().map(|piece| harmless.push(piece)).collect();
        text.push_str(&harmless.finish());
        text
    }

    #[test]
    fn controls_are_visible_and_dead_wherever_the_stream_is_cut() {
        let bytes = "a\x1b[31mred\x07\r\nb\rc\u{9b}2J\u{202e}\té\0\x7f\r".as_bytes();
        let whole = "a␛[31mred␇\nb␍c\\u{9b}2J\\u{202e}\té␀␡␍";
        assert_eq!(shown(&[bytes]), whole);
        for cut in 0..bytes.len() {
            assert_eq!(shown(&[&bytes[..cut], &bytes[cut..]]), whole, "cut at {cut}");
        }
    }

    #[test]
    fn what_is_not_utf8_is_replaced() {
        assert_eq!(shown(&[b"a\xff\xc3b\xe2\x82"]), "a\u{fffd}\u{fffd}b\u{fffd}");
    }
}
