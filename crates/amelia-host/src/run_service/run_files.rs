//! Files of runs, for people who look.

use std::io::Read as _;
use std::path::Path;

use amelia_orchestrator::service::ServiceError;

use super::unavailable;

/// The most bytes that are read.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// A file of a worktree, opened by the same rules as the agents' tools.
pub(super) fn read_inside(root: &Path, path: &str) -> Result<Vec<u8>, ServiceError> {
    let root = amelia_tools::Root::open(root).map_err(unavailable)?;
    let file = root.file(path).map_err(|error| ServiceError::not_found(error.to_string()))?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes).map_err(unavailable)?;
    Ok(bytes)
}
