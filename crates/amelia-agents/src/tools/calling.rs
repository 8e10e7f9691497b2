//! Calls of tools of the toolbox, whose servers may ask a person or a model meanwhile.

use amelia_core::elicitation::AnsweredElicitation;
use amelia_core::event::{AgentEvent, EventKind};
use amelia_core::tool::{ToolCall, ToolCx, ToolResult};
use amelia_graph::node::NodeError;

use super::JournaledTools;
use crate::eliciting::{self, Questions};
use crate::own_tool::OwnStop;

impl JournaledTools {
    /// Calls a tool of the toolbox. Its server may ask the person, if there is one to ask.
    pub(super) async fn call_toolbox(&self, cx: &ToolCx, call: &ToolCall) -> Result<ToolResult, OwnStop> {
        let sampler = self.sampling.as_ref().map(|source| source.for_call(&self.cx, &call.id));
        let cx = ToolCx { sampler, ..cx.clone() };
        if !self.may_elicit {
            return Ok(self.with_own_names(self.inner.call(&cx, call).await));
        }
        let questions = Questions::new(self.elicited(&self.redactor.clean(call.clone())));
        let result = self.inner.call(&questions.tool_cx(&cx), call).await;
        match questions.open(&self.cx, &self.agent, call) {
            Some(request) => Err(OwnStop::Asks(vec![request])),
            None => Ok(self.with_own_names(result)),
        }
    }

    fn elicited(&self, written: &ToolCall) -> Vec<AnsweredElicitation> {
        eliciting::answered(&self.cx, written, self.failing.is_some())
    }

    /// Whether a call that ended with a question to a person is made again, with their answer. That it is stands in the log
    /// like the first time: a crash after that leaves it interrupted.
    pub(super) async fn begins_again(&self, written: &ToolCall) -> Result<bool, NodeError> {
        let answered = self.elicited(written);
        if answered.is_empty() || self.risk(written).is_repeatable() {
            return Ok(false);
        }
        let is_begun = eliciting::is_to_be_repeated(&answered, written, self.cx.past().await?);
        if is_begun {
            let called = EventKind::Agent(AgentEvent::Called(written.clone()));
            self.cx.record(vec![self.cx.draft(&self.agent, called)]).await?;
        }
        Ok(is_begun)
    }
}
