//! The API driver over real HTTP: against a scripted model that misbehaves, and against a real one.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests"
)]

mod acp;
mod asking;
mod broken;
mod claude;
mod codex;
mod conventions;
mod ear;
mod fixture;
mod llama;
mod media;
mod programs;
mod providers;
mod setting_up;
