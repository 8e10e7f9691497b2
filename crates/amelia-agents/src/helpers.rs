//! Whom an agent may ask in the middle of its work.

use std::sync::Arc;

use amelia_core::config::agent::Permissions;

use crate::guarding::Guard;
use crate::own_tool::OwnTool;

/// Whom an agent may turn to in the middle of its work.
#[derive(Clone, Default)]
pub struct Helpers {
    /// The person it works for.
    pub person: bool,
    /// The person is asked also when an MCP server asks while the agent calls one of its tools.
    pub servers_ask: bool,
    /// When a person wants to see first what it does.
    pub permissions: Permissions,
    /// What its texts and calls are checked against.
    pub guard: Option<Guard>,
    /// Others who work for it when it calls a tool: an Oracle, sub-agents.
    pub tools: Vec<Arc<dyn OwnTool>>,
    /// Tokens of a conversation above which what is oldest in it becomes a summary.
    pub short_term_limit: Option<u64>,
}
