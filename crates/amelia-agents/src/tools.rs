//! A toolbox whose calls are written down before they start and when they have ended. A tool never knows that it is
//! watched; what it says is cleaned of secrets before anybody sees it, the model included.

use std::sync::Arc;

use amelia_core::id::AgentName;
use amelia_core::redact::Redactor;
use amelia_core::tool::{Risk, ToolBox, ToolCall, ToolCx, ToolResult, ToolSpec};
use amelia_graph::journaled::{ToolWork, journaled};
use amelia_graph::node::{NodeCx, NodeError};
use async_trait::async_trait;
use tokio::sync::RwLock;

use crate::asking::{self, Outlet};
use crate::oracle::{self, Oracle};

/// Whom an agent may turn to in the middle of its work.
#[derive(Clone, Default)]
pub struct Helpers {
    /// The person it works for.
    pub person: bool,
    pub oracle: Option<Arc<Oracle>>,
}

/// Tools of one agent in one node visit.
pub(crate) struct JournaledTools {
    pub(crate) inner: Arc<dyn ToolBox>,
    pub(crate) helpers: Helpers,
    pub(crate) outlet: Outlet,
    /// Shared by calls under way; a question waits until it has it alone.
    pub(crate) quiet: RwLock<()>,
    pub(crate) redactor: Arc<Redactor>,
    pub(crate) cx: NodeCx,
    pub(crate) agent: AgentName,
}

#[async_trait]
impl ToolBox for JournaledTools {
    fn specs(&self) -> Vec<ToolSpec> {
        let mut specs = self.inner.specs();
        specs.extend(self.helpers.person.then(asking::spec));
        specs.extend(self.helpers.oracle.is_some().then(oracle::spec));
        specs
    }

    async fn call(&self, cx: &ToolCx, call: &ToolCall) -> ToolResult {
        let written = self.redactor.clean(call.clone());
        let _under_way = if self.is_question(call) { None } else { Some(self.quiet.read().await) };
        let work = ToolWork { agent: self.agent.clone(), call: written, risk: self.risk(call) };
        let done = journaled(&self.cx, &work, |_| async {
            Ok(match call.unreadable() {
                Some(error) => ToolResult { error: Some(error), ..ToolResult::interrupted(call) },
                None => self.redactor.clean(self.run(cx, call).await?),
            })
        })
        .await;
        // The log cannot be written: the driver must not go on as if it could.
        done.unwrap_or_else(|error| ToolResult {
            error: Some(format!("not run: {error}")),
            ..ToolResult::interrupted(call)
        })
    }
}

impl JournaledTools {
    async fn run(&self, cx: &ToolCx, call: &ToolCall) -> Result<ToolResult, NodeError> {
        match (&self.helpers.oracle, call.tool.name.as_str()) {
            _ if call.tool.server.is_some() => Ok(self.inner.call(cx, call).await),
            (_, asking::NAME) if self.helpers.person => {
                Ok(self.outlet.ask(&self.cx, &self.agent, call, &self.quiet).await)
            }
            (Some(oracle), oracle::NAME) => oracle.consult(&self.cx, call).await,
            _ => Ok(self.inner.call(cx, call).await),
        }
    }

    fn is_question(&self, call: &ToolCall) -> bool {
        self.helpers.person && call.tool.server.is_none() && call.tool.name == asking::NAME
    }

    /// A tool that nobody knows is not run at all, so it may be "run" again. So may a question: one that was not
    /// written down was not asked.
    fn risk(&self, call: &ToolCall) -> Risk {
        if self.is_question(call) {
            return Risk::Read;
        }
        let specs = self.specs();
        specs.iter().find(|spec| spec.name == call.tool).map_or(Risk::Read, |spec| spec.risk)
    }
}
