//! What a person means whose answer begins with yes or no. Pure.

/// Words that mean yes when they are the whole answer.
const YES: [&str; 8] = ["y", "yes", "ok", "okay", "approve", "approved", "allow", "lgtm"];
const NO: [&str; 5] = ["n", "no", "reject", "rejected", "deny"];

/// Whether an answer consists of a yes and nothing else.
#[must_use]
pub fn is_yes(words: &str) -> bool {
    is_one_of(&YES, words.trim())
}

/// Whether an answer consists of a no and nothing else.
#[must_use]
pub fn is_no(words: &str) -> bool {
    is_one_of(&NO, words.trim())
}

/// A yes or a no, and the text after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening<'w> {
    Yes(&'w str),
    No(&'w str),
}

/// The yes or no with which a longer answer begins: `y`, `yes`, `n` or `no`, followed by text. A `no` without a comma may belong
/// to the sentence (*no more than three lines*), so the text keeps it.
#[must_use]
pub fn opening(words: &str) -> Option<Opening<'_>> {
    let words = words.trim();
    let (first, rest) = words.split_once(char::is_whitespace)?;
    let word = first.trim_end_matches([',', ';', ':', '.', '!']);
    let rest = rest.trim_start_matches(['-', '–', '—']).trim();
    let is = |all: &[&str]| is_one_of(all, word);
    match () {
        () if rest.is_empty() => None,
        () if is(&["y", "yes"]) => Some(Opening::Yes(rest)),
        () if is(&["n"]) || (is(&["no"]) && word != first) => Some(Opening::No(rest)),
        () if is(&["no"]) => Some(Opening::No(words)),
        () => None,
    }
}

fn is_one_of(all: &[&str], word: &str) -> bool {
    all.iter().any(|one| word.eq_ignore_ascii_case(one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_yes_alone_is_a_yes() {
        for words in ["y", "Yes", " ok ", "approve"] {
            assert!(is_yes(words), "{words}");
        }
        for words in ["", "no", "n", "yes, but not again", "y?", "no, do not", "done"] {
            assert!(!is_yes(words), "{words}");
        }
        assert!(is_no("No") && !is_no("no, do not"));
    }

    #[test]
    fn text_after_a_yes_or_no_is_the_message() {
        for (words, expected) in [
            ("y looks good", Some(Opening::Yes("looks good"))),
            ("Yes, but smaller", Some(Opening::Yes("but smaller"))),
            ("n shorter", Some(Opening::No("shorter"))),
            ("no - shorter", Some(Opening::No("no - shorter"))),
            ("no, shorter", Some(Opening::No("shorter"))),
            ("no more than three lines", Some(Opening::No("no more than three lines"))),
            ("y", None),
            ("yes ", None),
            ("nothing is missing", None),
            ("looks good", None),
        ] {
            assert_eq!(opening(words), expected, "{words}");
        }
    }
}
