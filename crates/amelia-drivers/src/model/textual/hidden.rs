//! What a person sees of a streamed text: everything but the calls in it. Pure.

use super::protocol::{OPEN, RESULT};

/// A stream with its calls left out. Text that may become a tag is held back until that is known.
#[derive(Debug, Default)]
pub(super) struct Hidden {
    held: String,
    is_inside: bool,
}

impl Hidden {
    /// What can be shown now that `text` has come. Nothing is shown any more once a call has begun: what follows a
    /// call is either another one, or made up.
    pub(super) fn feed(&mut self, text: &str) -> String {
        if self.is_inside {
            return String::new();
        }
        self.held.push_str(text);
        if let Some(start) = [OPEN, RESULT].iter().filter_map(|tag| self.held.find(tag)).min() {
            self.is_inside = true;
            let mut shown = std::mem::take(&mut self.held);
            shown.truncate(start);
            return shown;
        }
        let kept = [OPEN, RESULT].iter().map(|tag| half_tag(&self.held, tag)).max().unwrap_or(0);
        let rest = self.held.split_off(self.held.len() - kept);
        std::mem::replace(&mut self.held, rest)
    }
}

/// How many bytes at the end of `text` are the beginning of `tag`.
fn half_tag(text: &str, tag: &str) -> usize {
    (1..tag.len())
        .rev()
        .find(|length| tag.get(..*length).is_some_and(|half| text.ends_with(half)))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(pieces: &[&str]) -> String {
        let mut hidden = Hidden::default();
        pieces.iter().map(|piece| hidden.feed(piece)).collect()
    }

    #[test]
    fn calls_are_left_out_however_they_are_cut() {
        assert_eq!(shown(&["I look. <tool", "_call>{\"name\"", ": 1}</tool_call> more"]), "I look. ");
        assert_eq!(shown(&["a <to", "p> b"]), "a <top> b");
        assert_eq!(shown(&["ä<", "tool_result>"]), "ä");
    }
}
