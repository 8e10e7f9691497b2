//! Trackers: where issues come from and results go to, behind the port `amelia_core::tracker::Tracker`.
//!
//! What an issue says is data and passed on as it is. Keys are given by the assembly of the program; nothing here
//! reads the environment. Modules are listed in reading order.

mod assemble;
#[cfg(fuzzing)]
pub mod fuzzing;
mod github;
mod jira;
mod noop;
mod paired;

mod caller;
mod exchange;
mod failure;
mod rest;
mod text;
mod transport;

pub use assemble::{SETTINGS, TrackerContext, assemble, code_host};
pub use github::{Gh, GitHub, GitHubRepository};
pub use jira::{Jira, JiraSite};
pub use noop::Noop;
pub use paired::Paired;
