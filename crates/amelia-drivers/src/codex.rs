//! The `codex` program: JSON-RPC over its `app-server`, or one-way lines of `exec` where that is all there is.
//!
//! What holds an agent back there, and why:
//! - A role that only reads gets the read-only sandbox and the policy `never`. Nothing is asked, so nothing can be
//!   allowed: an approved command or edit would be made outside the sandbox.
//! - A role that works gets the sandbox for its worktree. Who leaves it must ask, and the answer is our permission.
//!   The network is open there: tests talk to servers of their own, and our own tools have it too. `.git` is closed:
//!   the commits are Amelia's.
//! - A list of tools without commands takes its own tools away: it works with those of ours that are listed.
//! - When a person wants to see commands first, the program has to ask before every one, and runs them without its
//!   sandbox. With it, an approved command that the sandbox stops would be run a second time without it, unasked.

mod approval;
mod exec;
mod failure;
mod item;
mod item_tracker;
mod launch;
mod outgoing;
mod server;
mod talk;
#[cfg(test)]
mod tests;
mod thread;
mod usage;

use std::sync::Arc;

use amelia_core::config::agent::CodexMode;
use amelia_core::driver::{AgentMessageStream, AgentRequest, Driver, DriverError};
use amelia_core::tool::{Risk, ToolBox, ToolCx, ToolSpec, WorkArea};

use crate::program::{TalkContext, converse};
use talk::CodexTalk;

/// The oldest version that speaks as we do.
pub const OLDEST: (u32, u32, u32) = (0, 150, 0);

/// What is answered, asked and heard by name. Each must be in the schema that the program itself has.
pub mod spoken {
    pub use super::approval::{COMMAND, ELICITATION, FILES, PERMISSIONS};
    pub use super::server::{CALL, HEARD};
}

/// An agent that is the `codex` program.
#[derive(Clone)]
pub struct CodexDriver {
    pub stage: TalkContext,
    pub settings: CodexSettings,
}

/// How the program is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodexSettings {
    /// Its name, or where it is.
    pub program: String,
    pub mode: CodexMode,
    /// It talks to its model through our proxy, without a sign-in of its own.
    pub is_proxied: bool,
    /// A person wants to be asked before it does something.
    pub asks: bool,
}

impl Driver for CodexDriver {
    fn run(&self, request: AgentRequest, tools: Arc<dyn ToolBox>, cx: ToolCx) -> AgentMessageStream {
        let Some(work_area) = tools.work_area() else {
            let nowhere = DriverError::Setup("codex has no directory to work in".to_owned());
            return Box::pin(futures_util::stream::iter([Err(nowhere)]));
        };
        let clock = Arc::clone(&self.stage.clock);
        let offered = offered(&work_area, &*tools);
        let talk = CodexTalk::new(&self.settings, &request, work_area, offered, clock);
        converse(talk, self.stage.clone(), &request, tools, cx)
    }
}

/// Our tools that it is given: those that it has no own ones for. Without commands it has none of its own, and what changes
/// files is not handed to it: it would not ask before it uses our tools.
fn offered(work_area: &WorkArea, tools: &dyn ToolBox) -> Vec<ToolSpec> {
    if !launch::is_held(work_area) {
        return tools.extras();
    }
    let is_built_in = |spec: &ToolSpec| spec.name.server.is_none() && spec.risk != Risk::Read;
    tools.specs().into_iter().filter(|spec| !is_built_in(spec) || tools.extras().contains(spec)).collect()
}
