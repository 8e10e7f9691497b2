//! The `claude` program: lines of JSON both ways, with control frames. Our few tools live on the same pipe, and every
//! use of its own tools that changes something is asked for there.

mod args;
mod asking;
mod failure;
mod given_words;
mod mcp;
mod parse;
mod spending;
mod talk;
#[cfg(test)]
mod tests;
mod tool_calls;

use std::sync::Arc;

use amelia_core::driver::{AgentMessageStream, AgentRequest, Driver};
use amelia_core::tool::{ToolBox, ToolCx};

use crate::program::{TalkContext, converse};
use talk::ClaudeTalk;

/// The oldest version that speaks as we do.
pub const OLDEST: (u32, u32, u32) = (2, 0, 0);

/// An agent that is the `claude` program.
#[derive(Clone)]
pub struct ClaudeDriver {
    pub stage: TalkContext,
    pub settings: ClaudeSettings,
}

/// How the program is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaudeSettings {
    /// Its name, or where it is.
    pub program: String,
    /// It talks to its model through our proxy, without a sign-in of its own.
    pub is_proxied: bool,
}

/// Where the program finds its model by its own sign-in: no configuration that could say otherwise reaches it.
const ADDRESS: &str = "https://api.anthropic.com";

impl ClaudeSettings {
    /// Where its model is. Through the proxy, only that knows.
    fn address(&self) -> Option<&'static str> {
        (!self.is_proxied).then_some(ADDRESS)
    }
}

impl Driver for ClaudeDriver {
    fn run(&self, request: AgentRequest, tools: Arc<dyn ToolBox>, cx: ToolCx) -> AgentMessageStream {
        let talk = ClaudeTalk::new(&self.settings, request.clone(), &*tools, Arc::clone(&self.stage.clock));
        converse(talk, self.stage.clone(), &request, tools, cx)
    }
}
