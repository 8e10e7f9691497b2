//! Where a run stops, as its engine and its visits share it, and which events have happened that a rule waits for.

use std::collections::BTreeSet;

use amelia_core::event::Draft;
use amelia_core::stop_rule::{StopPlace, StopRule, StopVerdict};
use parking_lot::Mutex;

/// The rules of a run, and what has happened since they were looked at.
#[derive(Debug, Default)]
pub(crate) struct Stops {
    rules: Mutex<BTreeSet<StopRule>>,
    /// Names of events that a rule waits for, until the run has stopped for them.
    happened: Mutex<BTreeSet<String>>,
}

impl Stops {
    pub(crate) fn new(rules: BTreeSet<StopRule>) -> Self {
        Self { rules: Mutex::new(rules), happened: Mutex::default() }
    }

    pub(crate) fn rules(&self) -> BTreeSet<StopRule> {
        self.rules.lock().clone()
    }

    pub(crate) fn replace(&self, rules: BTreeSet<StopRule>) {
        *self.rules.lock() = rules;
        self.happened.lock().clear();
    }

    pub(crate) fn remove(&self, rule: &StopRule) {
        self.rules.lock().remove(rule);
    }

    /// Remembers what rules wait for.
    pub(crate) fn notice(&self, drafts: &[Draft]) {
        let rules = self.rules.lock();
        for rule in rules.iter() {
            if let StopPlace::Event(name) = &rule.place
                && drafts.iter().any(|draft| draft.kind.name() == name)
            {
                self.happened.lock().insert(name.clone());
            }
        }
    }

    /// Whether an event has happened that the run has not stopped for.
    pub(crate) fn has_happened(&self, name: &str) -> bool {
        self.happened.lock().contains(name)
    }

    /// The run stops for this event now, or has decided not to.
    pub(crate) fn settle(&self, name: &str) {
        self.happened.lock().remove(name);
    }

    /// The first rule that stops the run before this node, if one does.
    pub(crate) fn before_node(
        &self,
        node: &str,
        decide: impl Fn(&str) -> Result<bool, String>,
    ) -> Option<(StopRule, StopVerdict)> {
        let is_here = |rule: &StopRule| matches!(&rule.place, StopPlace::Node(name) if name == node);
        self.first(is_here, decide)
    }

    /// The first rule that stops the run for what has happened. What does not fit its condition is forgotten.
    pub(crate) fn after_event(
        &self,
        decide: impl Fn(&str) -> Result<bool, String>,
    ) -> Option<(StopRule, StopVerdict)> {
        if self.happened.lock().is_empty() {
            return None;
        }
        let is_due =
            |rule: &StopRule| matches!(&rule.place, StopPlace::Event(name) if self.has_happened(name));
        let found = self.first(is_due, decide);
        self.happened.lock().clear();
        found
    }

    fn first(
        &self,
        is_met: impl Fn(&StopRule) -> bool,
        decide: impl Fn(&str) -> Result<bool, String>,
    ) -> Option<(StopRule, StopVerdict)> {
        let rules = self.rules.lock();
        let met = rules.iter().filter(|rule| is_met(rule));
        let mut judged = met.map(|rule| (rule.clone(), rule.verdict(&decide)));
        judged.find(|(_, verdict)| *verdict != StopVerdict::Pass)
    }
}
