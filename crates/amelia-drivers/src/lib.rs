//! Drivers: what turns a conversation and tools into messages.
//!
//! `api` is our own agent loop over HTTP models; the vendors' own programs come beside it. Vendor words stay in
//! `model/`. Modules are listed in reading order.

pub mod acp;
pub mod api;
pub mod attached_images;
pub mod claude;
pub mod codex;
pub mod fallback;
#[cfg(fuzzing)]
pub mod fuzzing;
mod media;
pub mod model;
pub mod program;
pub mod quota;
pub mod timed;
pub mod user_messages;
