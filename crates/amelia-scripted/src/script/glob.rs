//! `*` for any characters, `?` for one: what a model's name must look like.

use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Glob(String);

impl Glob {
    pub(crate) fn new(pattern: String) -> Self {
        Self(pattern)
    }

    /// The name itself when there is nothing to guess.
    pub(crate) fn literal(&self) -> Option<&str> {
        (!self.0.contains(['*', '?'])).then_some(self.0.as_str())
    }

    pub(crate) fn matches(&self, name: &str) -> bool {
        // The states of the pattern that are alive after each character: linear in both, whatever the pattern.
        let pattern: Vec<char> = self.0.chars().collect();
        let mut alive = vec![false; pattern.len() + 1];
        if let Some(first) = alive.first_mut() {
            *first = true;
        }
        skip_stars(&pattern, &mut alive);
        for c in name.chars() {
            let mut next = vec![false; alive.len()];
            for (at, wanted) in pattern.iter().enumerate() {
                if !alive.get(at).copied().unwrap_or(false) {
                    continue;
                }
                let to = if *wanted == '*' { at } else { at + 1 };
                if (*wanted == '*' || *wanted == '?' || *wanted == c)
                    && let Some(state) = next.get_mut(to)
                {
                    *state = true;
                }
            }
            skip_stars(&pattern, &mut next);
            alive = next;
        }
        alive.last().copied().unwrap_or(false)
    }
}

/// A star may stand for nothing.
fn skip_stars(pattern: &[char], alive: &mut [bool]) {
    let mut carried = false;
    for (at, state) in alive.iter_mut().enumerate() {
        *state |= carried;
        carried = *state && pattern.get(at) == Some(&'*');
    }
}

impl fmt::Display for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_question_marks_stand_for_others() {
        for (pattern, name, expected) in [
            ("*", "", true),
            ("*", "gpt-5", true),
            ("gpt-*", "gpt-5", true),
            ("gpt-*", "gpt", false),
            ("*-mini", "gpt-5-mini", true),
            ("c*-?-5*", "claude-sonnet-4-5-x", true),
            ("gpt-?", "gpt-51", false),
            ("gpt-5", "gpt-5", true),
            ("", "x", false),
            ("a**b", "ab", true),
        ] {
            assert_eq!(Glob::new(pattern.to_owned()).matches(name), expected, "{pattern} {name}");
        }
    }
}
