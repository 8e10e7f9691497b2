//! Many runs, and what happens to them all.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::panic,
    reason = "a test"
)]

mod durable;
mod forgetting;
mod leftover_service;
mod orchestrating;
mod releasing;
mod silence;
mod stalling;
mod toy;
mod world;
