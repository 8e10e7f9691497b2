//! The main job with the real programs in its roles: `claude`, `codex`, and both beside a model over HTTP. Every request
//! of theirs goes through our proxy to a scripted model; what they do is real.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::panic,
    dead_code,
    reason = "helpers of tests"
)]

mod budgets;
mod crew;
#[path = "../doing/documented.rs"]
mod documented;
mod pipeline;
#[path = "../../../amelia-drivers/tests/it/programs.rs"]
mod programs;
mod revising;
mod saying;
mod secrets;
mod teams;
#[path = "../doing/world.rs"]
mod world;
