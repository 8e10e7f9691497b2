//! Whose changes a review shows: it works in the checkout, where a person has made those that it looks at. Pure.

use amelia_agents::pipeline::review;
use amelia_core::view::RunRow;

/// The node of a review that changes files, because the person asked it to fix what it finds.
const FIXES: &str = "develop";

/// Whose the changes are that a run shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChangedBy {
    Run,
    /// The person's: the run only looked at them.
    Person,
    /// The person's, and fixes of the run in the same files.
    Both,
}

pub(crate) fn changed_by(row: &RunRow) -> ChangedBy {
    let has_fixed = row.view.nodes.iter().any(|(node, seen)| node.as_str() == FIXES && seen.visits > 0);
    match (row.run.spec.graph.as_str() == review::NAME, has_fixed) {
        (false, _) => ChangedBy::Run,
        (true, false) => ChangedBy::Person,
        (true, true) => ChangedBy::Both,
    }
}
