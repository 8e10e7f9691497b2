//! An account at a provider that is used up until a moment that is known, as it stands in the question of a run that
//! waits for it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::human::{HumanKind, HumanRequest};
use crate::id::RequestId;
use crate::view::RunView;

/// Who answers a run whose account can be used again.
pub const SYSTEM: &str = "system";

/// In the context of a question.
const USED_UP: &str = "used_up";

/// An account that can be used again later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExhaustedQuota {
    /// What all who share it have in common: provider, address and name of the key; or a program and its home.
    pub account: String,
    /// For people.
    pub provider: String,
    pub resets_at: Timestamp,
}

impl ExhaustedQuota {
    /// What a question says about itself.
    #[must_use]
    pub fn context(&self) -> Value {
        json!({ USED_UP: self })
    }

    /// What a question is about.
    #[must_use]
    pub fn of(request: &HumanRequest) -> Option<Self> {
        let told = request.context.get(USED_UP).filter(|_| request.kind == HumanKind::Quota)?;
        Self::deserialize(told).ok()
    }

    /// What a run waits for, and the question to answer when it is over.
    #[must_use]
    pub fn waited_for(view: &RunView) -> Option<(RequestId, Self)> {
        view.pending.iter().find_map(|request| Some((request.id, Self::of(request)?)))
    }
}
