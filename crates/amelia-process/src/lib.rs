//! One process from start to end: its environment, its streams, its time, and the end of everything it has started.
//!
//! Every program that Amelia runs goes through here: tools, git, hooks, setup commands, agents that are programs, `gh`.
//! Knows no meaning of what it runs, no run, no model. Sandboxes will implement [`ProcessSpawner`].

mod collect;
mod command;
pub mod environment;
mod family;
pub mod git;
mod host;
mod run;
mod spawner;

#[cfg(test)]
mod tests;

pub use collect::{Captured, CollectLimits, Collected, OnExcess, collect};
pub use command::{CommandSpec, Descendants, OutputStreams, ProcessGroup, StdinSource};
pub use environment::Environment;
pub use family::end_leftovers;
pub use host::HostSpawner;
pub use run::{Flow, ProcessOutcome, run};
pub use spawner::{OutputStream, ProcessControl, ProcessEnd, ProcessSpawner, SpawnedProcess};
