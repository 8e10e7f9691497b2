//! What follows a turn, as the rules of a team say it.

use amelia_core::event::team::HandoffKind;
use amelia_core::object::Object;

/// What the rules of the team say about the end of a turn.
#[derive(Debug, PartialEq)]
pub(super) enum AfterTurn {
    HandOff {
        to: String,
        /// The node of the turn that follows.
        node: String,
        reason: String,
        context: Object,
        kind: HandoffKind,
    },
    /// This step follows, which no agent does.
    Step(String),
    /// Others work for the agent, which then continues.
    Lend(LentTurn),
    /// Several may continue, and the agent has not said who.
    Ask,
    /// The turn did not end as it must: what was missing.
    Again(&'static str),
    Done,
}

/// What agents do for the one that had the turn.
#[derive(Debug, PartialEq)]
pub(super) struct LentTurn {
    pub(super) to: Vec<String>,
    pub(super) task: String,
    pub(super) context: Object,
    pub(super) kind: HandoffKind,
}

/// The end of the name of a node of those who work for an agent. Stored with runs.
pub(super) const HELPERS: &str = ".helpers";

/// The node of those who work for an agent.
pub(super) fn helpers_of(agent: &str) -> String {
    format!("{agent}{HELPERS}")
}
