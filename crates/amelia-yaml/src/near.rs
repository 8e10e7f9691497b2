//! What a person may have meant by a name that does not exist. Pure.

/// More changes than this make another word.
const MOST_CHANGES: usize = 2;

/// The known name that differs from `word` in a few letters, if there is one. The first of several is taken.
pub(crate) fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let most = MOST_CHANGES.min(word.chars().count() / 3);
    let with_changes = known.iter().map(|name| (changes(word, name), *name));
    let near = with_changes.filter(|(changes, _)| *changes <= most);
    near.min_by_key(|(changes, _)| *changes).map(|(_, name)| name)
}

/// How many letters are to be added, removed or replaced to make one word of the other.
fn changes(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (place, letter) in one.chars().enumerate() {
        let mut next = vec![place + 1];
        let mut last = place + 1;
        for (other, both) in other.iter().zip(row.windows(2)) {
            let [diagonal, above] = both else { continue };
            let replaced = diagonal + usize::from(*other != letter);
            last = replaced.min(above + 1).min(last + 1);
            next.push(last);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_name_with_almost_the_same_letters_is_meant() {
        let known = ["agent", "inputs", "outputs", "type", "to"];
        for (word, expected) in [
            ("output", Some("outputs")),
            ("ouputs", Some("outputs")),
            ("input", Some("inputs")),
            ("agents", Some("agent")),
            ("tpye", None),
            ("t", None),
            ("owner", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, &known), expected, "{word}");
        }
        assert_eq!(changes("", "abc"), 3);
        assert_eq!(changes("kitten", "sitting"), 3);
    }
}
