//! The scripted model as its clients see it: over HTTP, in process.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail loudly"
)]

mod catalogue;
mod client;
mod documents;
mod faults;
mod matching;
#[path = "../../../amelia-drivers/tests/it/programs.rs"]
mod programs;
mod sdk;
mod strict;
mod wires;
