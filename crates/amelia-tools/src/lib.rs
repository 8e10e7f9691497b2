//! The tools an agent has: what it reads, writes and runs, confined to its worktree.
//!
//! Every path goes through [`confine::Root`], every process through `process`. Failure is a value that the model
//! reads; nothing here ends a run. Knows no model, no run and no configuration file.

pub mod confine;
mod edit;
mod git;
pub mod line_diff;
mod line_ends;
mod near;
mod patch;
mod process;

pub mod builtin;
pub mod chosen;
pub mod combined;
#[cfg(fuzzing)]
pub mod fuzzing;
pub mod program;
pub mod registry;
pub mod toolset;

pub use confine::Root;
pub use registry::Tools;
pub use toolset::Toolset;
