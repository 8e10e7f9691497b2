//! Where an agent works: a git worktree of its own, or the user's checkout when asked.
//!
//! The user's checkout, index and branch are touched only when the user asks for a merge (`merge_into.rs`). All of git is
//! the `git` program, so everything that a user has set up (filters, large files, submodules) works as it does for them.
//! Reads no environment and no configuration.

mod blocking;
pub mod changes;
pub mod commits;
pub mod disk;
pub mod error;
mod git;
pub mod ignoring;
pub mod listing;
mod lock;
mod look;
pub mod merge_into;
pub mod merges;
pub mod prepare;
pub mod repository;
pub mod snapshots;
pub mod status;
mod submodules;
pub mod trailers;
pub mod trees;
pub mod undone;
mod workspace;
pub mod worktree;
mod worktree_lock;
pub mod worktrees;

pub use error::GitError;
pub use repository::Repository;
pub use snapshots::Snapshot;
pub use worktree::Worktree;
pub use worktrees::{NewWorktree, Worktrees};
