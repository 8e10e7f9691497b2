//! Makes a program of the parts: from a home directory, its configuration and its keys to a server whose runs have
//! drivers, worktrees, trackers and recordings. Knows nothing of command lines, exit codes and terminals.

mod agent_factory;
pub mod artifacts;
pub mod assemble;
mod attachments;
pub mod backup;
mod consolidation_input;
pub mod database;
pub mod definitions;
pub mod doctor;
pub mod error;
pub(crate) mod guardrails;
pub mod home;
pub mod home_file;
mod human_tools;
mod implementation_input;
pub mod key_marks;
pub mod keys;
mod limits;
pub mod local_server;
pub mod logging;
mod machine;
pub mod mcp_servers;
mod memory;
pub mod pipelines;
pub mod place;
pub mod presence;
#[cfg(test)]
mod proofs;
pub mod recording;
pub mod refused_file;
pub mod replay;
pub mod repository_servers;
pub mod repository_tools;
mod resolved_agents;
mod result_files;
pub mod retention;
mod run_assembler;
pub mod run_environment;
pub mod run_parts;
mod run_service;
mod run_tools;
pub mod server_config;
pub mod setup;
mod single_agent_input;
pub mod size;
pub mod synthetic;
pub mod task_files;
mod team_input;
mod team_programs;
mod tool_schema;
pub mod trace_export;
mod tracking;
mod unchanging_files;
pub mod upstream;
pub mod webhooks;
mod workflow_input;
mod workplace;
mod workspaces;

/// The example of a pipeline in the documentation compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/extending.md")]
struct Extending;
