//! The engine: graphs that survive being killed at any instant.
//!
//! Knows no agent, driver, tool or SQL. A graph is validated when it is built; a run of it moves by pure
//! rules (`position`), does its work in nodes, and commits each finished node before anything else happens.
//! Modules are listed in reading order.

pub mod build;
pub mod control;
mod derived_id;
pub mod draw;
pub mod editing;
pub mod effect;
pub mod engine;
pub mod graph;
pub mod journaled;
pub mod node;
mod notes;
pub mod position;
pub mod state;
mod stops;
pub mod travel;
pub mod user_messages;
pub mod validate;
mod visits;
