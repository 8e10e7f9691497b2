//! `*` for any characters, `?` for one: what a model's name must look like. Nothing else has a meaning, as it has for
//! `globset`: there are names with brackets.

use std::fmt;

use regex::Regex;

#[derive(Debug, Clone)]
pub(crate) struct Glob {
    pattern: String,
    regex: Regex,
}

impl Glob {
    /// Refused when it is too long.
    pub(crate) fn new(pattern: String) -> Result<Self, regex::Error> {
        let inside = regex::escape(&pattern).replace(r"\*", ".*").replace(r"\?", ".");
        Ok(Self { regex: Regex::new(&format!("(?s)^{inside}$"))?, pattern })
    }

    /// The name itself when there is nothing to guess.
    pub(crate) fn literal(&self) -> Option<&str> {
        (!self.pattern.contains(['*', '?'])).then_some(self.pattern.as_str())
    }

    pub(crate) fn matches(&self, name: &str) -> bool {
        self.regex.is_match(name)
    }
}

impl fmt::Display for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.pattern)
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
            ("gpt[5]", "gpt[5]", true),
            ("gpt[5]*", "gpt5", false),
            ("{a,b}.\\*", "{a,b}.\\c", true),
        ] {
            assert_eq!(Glob::new(pattern.to_owned()).unwrap().matches(name), expected, "{pattern} {name}");
        }
    }
}
