//! The way of programs to models: they have a pass of one run, never a key.
//!
//! A request is forwarded as it came and its answer comes back as it comes, byte by byte; meanwhile what it took is read out
//! of it, counted against the run's budget, and kept beside the run's log. Does not decide about runs: the holder of a
//! grant hears what happened. One thing is added to a request: a Chat stream is asked to report its usage, because it
//! could not be counted otherwise. Modules are listed in reading order.

mod access;
mod grant;
mod token_registry;

mod call;
mod error;
mod forward;
mod headers;
mod router;

mod call_limiter;
mod parsed_request;

mod exchange;
mod meter;
mod metered_body;
mod upstream_client;

pub mod frame;

pub use access::{Access, Upstream};
pub use router::router;
pub use token_registry::TokenRegistry;
