//! A text as what has changed since another one: conversations repeat themselves with every request. Pure.

use serde::{Deserialize, Serialize};

/// The same beginning and the same end as before, and something else between.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Splice {
    /// Bytes.
    #[serde(default)]
    pub start: usize,
    /// Bytes.
    #[serde(default)]
    pub end: usize,
    pub middle: String,
}

impl Splice {
    /// What makes `after` of `before`.
    #[must_use]
    pub fn between(before: &str, after: &str) -> Self {
        let start = same_start(before.as_bytes(), after.as_bytes());
        let start = (0..=start).rev().find(|at| after.is_char_boundary(*at)).unwrap_or(0);
        let rest = before.len().min(after.len()).saturating_sub(start);
        let end = same_end(before.as_bytes(), after.as_bytes()).min(rest);
        let end = (0..=end).rev().find(|end| after.is_char_boundary(after.len() - end)).unwrap_or(0);
        let middle = after.get(start..after.len() - end).unwrap_or_default().to_owned();
        Self { start, end, middle }
    }

    /// The text, if `before` is what it was made from.
    #[must_use]
    pub fn apply(&self, before: &str) -> Option<String> {
        let head = before.get(..self.start)?;
        let tail = before.get(before.len().checked_sub(self.end)?..)?;
        Some([head, &self.middle, tail].concat())
    }
}

/// Bytes that are compared at once: conversations are long, and nearly all of them is the same.
const BLOCK: usize = 256;

/// How many bytes are the same at the beginning.
fn same_start(a: &[u8], b: &[u8]) -> usize {
    let blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK)).take_while(|(a, b)| a == b).count();
    let skipped = blocks * BLOCK;
    let rest = a.iter().skip(skipped).zip(b.iter().skip(skipped));
    skipped + rest.take_while(|(a, b)| a == b).count()
}

/// How many bytes are the same at the end.
fn same_end(a: &[u8], b: &[u8]) -> usize {
    let blocks = a.rchunks_exact(BLOCK).zip(b.rchunks_exact(BLOCK)).take_while(|(a, b)| a == b).count();
    let skipped = blocks * BLOCK;
    let rest = a.iter().rev().skip(skipped).zip(b.iter().rev().skip(skipped));
    skipped + rest.take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_text_comes_back(before in "[aä🦀]{0,8}", after in "[aä🦀]{0,8}") {
            let delta = Splice::between(&before, &after);
            prop_assert_eq!(delta.apply(&before), Some(after));
        }
    }

    proptest! {
        #[test]
        fn long_texts_keep_only_what_is_new(
            start in 0_usize..1100, middle in "[xyä]{0,300}", end in 0_usize..1100
        ) {
            let before = format!("{}{}", "a".repeat(start), "b".repeat(end));
            let after = format!("{}{middle}{}", "a".repeat(start), "b".repeat(end));
            let delta = Splice::between(&before, &after);
            prop_assert_eq!(&delta.middle, &middle);
            prop_assert_eq!(delta.apply(&before), Some(after));
        }
    }

    #[test]
    fn only_what_is_new_is_kept() {
        let delta = Splice::between("[one, two], end", "[one, two, three], end");
        assert_eq!(delta, Splice { start: 9, end: 6, middle: ", three".to_owned() });
        assert_eq!(delta.apply("short"), None);
    }
}
