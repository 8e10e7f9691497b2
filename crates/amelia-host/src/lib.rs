//! Makes a program of the parts: from a home directory, its configuration and its keys to a server whose runs have
//! drivers, worktrees, trackers and recordings. Knows nothing of command lines, exit codes and terminals.

pub mod assemble;
mod cast;
mod commission;
mod counter;
pub mod doctor;
pub mod error;
pub mod home;
pub mod keys;
pub mod known;
mod limits;
pub mod local_server;
pub mod logging;
mod machine;
mod order;
pub mod outside;
pub mod place;
pub mod presence;
#[cfg(test)]
mod proofs;
pub mod recording;
pub mod replay;
pub mod server_config;
pub mod size;
pub mod synthetic;
mod tracking;
pub mod upstream;
mod workplace;
mod workshop;
