//! Names and numbers of things. Each is its own type, made by parsing once at the edge.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use uuid::Uuid;

macro_rules! uuid_id {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = BadName;

            fn from_str(text: &str) -> Result<Self, BadName> {
                Uuid::parse_str(text).map(Self).map_err(|_| BadName::new(stringify!($name), text, "a UUID"))
            }
        }
    )*};
}

uuid_id! {
    /// A run: one execution, with a log and checkpoints.
    RunId;
    /// One event in a log.
    EventId;
    /// A question to a person. Replies are addressed to it.
    RequestId;
    /// Flows through all events of a run and everything it calls; OpenTelemetry-compatible.
    TraceId;
    /// One intended change of the outside world. Providers carry it as a marker.
    EffectId;
    /// One message of a conversation.
    MessageId;
}

/// The number of a run in its home, as people write it: `r12`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/", type = "number"))]
#[serde(transparent)]
pub struct RunNumber(pub u64);

impl RunNumber {
    /// No store has counted the run.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.0 == 0
    }
}

impl fmt::Display for RunNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r{}", self.0)
    }
}

impl FromStr for RunNumber {
    type Err = BadName;

    fn from_str(text: &str) -> Result<Self, BadName> {
        let digits =
            text.strip_prefix(['r', 'R']).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        let number = digits.and_then(|digits| digits.parse().ok()).filter(|number| *number > 0);
        number.map(Self).ok_or_else(|| BadName::new("RunNumber", text, "r and a number"))
    }
}

macro_rules! text_id {
    ($($(#[$doc:meta])* $name:ident: $rule:expr, $expected:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/", type = "string"))]
        pub struct $name(Arc<str>);

        impl $name {
            /// Parses a name; the error says what would have been accepted.
            pub fn new(text: impl AsRef<str>) -> Result<Self, BadName> {
                let text = text.as_ref();
                let rule: fn(&str) -> bool = $rule;
                if rule(text) {
                    Ok(Self(text.into()))
                } else {
                    Err(BadName::new(stringify!($name), text, $expected))
                }
            }

            /// The name as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl FromStr for $name {
            type Err = BadName;

            fn from_str(text: &str) -> Result<Self, BadName> {
                Self::new(text)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                Self::new(text).map_err(serde::de::Error::custom)
            }
        }
    )*};
}

text_id! {
    /// A node of a graph.
    NodeId: is_label, "1 to 128 characters without control characters";
    /// A graph by name; with its version it decides whether a checkpoint may be resumed.
    GraphName: is_label, "1 to 128 characters without control characters";
    /// Who speaks: a role, a team member, or `system`. Graph-workflow agents are held to
    /// [`AgentName::is_snake_case`] by their own configuration.
    AgentName: is_label, "1 to 128 characters without control characters";
    /// One tool call, named by the model or the driver.
    CallId: is_label, "1 to 128 characters without control characters";
    /// A vendor's conversation, to be resumed by this name.
    SessionId: is_label, "1 to 128 characters without control characters";
}

impl AgentName {
    /// The name of the speaker of events that belong to no agent.
    pub const SYSTEM: &str = "system";

    #[must_use]
    pub fn system() -> Self {
        Self(Self::SYSTEM.into())
    }

    /// `^[a-z][a-z0-9_]*$`
    #[must_use]
    pub fn is_snake_case(&self) -> bool {
        self.0.starts_with(|c: char| c.is_ascii_lowercase())
            && self.0.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    }

    /// As people call it: `Developer`.
    #[must_use]
    pub fn label(&self) -> String {
        let mut letters = self.0.chars();
        let first = letters.next().map(char::to_uppercase);
        first.into_iter().flatten().chain(letters).collect()
    }
}

impl GraphName {
    /// Stands for the graph of a run whose record cannot be read.
    #[must_use]
    pub fn unknown() -> Self {
        Self("unknown".into())
    }
}

impl CallId {
    /// The nearest possible name: models and servers write anything.
    #[must_use]
    pub fn repaired(text: &str) -> Self {
        let visible = text.chars().map(|c| if c.is_control() { '_' } else { c });
        // A character is four bytes at most, so these fit.
        let name: String = visible.take(LONGEST_LABEL / 4).collect();
        match Self::new(text) {
            Ok(name) => name,
            Err(_) if name.is_empty() => Self("call".into()),
            Err(_) => Self(name.into()),
        }
    }
}

/// A name that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a valid {what}: expected {expected}")]
pub struct BadName {
    /// Which type was being made.
    pub what: &'static str,
    /// What was given, cut to a length fit for a message.
    pub text: String,
    /// What would have been accepted.
    pub expected: &'static str,
}

impl BadName {
    fn new(what: &'static str, text: &str, expected: &'static str) -> Self {
        Self { what, text: text.chars().take(64).collect(), expected }
    }
}

/// Bytes of a label.
const LONGEST_LABEL: usize = 128;

fn is_label(text: &str) -> bool {
    !text.is_empty() && text.len() <= LONGEST_LABEL && !text.chars().any(char::is_control)
}

/// Place of an event in its log: 1, 2, 3 … without gaps. 0 is "before the first".
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(transparent)]
pub struct Seq(pub u64);

impl Seq {
    /// Before the first event.
    pub const START: Self = Self(0);

    /// The place `n` further on.
    #[must_use]
    pub fn plus(self, n: usize) -> Self {
        Self(self.0.saturating_add(n as u64))
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Number of a node visit within its run: 1 for the first node entered, then 2, 3 …
/// It names a visit for ever; checkpoints carry the number of the last visit that was entered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(transparent)]
pub struct Step(pub u32);

impl Step {
    /// The visit after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_name_says_what_would_do() {
        let error = NodeId::new("a\nb").unwrap_err();
        assert_eq!(
            error.to_string(),
            "`a\nb` is not a valid NodeId: expected 1 to 128 characters without control characters"
        );
        assert!(AgentName::new("").is_err());
        assert!(AgentName::new("x".repeat(129)).is_err());
    }

    #[test]
    fn every_name_of_a_call_can_be_repaired() {
        for text in ["", "a\nb", &"é".repeat(500), &"🦀".repeat(500), "call_1"] {
            let repaired = CallId::repaired(text);
            assert_eq!(CallId::new(repaired.as_str()), Ok(repaired.clone()), "{text:?}");
            assert!(text != "call_1" || repaired.as_str() == text);
        }
    }

    #[test]
    fn a_run_is_called_by_its_number() {
        assert_eq!((RunNumber(12).to_string(), "r12".parse()), ("r12".to_owned(), Ok(RunNumber(12))));
        assert_eq!("R7".parse(), Ok(RunNumber(7)));
        for text in ["", "r", "12", "r0", "r-1", "r+1", "r1x", "rr1", "r99999999999999999999"] {
            assert!(text.parse::<RunNumber>().is_err(), "{text}");
        }
    }

    #[test]
    fn snake_case_is_checked_as_document_004_says() {
        for (name, expected) in [("reviewer_2", true), ("Reviewer", false), ("2nd", false), ("a b", false)] {
            assert_eq!(AgentName::new(name).unwrap().is_snake_case(), expected, "{name}");
        }
    }
}
