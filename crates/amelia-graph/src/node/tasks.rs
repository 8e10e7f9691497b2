//! Conversations that work on a task of a plan: their turns name it.

use std::sync::Arc;

use amelia_core::event::{AgentEvent, EventKind};

use super::NodeCx;

impl NodeCx {
    /// The same conversation, whose turns name the task of a plan that they work on. So do the helpers of the agent.
    #[must_use]
    pub fn on_task(self, task: &str) -> Self {
        Self { task: Some(Arc::from(task)), ..self }
    }

    pub(super) fn with_task(&self, mut kind: EventKind) -> EventKind {
        if let (Some(task), EventKind::Agent(AgentEvent::Said(said))) = (&self.task, &mut kind) {
            said.task.get_or_insert_with(|| task.to_string());
        }
        kind
    }
}
