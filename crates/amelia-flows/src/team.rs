//! Teams: checked definitions of agents that work together.

pub mod check;
