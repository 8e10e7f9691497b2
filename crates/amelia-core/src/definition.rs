//! What people define, in files or over the API.

use crate::document::DocumentKind;

/// What a definition is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DefinitionKind {
    Agent,
    Workflow,
    Team,
    /// A guardrail policy.
    Policy,
}

impl DefinitionKind {
    pub const ALL: [Self; 4] = [Self::Agent, Self::Workflow, Self::Team, Self::Policy];

    /// The word for one.
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Workflow => "workflow",
            Self::Team => "team",
            Self::Policy => "policy",
        }
    }

    /// Where such files are, below `.amelia` of a repository and in the home.
    #[must_use]
    pub fn directory(self) -> &'static str {
        match self {
            Self::Agent => "agents",
            Self::Workflow => "workflows",
            Self::Team => "teams",
            Self::Policy => "guardrails",
        }
    }
}

/// How those that were sent to the API are stored.
impl From<DefinitionKind> for DocumentKind {
    fn from(kind: DefinitionKind) -> Self {
        match kind {
            DefinitionKind::Agent => Self::Agent,
            DefinitionKind::Workflow => Self::Workflow,
            DefinitionKind::Team => Self::Team,
            DefinitionKind::Policy => Self::Policy,
        }
    }
}
