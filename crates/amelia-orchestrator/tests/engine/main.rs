//! The engine on a store in memory, as the program runs it.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "helpers of tests")]

mod agents;
mod crashes;
mod early;
mod journal;
mod moving;
mod people;
mod steering;
mod toy;
mod travelling;
mod trouble;
