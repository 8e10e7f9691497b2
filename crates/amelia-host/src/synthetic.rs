//! A made-up run that does everything a real one does (plans, asks people, works with tools, loops, changes the
//! outside world), for `amelia demo` and `amelia selftest`. Nothing here is used by real work.

pub mod bug;
pub mod crash;
pub mod graph;
pub mod life;
pub mod outside;
pub mod state;

/// The graph's name.
pub const GRAPH: &str = "synthetic";
