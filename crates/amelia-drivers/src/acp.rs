//! Any agent of the Agent Client Protocol, version 1, by its command: JSON-RPC over its standard input and output.
//!
//! The few messages that we need are written out here. The protocol's own crate would bring `serde_json/preserve_order`
//! for the whole program, and with it another order in everything that we store.
//!
//! What it is given, and why:
//! - Files are written and commands run by our own tools, where the agent leaves that to us: confined to the worktree, in
//!   the log, and never for a role that only reads. Files are read by itself: our tool for that shows numbered lines of
//!   limited length, and an agent that wrote those back would destroy the file.
//! - The protocol has no place for tools of ours. They are described in the first words, and called in the last ones.
//! - Where there is a list of tools, it is held to what they do: more is refused when it asks, and ends its work when it does not.
//! - It has none for words in the middle of a turn, either: they are said when the turn has ended.

mod approval;
mod failure;
mod given_tools;
mod helping;
mod item_tracker;
mod talk;
mod terminal;
#[cfg(test)]
mod tests;
mod wire;

use std::sync::Arc;

use amelia_core::driver::{AgentMessageStream, AgentRequest, Driver, DriverError};
use amelia_core::tool::{ToolBox, ToolCx};

use crate::program::{TalkContext, converse};
use given_tools::GivenTools;
use talk::AcpTalk;

/// An agent that speaks the protocol.
#[derive(Clone)]
pub struct AcpDriver {
    pub stage: TalkContext,
    pub settings: AcpSettings,
}

/// How it is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcpSettings {
    /// The program and its arguments.
    pub command: Vec<String>,
}

impl Driver for AcpDriver {
    fn run(&self, request: AgentRequest, tools: Arc<dyn ToolBox>, cx: ToolCx) -> AgentMessageStream {
        let Some(work_area) = tools.work_area() else {
            let nowhere = DriverError::Setup("the agent has no directory to work in".to_owned());
            return Box::pin(futures_util::stream::iter([Err(nowhere)]));
        };
        let clock = Arc::clone(&self.stage.clock);
        let given = GivenTools::of(&work_area, &*tools);
        let talk = AcpTalk::new(&self.settings, request.clone(), work_area, given, clock);
        converse(talk, self.stage.clone(), &request, tools, cx)
    }
}
