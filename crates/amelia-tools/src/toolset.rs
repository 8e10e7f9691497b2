//! What the built-in tools work on. Which role has which tool: `builtin.rs`.

use std::sync::Arc;

use amelia_process::Environment;

use crate::confine::Root;

/// What the built-in tools work on.
#[derive(Clone)]
pub struct Toolset {
    pub root: Arc<Root>,
    pub environment: Arc<Environment>,
    /// The commit that changes are counted from; `HEAD` by default.
    pub base: Option<String>,
}
