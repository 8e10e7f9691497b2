//! A message for a person, and what the person can do about it.
//!
//! The two stay apart until they are shown: only [`Problem::to_text`] joins them, and only [`Problem::parse`] splits what
//! an older log, a recording or a server has joined.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The word before a hint, for a terminal that paints it.
pub const LABEL: &str = "hint:";
/// Between message and hint, where both are one text.
const SEPARATOR: &str = "\n  hint: ";

/// What went wrong, and the way out where there is one. In a log or a recording it is one text.
///
/// ```
/// use amelia_core::problem::Problem;
///
/// let problem = Problem::new("port 80 is in use").with_hint("use another --port");
/// assert_eq!(problem.to_string(), "port 80 is in use");
/// assert_eq!(Problem::parse(&problem.to_text()), problem);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub message: String,
    pub hint: Option<String>,
}

/// An error that may know the way out. Its `Display` is the message alone.
pub trait Hinted: fmt::Display {
    fn hint(&self) -> Option<String>;
}

impl Problem {
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }

    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// The same problem, with what it is about in front: `task 3: …`.
    #[must_use]
    pub fn about(self, what: impl fmt::Display) -> Self {
        Self { message: format!("{what}: {}", self.message), ..self }
    }

    /// Both as one text, the hint on a line of its own.
    #[must_use]
    pub fn to_text(&self) -> String {
        match &self.hint {
            Some(hint) => format!("{}{SEPARATOR}{hint}", self.message),
            None => self.message.clone(),
        }
    }

    /// Both on one line, for a list.
    #[must_use]
    pub fn to_line(&self) -> String {
        match &self.hint {
            Some(hint) => format!("{}; {hint}", self.message),
            None => self.message.clone(),
        }
    }

    /// The reverse of [`Self::to_text`].
    #[must_use]
    pub fn parse(text: &str) -> Self {
        match text.split_once(SEPARATOR) {
            Some((message, hint)) => Self::new(message).with_hint(hint),
            None => Self::new(text),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

impl From<String> for Problem {
    fn from(message: String) -> Self {
        Self::new(message)
    }
}

impl From<&str> for Problem {
    fn from(message: &str) -> Self {
        Self::new(message)
    }
}

impl<E: Hinted> From<E> for Problem {
    fn from(error: E) -> Self {
        Self { message: error.to_string(), hint: error.hint() }
    }
}

impl<E: Hinted + ?Sized> Hinted for &E {
    fn hint(&self) -> Option<String> {
        (**self).hint()
    }
}

impl Serialize for Problem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_text())
    }
}

impl<'de> Deserialize<'de> for Problem {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| Self::parse(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_one_text_in_a_log() {
        let hinted = Problem::new("no space left").with_hint("free some").about("run 1");
        for (problem, text) in [
            (hinted, "run 1: no space left\n  hint: free some"),
            (Problem::new("no space left"), "no space left"),
        ] {
            assert_eq!(problem.to_text(), text);
            assert_eq!(problem.to_line(), text.replace("\n  hint:", ";"));
            let stored = serde_json::to_value(&problem).unwrap();
            assert_eq!(stored, serde_json::json!(text));
            assert_eq!(serde_json::from_value::<Problem>(stored).unwrap(), problem);
        }
    }
}
