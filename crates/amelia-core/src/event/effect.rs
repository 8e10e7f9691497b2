//! The ledger, as facts: a change of the outside world was intended, done, or is in doubt.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::EventLevel;
use crate::effect::Effect;
use crate::id::EffectId;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum EffectEvent {
    Intended(Effect),
    Done { effect: EffectId, receipt: Value },
    Doubted { effect: EffectId, why: String },
}

impl EffectEvent {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Intended(_) => "effect.intended",
            Self::Done { .. } => "effect.done",
            Self::Doubted { .. } => "effect.doubted",
        }
    }

    pub(super) fn level(&self) -> EventLevel {
        match self {
            Self::Intended(_) | Self::Done { .. } => EventLevel::Info,
            Self::Doubted { .. } => EventLevel::Warning,
        }
    }

    pub(super) fn summary(&self) -> String {
        match self {
            Self::Intended(effect) => format!("about to {} on {}", effect.kind, effect.target),
            Self::Done { effect, .. } => format!("effect {effect} done"),
            Self::Doubted { effect, why } => format!("effect {effect} in doubt: {why}"),
        }
    }
}
