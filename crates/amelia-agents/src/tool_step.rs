//! A tool that a graph calls, without an agent: journaled, cleaned and asked about like a call of an agent.

use std::sync::Arc;

use amelia_core::id::AgentName;
use amelia_core::recording::{NoTape, Tape};
use amelia_core::redact::Redactor;
use amelia_core::tool::{Risk, ToolBox, ToolCall, ToolCx, ToolResult};
use amelia_graph::journaled::{JournalState, JournaledWork as _, ToolWork};
use amelia_graph::node::{NodeCx, NodeError};
use futures_util::future::{Either, select};

use crate::agent::AgentStop;
use crate::eliciting;
use crate::ending::{StopCause, StopSignal};
use crate::helpers::Helpers;
use crate::stopping::TurnPlace;
use crate::tools::{JournaledTools, OwnTools};

/// What a node calls tools with.
#[derive(Clone)]
pub struct ToolCaller {
    /// Who speaks in the log.
    pub name: AgentName,
    pub tools: Arc<dyn ToolBox>,
    pub redactor: Arc<Redactor>,
}

impl ToolCaller {
    /// Whether an earlier try of this visit has begun this call and was killed before its end: it may have happened. One that
    /// ended with a question of its server is made again with the answer.
    pub async fn is_interrupted(&self, cx: &NodeCx, call: &ToolCall) -> Result<bool, NodeError> {
        let (call, past) = (self.redactor.clean(call.clone()), cx.past().await?);
        let is_continued = eliciting::is_to_be_repeated(&eliciting::answered(cx, &call, false), &call, past);
        let work = ToolWork { agent: self.name.clone(), call, risk: Risk::External };
        Ok(!is_continued && matches!(work.find(past), JournalState::Begun))
    }

    /// Makes a call once. After a crash a call that only reads is made again; any other is reported as interrupted.
    pub async fn call(&self, cx: &NodeCx, call: &ToolCall) -> Result<ToolResult, AgentStop> {
        let (outlet, ending) = StopSignal::new();
        let helpers = Helpers::default();
        let own = OwnTools {
            place: TurnPlace::default(),
            tools: &self.tools,
            helpers: &helpers,
            tape: &(Arc::new(NoTape) as Arc<dyn Tape>),
            redactor: &self.redactor,
            agent: &self.name,
            is_program: false,
            may_elicit: true,
            sampling: None,
        };
        let tools = JournaledTools::new(&own, cx, Vec::new(), outlet);
        let tool_cx = ToolCx { cancel: cx.cancel().child_token(), ..ToolCx::default() };
        let called = tools.call(&tool_cx, call);
        match select(called, ending).await {
            Either::Left((result, _)) => Ok(result),
            Either::Right((Ok(StopCause::Asks(requests)), _)) => Err(AgentStop::Asks(requests)),
            Either::Right((Ok(StopCause::Broken(error)), _)) => Err(AgentStop::Node(error)),
            Either::Right((Ok(StopCause::Looped(error)), _)) => Err(AgentStop::Driver(error)),
            Either::Right((Ok(StopCause::HandedIn { .. }) | Err(_), _)) => {
                Err(AgentStop::Node(NodeError::new("tool", "the call has ended without a result")))
            }
        }
    }
}
