//! The program over HTTP and WebSocket: reads requests, asks the orchestrator and the service, shows what they say. It
//! decides nothing about runs, and every JSON shape is `amelia-wire`'s.
//!
//! Modules are listed in reading order.

mod app;
pub mod connections;
mod definition_reader;
mod machine;
mod mcp_access;
mod mcp_endpoint;
mod state;

mod commands;
mod edge;
mod error;
mod guard;
mod limits;
mod metrics;
mod request;
mod session;

mod board;
mod catalogue;
mod encoded;
mod folds;
mod logs;

mod live;
mod mcp;
mod openapi;
mod page;
mod routes;
mod ui;

pub use app::{ServeError, app, serve};
pub use definition_reader::DefinitionReader;
pub use machine::{Machine, NotChanged};
pub use mcp_access::McpAccess;
pub use mcp_endpoint::McpEndpoint;
pub use state::{RenewToken, ServerParts};
pub use ui::Ui;
