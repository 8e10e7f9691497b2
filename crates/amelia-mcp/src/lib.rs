//! Tools of MCP servers: connections that are opened when they are needed and again when they are lost, and the tools
//! behind them as [`amelia_core::tool::Tool`]s.
//!
//! `rmcp` speaks the protocol and stays in here. Knows no run, no pipeline and no file of configuration: who assembles
//! the program resolves servers and passes them in.

mod connection;
mod failure;
mod handler;
mod output;
mod pool;
mod resolved_server;
mod server_log;
mod slot;
mod sse;
mod stdio;
mod tool;
mod variables;

pub use failure::McpFailure;
pub use pool::{McpPool, OfferedTools, ServerState};
pub use resolved_server::ResolvedServer;
pub use slot::ConnectionStatus;
pub use variables::{MissingVariable, expand};
