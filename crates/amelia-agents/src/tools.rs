//! A toolbox whose calls are written down before they start and when they have ended. A tool never knows that it is
//! watched.

use std::sync::Arc;

use amelia_core::id::AgentName;
use amelia_core::tool::{Risk, ToolBox, ToolCall, ToolCx, ToolResult, ToolSpec};
use amelia_graph::journaled::{ToolWork, journaled};
use amelia_graph::node::NodeCx;
use async_trait::async_trait;

use crate::alarm::Alarm;

/// Tools of one agent in one node visit.
pub(crate) struct JournaledTools {
    pub(crate) inner: Arc<dyn ToolBox>,
    pub(crate) cx: NodeCx,
    pub(crate) agent: AgentName,
    pub(crate) alarm: Alarm,
}

#[async_trait]
impl ToolBox for JournaledTools {
    fn specs(&self) -> Vec<ToolSpec> {
        self.inner.specs()
    }

    async fn call(&self, cx: &ToolCx, call: &ToolCall) -> ToolResult {
        let work = ToolWork { agent: self.agent.clone(), call: call.clone(), risk: self.risk(call) };
        let done = journaled(&self.cx, &work, |_| async {
            Ok(match call.unreadable() {
                Some(error) => ToolResult { error: Some(error), ..ToolResult::interrupted(call) },
                None => self.inner.call(cx, call).await,
            })
        })
        .await;
        match done {
            Ok(result) => result,
            // The log cannot be written: the driver must not go on as if it could.
            Err(error) => match self.alarm.raise(error).await {},
        }
    }
}

impl JournaledTools {
    /// A tool that nobody knows is not run at all, so it may be "run" again.
    fn risk(&self, call: &ToolCall) -> Risk {
        let specs = self.inner.specs();
        specs.iter().find(|spec| spec.name == call.tool).map_or(Risk::Read, |spec| spec.risk)
    }
}
