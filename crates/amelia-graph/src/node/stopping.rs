//! Where a run stops inside a visit.

use std::collections::BTreeSet;

use amelia_core::stop_rule::StopRule;

use super::NodeCx;

impl NodeCx {
    /// Where the run stops inside the work of its agents, until now.
    #[must_use]
    pub fn stops(&self) -> BTreeSet<StopRule> {
        self.shared.stops.rules()
    }

    /// A rule that does not hold any more, because the run stops by it now.
    pub fn use_up(&self, rule: &StopRule) {
        self.shared.stops.remove(rule);
    }

    /// Whether an event that a rule waits for has happened anywhere in the run, and the run has not stopped for it.
    #[must_use]
    pub fn has_happened(&self, event: &str) -> bool {
        self.shared.stops.has_happened(event)
    }

    /// The run stops for this event now.
    pub fn settle_event(&self, event: &str) {
        self.shared.stops.settle(event);
    }
}
