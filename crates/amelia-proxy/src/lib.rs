//! The way of programs to models: they have a pass of one run, never a key.
//!
//! A request goes on as it came and its answer comes back as it comes, byte by byte; meanwhile what it took is read out
//! of it, counted against the run's budget, and kept beside the run's log. Does not decide about runs: whoever holds a
//! pass hears what happened. One thing is added to a request: a Chat stream is asked to tell its usage, because nobody
//! could count it otherwise. Modules are listed in reading order.

mod access;
mod holder;
mod passes;

mod call;
mod forward;
mod headers;
mod refusal;
mod router;

mod asked;
mod lane;

mod carrier;
mod exchange;
mod meter;
mod passing;

pub mod frame;

pub use access::{Access, Upstream};
pub use passes::Passes;
pub use router::router;
