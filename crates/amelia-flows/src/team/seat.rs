//! Who takes a turn, in which state.

use amelia_graph::node::{NodeCx, NodeError};

use super::TeamParts;
use super::rules::TeamRules;
use crate::chat::Chat;
use crate::workflow::FlowAgent;

/// A turn of one agent.
#[derive(Clone, Copy)]
pub(super) struct Turn<'a> {
    pub(super) rules: &'a TeamRules,
    pub(super) parts: &'a TeamParts,
    /// By its name in the team.
    pub(super) agent: &'a str,
    pub(super) cx: &'a NodeCx,
    pub(super) state: &'a Chat,
}

impl Turn<'_> {
    /// The agent, with what it works with.
    pub(super) fn flow_agent(&self) -> Result<&FlowAgent, NodeError> {
        let name = self.rules.full(self.agent);
        let agent = self.parts.agents.get(&name);
        agent.ok_or_else(|| NodeError::new("no_agent", format!("there is no agent `{name}`")))
    }
}
