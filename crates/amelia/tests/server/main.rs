//! `amelia server` and `amelia config server`, as processes.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests"
)]

mod configured;
mod defined;
mod forgetting;
mod homes;
mod logged;
mod looked_at;
mod opened;
mod process;
#[path = "../../../amelia-drivers/tests/it/programs.rs"]
mod programs;
mod teams;
