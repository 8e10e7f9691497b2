//! Amelia's words: workflows, profiles, the event log, pipeline states. `v1` holds what only the first
//! version of the data model had, and its spellings.

pub mod config;
pub mod driver;
pub mod event;
pub mod oracle;
pub mod plan;
pub mod review;
pub mod sectioned_design;
pub mod spelling;
pub mod state;
pub mod v1;
