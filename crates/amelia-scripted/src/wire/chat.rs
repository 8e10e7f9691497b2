//! OpenAI Chat Completions, and the many servers that speak like it.

mod answer;
mod request;

pub(super) use answer::{stream, whole};
pub(super) use request::read;
