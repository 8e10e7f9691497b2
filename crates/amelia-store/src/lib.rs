//! Storage of runs behind [`amelia_core::store::Store`]: SQLite, embedded, and a store in memory for tests. Also the index
//! of what agents remember.
//!
//! The only crate that contains SQL. Every store passes [`conformance`]. Modules are listed in reading order.

pub mod conformance;
mod fold;
mod frames;
pub mod memory;
pub mod memory_index;
pub mod sqlite;
