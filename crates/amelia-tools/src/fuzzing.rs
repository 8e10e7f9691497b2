//! What the fuzz targets may see of the private parts. In no other build.

use crate::patch::{Change, apply, parse};

/// The file after each of the patch's updates. Nothing when the patch cannot be read; nothing in the place of an update
/// that does not fit.
pub fn patched(file: &str, patch: &str) -> Vec<Option<String>> {
    let changes = parse(patch).unwrap_or_default();
    let after = |change: Change| match change {
        Change::Add { content, .. } => Some(content),
        Change::Delete { .. } => None,
        Change::Update { hunks, .. } => apply(file, &hunks).ok(),
    };
    changes.into_iter().map(after).collect()
}
