//! A made-up run that does everything a real one does (plans, asks people, works with tools, loops, changes the
//! outside world), for `amelia demo` and `amelia selftest`. Nothing here is used by real work.

pub(crate) mod graph;
pub(crate) mod life;
pub(crate) mod mortal;
pub(crate) mod outside;
pub(crate) mod state;

/// The graph's name.
pub(crate) const GRAPH: &str = "synthetic";
