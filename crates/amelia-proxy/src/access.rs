//! What a program of an agent gets when it comes with a token: a model, and what its calls are held against.

use std::sync::Arc;

use amelia_core::budget::BudgetScope;
use amelia_core::clock::Clock;
use amelia_core::config::secret::Secret;
use amelia_core::id::{AgentName, RunId};
use amelia_core::redact::Redactor;
use amelia_drivers::model::{Breaker, Prices, WireFormat};
use parking_lot::Mutex;

/// Where programs of an agent go, and what is held against it.
#[derive(Clone)]
pub struct Access {
    pub run: RunId,
    pub agent: AgentName,
    pub upstream: Upstream,
    /// Reserved before a call, settled after.
    pub budget_scope: BudgetScope,
    pub prices: Arc<Prices>,
    /// One per upstream, shared by everybody who uses it.
    pub breaker: Arc<Mutex<Breaker>>,
    pub redactor: Arc<Redactor>,
    pub clock: Arc<dyn Clock>,
}

/// Who is asked.
#[derive(Debug, Clone)]
pub struct Upstream {
    /// Its name, for people.
    pub provider: String,
    /// Up to and without the path of a wire format.
    pub base_url: String,
    pub wire: WireFormat,
    /// Stays on this side.
    pub key: Option<Secret>,
    /// The key is sent as `Authorization: Bearer` in every wire format.
    pub is_token: bool,
}
