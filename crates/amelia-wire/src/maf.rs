//! The multi-agent framework's words: tasks, traces, graph workflows, agents on MCP tools, and its files.

pub mod agent;
pub mod checkpoint;
pub mod files;
pub mod mcp;
pub mod message;
pub mod retention;
pub mod task;
pub mod trace;
pub mod workflow;
