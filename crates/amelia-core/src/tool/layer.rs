//! A toolbox in front of another one. A layer changes what is offered and how it is called; everything else passes
//! through.

use async_trait::async_trait;

use super::{
    JudgedAnswer, Risk, ToolBox, ToolCall, ToolCx, ToolName, ToolPermission, ToolResult, ToolSpec, WorkArea,
};
use crate::event::EventKind;
use crate::message::{Message, Part};

/// The calls that layers have a reason to override. Every layer is a [`ToolBox`].
#[async_trait]
pub trait ToolLayer: Send + Sync {
    /// The toolbox behind.
    fn inner(&self) -> &dyn ToolBox;

    fn specs(&self) -> Vec<ToolSpec>;

    fn extras(&self) -> Vec<ToolSpec>;

    async fn call(&self, cx: &ToolCx, call: &ToolCall) -> ToolResult;

    async fn refresh(&self, recorded: Option<&[ToolSpec]>) -> Option<Vec<ToolSpec>> {
        self.inner().refresh(recorded).await
    }

    async fn file_events(&self, moment: &str) -> Vec<EventKind> {
        self.inner().file_events(moment).await
    }

    fn may_repeat(&self, tool: &ToolName) -> bool {
        self.inner().may_repeat(tool)
    }

    fn work_area(&self) -> Option<WorkArea> {
        self.inner().work_area()
    }
}

#[async_trait]
impl<L: ToolLayer> ToolBox for L {
    fn specs(&self) -> Vec<ToolSpec> {
        ToolLayer::specs(self)
    }

    fn extras(&self) -> Vec<ToolSpec> {
        ToolLayer::extras(self)
    }

    async fn call(&self, cx: &ToolCx, call: &ToolCall) -> ToolResult {
        ToolLayer::call(self, cx, call).await
    }

    async fn refresh(&self, recorded: Option<&[ToolSpec]>) -> Option<Vec<ToolSpec>> {
        ToolLayer::refresh(self, recorded).await
    }

    fn is_real(&self) -> bool {
        self.inner().is_real()
    }

    fn work_area(&self) -> Option<WorkArea> {
        ToolLayer::work_area(self)
    }

    async fn file_events(&self, moment: &str) -> Vec<EventKind> {
        ToolLayer::file_events(self, moment).await
    }

    fn may_repeat(&self, tool: &ToolName) -> bool {
        ToolLayer::may_repeat(self, tool)
    }

    async fn permit(&self, call: &ToolCall, risk: Risk) -> ToolPermission {
        self.inner().permit(call, risk).await
    }

    async fn judge(&self, parts: Vec<Part>) -> JudgedAnswer {
        self.inner().judge(parts).await
    }

    async fn before_turn(&self) {
        self.inner().before_turn().await;
    }

    async fn heard(&self) -> Message {
        self.inner().heard().await
    }
}
