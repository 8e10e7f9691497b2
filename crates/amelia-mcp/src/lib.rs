//! Tools of MCP servers: connections that are opened when they are needed and again when they are lost, and the tools
//! behind them as [`amelia_core::tool::Tool`]s. And the other side: [`McpResponder`], for programs that call us.
//!
//! `rmcp` speaks the protocol to servers and stays in here. Knows no run, no pipeline and no file of configuration: who assembles
//! the program resolves servers and passes them in.

mod bounded_client;
mod connection;
mod failure;
mod handler;
mod linked;
mod message_limit;
mod output;
mod pool;
mod prompts;
mod resolved_server;
mod resources;
mod sampling;
mod served;
mod server_calls;
mod server_log;
mod sign_in;
mod slot;
mod sse;
mod stdio;
mod tool;
mod variables;

pub use failure::McpFailure;
pub use pool::{McpPool, OfferedTools, ServerState};
pub use prompts::{OfferedPrompt, PromptArgument};
pub use resolved_server::ResolvedServer;
pub use served::{
    CallAnswer, Handshake, McpProvider, McpResponder, ProgressReporter, ResourceText, cancelled_request,
    is_supported,
};
pub use sign_in::{PendingSignIn, SignInError, SignInOptions, SignIns};
pub use slot::ConnectionStatus;
pub use variables::{MissingVariable, expand};
