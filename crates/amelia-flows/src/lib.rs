//! Workflows and teams: from checked definitions to graphs of the engine. Knows ports only, never a file or a wire format.
//!
//! Modules are listed in reading order.

pub mod chat;
pub mod condition;
pub mod guardrail;
mod hearing;
mod plan_values;
pub mod team;
pub mod template;
pub mod workflow;
