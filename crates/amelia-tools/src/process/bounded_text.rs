//! The beginning and the end of a text of any length, in bounded memory.

/// What is kept of a text.
pub(super) struct BoundedText {
    limit: usize,
    head: String,
    tail: String,
    lost: usize,
}

impl BoundedText {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, head: String::new(), tail: String::new(), lost: 0 }
    }

    pub(super) fn push(&mut self, text: &str) {
        let room = (self.limit * 2 / 3).saturating_sub(self.head.len());
        // Once something is in the tail the head is closed, or the order would be lost.
        let cut = if self.tail.is_empty() { text.floor_char_boundary(room) } else { 0 };
        let (head, tail) = text.split_at(cut);
        self.head.push_str(head);
        self.tail.push_str(tail);
        if self.tail.len() > self.limit {
            self.shorten();
        }
    }

    pub(super) fn finish(mut self) -> String {
        if self.lost == 0 && self.head.len() + self.tail.len() <= self.limit {
            return self.head + &self.tail;
        }
        self.shorten();
        format!("{}\n… {} bytes left out …\n{}", self.head, self.lost, self.tail)
    }

    fn shorten(&mut self) {
        let cut = self.tail.ceil_char_boundary(self.tail.len().saturating_sub(self.limit / 3));
        self.lost += cut;
        self.tail.drain(..cut);
    }
}

#[cfg(test)]
mod tests {
    use super::BoundedText;

    #[test]
    fn beginning_and_end_survive_however_the_text_is_cut_into_pieces() {
        let text: String = (0..1000).map(|n| format!("{n:04}é")).collect();
        for size in [1, 7, 100, 10_000] {
            let mut kept = BoundedText::new(60);
            let pieces: Vec<char> = text.chars().collect();
            for piece in pieces.chunks(size) {
                kept.push(&piece.iter().collect::<String>());
                assert!(kept.head.len() + kept.tail.len() <= 60 * 2 + size * 2);
            }
            let shown = kept.finish();
            assert!(shown.starts_with("0000é0001é"), "{shown}");
            assert!(shown.contains("bytes left out") && shown.ends_with("0998é0999é"), "{shown}");
        }
        let mut short = BoundedText::new(60);
        short.push("whole");
        assert_eq!(short.finish(), "whole");
    }
}
