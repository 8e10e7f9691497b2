//! JSON as models write it: line ends, tabs and other control characters stand raw in strings, and backslashes before
//! letters that escape nothing. Only what is inside strings is put right; the rest is left to the parser. Pure.

/// `text` with its strings put right.
pub(super) fn repaired(text: &str) -> String {
    let mut scanner = Scanner::default();
    text.chars().for_each(|letter| scanner.take(letter));
    scanner.finish()
}

/// The beginning of a text that is an object, as far as it goes.
pub(super) struct Opening {
    /// With its strings put right.
    pub(super) json: String,
    /// Bytes that it takes of the text.
    pub(super) length: usize,
}

/// The object with which `text` begins. One that is broken ends where something stands outside of its strings that is in
/// no JSON; one that is cut, with the text. `None` if there is none.
pub(super) fn object(text: &str) -> Option<Opening> {
    if !text.starts_with('{') {
        return None;
    }
    let mut scanner = Scanner::default();
    for (at, letter) in text.char_indices() {
        if letter == '<' && !scanner.is_in_string {
            return Some(Opening { json: scanner.finish(), length: at });
        }
        scanner.take(letter);
        if scanner.depth == 0 {
            return Some(Opening { json: scanner.finish(), length: at + letter.len_utf8() });
        }
    }
    Some(Opening { json: scanner.finish(), length: text.len() })
}

#[derive(Default)]
struct Scanner {
    json: String,
    /// Of braces.
    depth: u32,
    is_in_string: bool,
    /// A backslash that waits for what it escapes.
    is_escaping: bool,
}

impl Scanner {
    fn take(&mut self, letter: char) {
        if self.is_in_string {
            return self.take_in_string(letter);
        }
        match letter {
            '{' => self.depth += 1,
            '}' => self.depth = self.depth.saturating_sub(1),
            '"' => self.is_in_string = true,
            _ => {}
        }
        self.json.push(letter);
    }

    fn take_in_string(&mut self, letter: char) {
        if std::mem::take(&mut self.is_escaping) {
            if matches!(letter, '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' | 'u') {
                self.json.extend(['\\', letter]);
                return;
            }
            self.json.push_str("\\\\");
        }
        match letter {
            '\\' => self.is_escaping = true,
            '"' => {
                self.is_in_string = false;
                self.json.push(letter);
            }
            '\n' => self.json.push_str("\\n"),
            '\r' => self.json.push_str("\\r"),
            '\t' => self.json.push_str("\\t"),
            control if control < ' ' => self.json.push_str(&format!("\\u{:04x}", u32::from(control))),
            _ => self.json.push(letter),
        }
    }

    fn finish(mut self) -> String {
        if self.is_escaping {
            self.json.push('\\');
        }
        self.json
    }
}
