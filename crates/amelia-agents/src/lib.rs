//! The product's thinking: agents, and the graphs they work in. Knows ports only, never an adapter.
//!
//! Modules are listed in reading order.

pub mod agent;
pub mod asking;
pub mod briefing;
pub mod consulting;
pub mod conversation;
pub mod delegating;
mod eliciting;
mod ending;
pub mod guarding;
pub mod handing_in;
pub mod helpers;
pub mod human_tool;
pub mod kept_threads;
pub mod live;
pub mod moment;
pub mod oracle;
pub mod own_tool;
pub mod permission;
pub mod pipeline;
pub mod prompt;
pub mod remark;
pub mod role;
pub mod roles;
mod short_term;
mod stopping;
#[cfg(test)]
mod testing;
mod thoughts;
mod tool_journal;
pub mod tool_step;
pub mod tools;
