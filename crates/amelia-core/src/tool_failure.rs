//! Why a call failed, by what can be done about it.

use serde::{Deserialize, Serialize};

/// An error after which the same call may succeed.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RetryableFailure {
    Timeout,
    RateLimit,
    Connection,
}

impl RetryableFailure {
    pub const ALL: [Self; 3] = [Self::Timeout, Self::RateLimit, Self::Connection];

    /// In a few words, for people.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Timeout => "timed out",
            Self::RateLimit => "rate limit",
            Self::Connection => "connection lost",
        }
    }
}

/// Why a call failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolFailure {
    /// It was not made: the arguments do not fit the tool, or there is no such tool.
    InvalidCall,
    /// The same call may succeed later.
    MayPass(RetryableFailure),
    /// It was made, and did not do what it should.
    Failed,
}
