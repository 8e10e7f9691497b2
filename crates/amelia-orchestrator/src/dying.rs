//! For tests of recovery: a debug build ends at once, as if it were killed, after as many commits as the environment says.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The variable that has the number.
const DIE_AFTER_COMMITS: &str = "AMELIA_DIE_AFTER_COMMITS";

/// A commit of a run is durable, and nothing has heard of it yet.
pub(crate) fn committed() {
    static LAST: LazyLock<Option<u64>> =
        LazyLock::new(|| std::env::var(DIE_AFTER_COMMITS).ok()?.parse().ok());
    static MADE: AtomicU64 = AtomicU64::new(0);
    let made = MADE.fetch_add(1, Ordering::Relaxed) + 1;
    if *LAST == Some(made) {
        std::process::abort();
    }
}
