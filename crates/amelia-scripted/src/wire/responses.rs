//! OpenAI Responses.

mod answer;
mod item;
mod request;
mod stream;

pub(super) use answer::whole;
pub(super) use request::read;
pub(super) use stream::stream;
