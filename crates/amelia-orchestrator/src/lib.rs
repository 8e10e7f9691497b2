//! The life of runs: create, move, record, publish, recover. The heart of the program, without HTTP.
//!
//! Modules are listed in reading order.

pub mod artifact_service;
pub mod bus;
pub mod memory_schedule;
pub mod memory_service;
pub mod orchestrator;
pub mod prompts;
pub mod recorder;
pub mod retention;
pub mod run_retention;
pub mod runs;
pub mod service;
pub mod settings;
pub mod stored_definitions;
pub mod tape;

mod channels;
mod claims;
mod deadlines;
#[cfg(debug_assertions)]
mod dying;
mod live_text;
mod service_error;
