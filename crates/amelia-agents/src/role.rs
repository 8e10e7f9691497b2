//! What each role is asked, and in which form it answers. The words are in `prompts/`.

pub mod architect;
pub mod evaluator;
pub mod reviewer;
