//! Anthropic Messages.

mod answer;
mod error;
mod request;

pub(super) use answer::{stream, whole};
pub(super) use error::error;
pub(super) use request::read;
