//! What every store must do. A new one (PostgreSQL comes next) runs [`CHECKS`] against itself and passes all.
//!
//! Each check uses runs of its own, so that all of them may share one store. Failures are values, for the
//! caller's test to report.

mod checks;
mod documents;
mod sample;

use std::future::Future;
use std::pin::Pin;

use amelia_core::document::Documents;
use amelia_core::store::Store;

/// What a check found: nothing, or what is wrong.
pub type ConformanceResult = Result<(), String>;
/// One promise of a store, by name.
pub type ConformanceCheck =
    for<'s> fn(&'s dyn FullStore) -> Pin<Box<dyn Future<Output = ConformanceResult> + Send + 's>>;

/// A store of runs and of documents.
pub trait FullStore: Store + Documents {}

impl<S: Store + Documents> FullStore for S {}

/// Every promise. The last one closes the store.
pub const CHECKS: &[(&str, ConformanceCheck)] = &[
    ("events are numbered without gaps and read back as written", |s| Box::pin(checks::log(s))),
    ("the feed has the events of all runs in the order of their commits", |s| Box::pin(checks::feed(s))),
    ("a second writer is refused and changes nothing", |s| Box::pin(checks::conflict(s))),
    ("a refused commit leaves nothing behind", |s| Box::pin(checks::refusals(s))),
    ("the row of a run is the fold of its log", |s| Box::pin(checks::fold(s))),
    ("any past state can be loaded", |s| Box::pin(checks::states(s))),
    ("the same key is the same run", |s| Box::pin(checks::keys(s))),
    ("what a run has claimed is its own until it ends", |s| Box::pin(checks::claims(s))),
    ("an ended run stays as it ended, a failed one may go on", |s| Box::pin(checks::endings(s))),
    ("commits count in the order of the calls, awaited or not", |s| Box::pin(checks::order(s))),
    ("runs are listed by filter, newest first", |s| Box::pin(checks::lists(s))),
    ("runs are counted, and a number is given out once", |s| Box::pin(checks::numbers(s))),
    ("the ledger follows the log", |s| Box::pin(checks::ledger(s))),
    ("frames are kept with the commit that they came before", |s| Box::pin(checks::frames(s))),
    ("retention touches only what has ended", |s| Box::pin(checks::retention(s))),
    ("every version of a document is kept", |s| Box::pin(documents::versions(s))),
    ("many runs at once do not disturb each other", |s| Box::pin(checks::crowd(s))),
    ("a closed store says so", |s| Box::pin(checks::closing(s))),
];

/// Runs every check and collects what is wrong.
pub async fn run(store: &dyn FullStore) -> Vec<String> {
    let mut failures = Vec::new();
    for (name, check) in CHECKS {
        if let Err(problem) = check(store).await {
            failures.push(format!("{name}: {problem}"));
        }
    }
    failures
}
