//! Trackers over real HTTP, against servers that answer as GitHub's and Jira's references describe, and against
//! servers that fail in every way; GitHub also through the real `gh` program.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests"
)]

mod failing;
mod gh;
mod github;
mod hub;
mod jira;
mod noop;
#[path = "../../../amelia-drivers/tests/it/programs.rs"]
mod programs;
mod server;
