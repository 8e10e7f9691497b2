//! The real `claude` program against a scripted model: real edits, real commands, permissions, resuming, limits. The
//! model's address stands in the program's environment, as if it had a sign-in of its own.

mod fake;
pub(crate) mod fixture;
mod real;
