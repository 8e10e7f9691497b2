//! Every JSON shape that leaves the process or comes in from outside, in the three dialects of the source
//! documents. Plain structs and small pure functions; no I/O. Only this crate knows a dialect's words.
//!
//! Dialects: [`amelia`] (workflows), [`agentx`] (tasks and teams), [`maf`] (the multi-agent framework: graph
//! workflows, traces, files). [`rest`] has what only HTTP says. Configuration comes in through [`read::read`], which names every problem.

#[macro_use]
mod same;

pub mod error;
pub mod read;
pub mod status;

pub mod facts;
pub mod live;

pub mod agentx;
pub mod amelia;
pub mod maf;
pub mod rest;

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;
