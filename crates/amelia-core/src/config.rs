//! Configuration: what people write down before anything runs. Data and its rules, no I/O.
//!
//! Field names are those of the source documents, so that the path of a [`problem::ConfigProblem`] is what the
//! user wrote. Spellings that are only accepted (aliases) and JSON shapes live in `amelia-wire`.
//! Modules are listed in reading order.

pub mod problem;
pub mod secret;

pub mod retry;
pub mod sandbox;

pub mod provider;

pub mod agent;
pub mod role;

pub mod profile;
pub mod profile_choice;
pub mod settings;

pub mod sub_agents;

pub mod server;

pub mod team;

pub mod mcp;
pub mod retention;
pub mod workflow;

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
