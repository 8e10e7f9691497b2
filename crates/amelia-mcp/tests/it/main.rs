//! Connections to MCP servers: the real ones over each transport, and one that misbehaves in every way we know.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that fails says where"
)]

mod bad;
mod bad_http;
mod fixture;
#[path = "../../../amelia-drivers/tests/it/programs.rs"]
mod programs;
mod real;
