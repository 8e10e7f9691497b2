//! The server over real HTTP, with a real store and toy runs.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::panic,
    reason = "a test"
)]

mod calling;
mod counted;
mod socket;
mod toy_definitions;
mod toys;
mod world;

mod abandoned;
mod board;
mod configuration;
mod conventions;
mod defects;
mod definitions;
mod delivering;
mod documentation;
mod itself;
mod live;
mod logs;
mod mcp;
mod people;
mod plans;
#[path = "../../../amelia-drivers/tests/it/programs.rs"]
mod programs;
mod runs;
mod schema;
mod signing_in;
mod states;
mod steering;
mod strangers;
mod time_travel;
mod ui;
