//! The ledger of changes to the outside world: intended before, done after, looked up after a crash.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::EffectId;

/// One change of the outside world: a push, a pull request, a comment, a status.
/// `id` travels with it as a marker, so that a provider can be asked whether it happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct Effect {
    pub id: EffectId,
    /// Names the effect within the node visit that causes it; the same key is the same effect.
    pub key: String,
    /// `git.push`, `github.pull_request`, …
    pub kind: String,
    /// What it acts on: a remote and branch, an issue.
    pub target: String,
    /// Hash of the content, so that a changed intention is noticed.
    pub content_hash: String,
}

/// How far an effect has come.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum EffectState {
    /// Written down; it may or may not have happened.
    Intended,
    /// It happened; the receipt is the provider's.
    Done { receipt: Value },
    /// The provider could not be asked. A person, or a later start, finds out.
    Unknown { why: String },
}

/// An effect with its state and owner, as the ledger lists it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct LedgerEntry {
    pub effect: Effect,
    pub state: EffectState,
}
