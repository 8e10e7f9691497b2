//! The proxy over real connections: against a scripted model, against an upstream that misbehaves, and through real
//! clients.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests"
)]

mod budget;
mod connections;
mod llama;
mod metering;
#[path = "../../../amelia-drivers/tests/it/programs.rs"]
mod programs;
mod quota;
mod raw;
mod recording;
mod refusals;
mod sdk;
mod upstream;
mod world;
