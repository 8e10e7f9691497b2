//! From an issue to reviewed commits, as a process, with a scripted crew: real git, real files, real checks. Tests are
//! named after what must be impossible.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::panic,
    dead_code,
    reason = "helpers of tests"
)]

mod acp_serving;
mod agentic;
mod answering;
mod approving;
mod attaching;
mod bad;
mod bad_plans;
mod checking;
mod committing;
mod conventions;
mod crew;
mod defects;
mod delivering;
#[path = "../doing/documented.rs"]
mod documented;
mod evaluating;
mod events;
mod exporting;
mod finishing;
mod first_version;
mod forking;
mod inbox;
mod init;
mod kills;
mod looking;
mod main_job_script;
mod mcp_serving;
mod mcp_tools;
mod merging;
mod naming;
mod notifying;
mod options;
mod parallel;
#[path = "../../../amelia-drivers/tests/it/programs.rs"]
mod programs;
mod pulling;
mod replaying;
mod restoring;
mod reviewing;
mod serving;
mod stdio_peer;
mod steering;
mod stored;
mod structured;
mod terminal;
mod tracking;
mod unreached;
mod watching;
#[path = "../doing/world.rs"]
mod world;
