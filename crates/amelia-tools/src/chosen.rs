//! Some of the tools of a toolbox. For the agent that has it, the others do not exist.

use std::collections::BTreeSet;
use std::sync::Arc;

use amelia_core::event::EventKind;
use amelia_core::message::Message;
use amelia_core::tool::{
    Risk, ToolBox, ToolCall, ToolCx, ToolName, ToolPermission, ToolResult, ToolSpec, WorkArea,
};
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
impl ToolBox for ChosenTools {
    fn specs(&self) -> Vec<ToolSpec> {
        self.inner.specs().into_iter().filter(|spec| self.names.contains(&spec.name)).collect()
    }

    fn extras(&self) -> Vec<ToolSpec> {
        self.inner.extras().into_iter().filter(|spec| self.names.contains(&spec.name)).collect()
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
        ToolResult { error: Some(error), ..ToolResult::interrupted(call) }
    }

    fn is_real(&self) -> bool {
        self.inner.is_real()
    }

    fn work_area(&self) -> Option<WorkArea> {
        self.inner.work_area()
    }

    async fn file_events(&self, moment: &str) -> Vec<EventKind> {
        self.inner.file_events(moment).await
    }

    async fn permit(&self, call: &ToolCall, risk: Risk) -> ToolPermission {
        self.inner.permit(call, risk).await
    }

    async fn heard(&self) -> Message {
        self.inner.heard().await
    }
}
