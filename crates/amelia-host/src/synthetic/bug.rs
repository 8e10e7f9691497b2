//! Bugs that can be put into a worker, to see that the self-test catches them.

use std::fmt;
use std::str::FromStr;

/// A bug that the self-test must catch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bug {
    /// Events are shown before they are durable.
    PublishBeforeCommit,
    /// The outside world is changed without writing it down first.
    EffectWithoutIntent,
    /// An interrupted tool call that writes is simply run again.
    RepeatWrites,
}

const ALL: [(Bug, &str); 3] = [
    (Bug::PublishBeforeCommit, "publish-before-commit"),
    (Bug::EffectWithoutIntent, "effect-without-intent"),
    (Bug::RepeatWrites, "repeat-writes"),
];

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = ALL.iter().find(|(bug, _)| bug == self).map(|(_, name)| *name);
        f.write_str(name.unwrap_or_default())
    }
}

impl FromStr for Bug {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = ALL.iter().find(|(_, name)| *name == text).map(|(bug, _)| *bug);
        found.ok_or_else(|| format!("no such bug; there are {}", ALL.map(|(_, name)| name).join(", ")))
    }
}
