//! Commands that keep the house in order, as processes: real git, real files, a scripted crew.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::panic,
    dead_code,
    reason = "helpers of tests"
)]

mod archiving;
mod backing_up;
mod cleaning;
#[path = "../crew/crew.rs"]
mod crew;
mod doctor;
mod documented_json;
mod printing;
#[path = "../../../amelia-drivers/tests/it/programs.rs"]
mod programs;
#[path = "../crew/serving.rs"]
mod serving;
mod spending;
#[path = "../doing/world.rs"]
mod world;
