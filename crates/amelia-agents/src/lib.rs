//! The product's thinking: agents, and the graphs they work in. Knows ports only, never an adapter.
//!
//! Modules are listed in reading order.

pub mod agent;
mod alarm;
pub mod conversation;
pub mod live;
pub mod pipeline;
mod tools;
