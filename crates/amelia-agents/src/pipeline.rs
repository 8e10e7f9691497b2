//! Graphs that agents work in.

pub mod consolidation;
pub mod implementation;
pub mod limits;
pub mod review;
pub mod single;

mod node_factory;
