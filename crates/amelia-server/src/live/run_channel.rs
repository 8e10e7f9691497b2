//! What a socket of one run sends. Pure.

use amelia_core::event::{EventKind, HumanEvent};

/// What is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunChannel {
    Both,
    Content,
    Events,
    /// What agents store in their memory, and read from it.
    Memory,
    /// What guardrails find, and changes of their policies.
    Guardrails,
    /// New and changed artifacts.
    Artifacts,
    /// Questions to people with their answers, and breakpoints.
    Hitl,
}

impl RunChannel {
    /// Whether agents are heard while they speak.
    pub(crate) fn has_content(self) -> bool {
        matches!(self, Self::Both | Self::Content)
    }

    /// Whether an event is sent.
    pub(crate) fn carries(self, kind: &EventKind) -> bool {
        match self {
            Self::Both | Self::Events => true,
            Self::Content => false,
            Self::Memory => matches!(kind, EventKind::Memory(_)),
            Self::Guardrails => matches!(kind, EventKind::Guardrail(_)),
            Self::Artifacts => matches!(kind, EventKind::Artifact(_)),
            // What a person says unasked is no answer.
            Self::Hitl => {
                matches!(kind, EventKind::Human(HumanEvent::Requested(_) | HumanEvent::Replied(_)))
            }
        }
    }
}
