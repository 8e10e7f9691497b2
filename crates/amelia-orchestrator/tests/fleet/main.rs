//! Many runs, and what happens to them all.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::expect_used, reason = "a test")]

mod forgetting;
mod orchestrating;
mod releasing;
mod toy;
