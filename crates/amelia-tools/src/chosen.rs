//! Some of the tools of a toolbox. For the agent that has it, the others do not exist.

use std::collections::BTreeSet;
use std::sync::Arc;

use amelia_core::tool::{ToolBox, ToolCall, ToolCx, ToolLayer, ToolName, ToolResult, ToolSpec, WorkArea};
use amelia_core::tool_failure::ToolFailure;
use amelia_core::workplace::ListedRights;
use async_trait::async_trait;

/// Tools by their names.
pub struct ChosenTools {
    inner: Arc<dyn ToolBox>,
    names: BTreeSet<ToolName>,
}

impl ChosenTools {
    #[must_use]
    pub fn new(inner: Arc<dyn ToolBox>, names: impl IntoIterator<Item = ToolName>) -> Self {
        Self { inner, names: names.into_iter().collect() }
    }
}

#[async_trait]
impl ToolLayer for ChosenTools {
    fn inner(&self) -> &dyn ToolBox {
        &*self.inner
    }

    fn specs(&self) -> Vec<ToolSpec> {
        self.inner.specs().into_iter().filter(|spec| self.names.contains(&spec.name)).collect()
    }

    fn extras(&self) -> Vec<ToolSpec> {
        self.inner.extras().into_iter().filter(|spec| self.names.contains(&spec.name)).collect()
    }

    /// The same holds for the tools that an agent brings itself.
    fn work_area(&self) -> Option<WorkArea> {
        let built_in = self.names.iter().filter(|tool| tool.server.is_none());
        let listed = ListedRights::of(built_in.map(|tool| tool.name.as_str()));
        self.inner.work_area().map(|work_area| WorkArea { listed: Some(listed), ..work_area })
    }

    async fn call(&self, cx: &ToolCx, call: &ToolCall) -> ToolResult {
        if self.names.contains(&call.tool) {
            return self.inner.call(cx, call).await;
        }
        let names: Vec<String> = self.names.iter().map(ToString::to_string).collect();
        let error = match names.as_slice() {
            [] => format!("there is no tool `{}`, and no other", call.tool),
            names => format!("there is no tool `{}`; there are {}", call.tool, names.join(", ")),
        };
        let failure = Some(ToolFailure::InvalidCall);
        ToolResult { error: Some(error), failure, ..ToolResult::interrupted(call) }
    }
}
