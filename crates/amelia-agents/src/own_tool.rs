//! A tool that Amelia answers itself, in the visit of the agent that calls it; and what answers the server of any other tool. The tools of a place and of MCP servers are
//! in a toolbox; these need the log of the run.

use std::sync::Arc;

use amelia_core::human::HumanRequest;
use amelia_core::id::CallId;
use amelia_core::sampling::Sampler;
use amelia_core::store::StoreError;
use amelia_core::tool::{ToolCall, ToolResult, ToolSpec};
use amelia_graph::node::{NodeCx, NodeError};
use async_trait::async_trait;

/// Why a call has no result yet.
#[derive(Debug, Clone, PartialEq)]
pub enum OwnStop {
    /// A person is asked first; the call is made again when they have answered.
    Asks(Vec<HumanRequest>),
    /// The log cannot be written.
    Node(NodeError),
}

impl From<NodeError> for OwnStop {
    fn from(error: NodeError) -> Self {
        Self::Node(error)
    }
}

impl From<StoreError> for OwnStop {
    fn from(error: StoreError) -> Self {
        Self::Node(error.into())
    }
}

/// What answers a server that asks for an answer of a model in the middle of a call.
pub trait SamplingSource: Send + Sync {
    fn for_call(&self, cx: &NodeCx, call: &CallId) -> Arc<dyn Sampler>;
}

/// A tool of Amelia itself.
#[async_trait]
pub trait OwnTool: Send + Sync {
    /// What is offered to the model.
    fn spec(&self) -> ToolSpec;

    /// Answers a call. After a crash the same call is made again: what must not happen twice is in the log of `cx`.
    async fn call(&self, cx: &NodeCx, call: &ToolCall) -> Result<ToolResult, OwnStop>;
}
