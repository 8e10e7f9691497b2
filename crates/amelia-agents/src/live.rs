//! What people see of an agent while it works: shown at once, never stored.

use std::sync::Arc;

use amelia_core::driver::DeltaKind;
use amelia_core::id::{AgentName, RunId};

/// A piece of text that a model or a tool has just produced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delta {
    pub run: RunId,
    pub agent: AgentName,
    pub kind: DeltaKind,
    pub text: String,
}

/// Where such pieces go.
pub type Live = Arc<dyn Fn(Delta) + Send + Sync>;

/// Nobody looks.
#[must_use]
pub fn unseen() -> Live {
    Arc::new(|_| {})
}
