//! Whose changes a review shows: it works in the checkout, where a person has made those that it looks at. Pure.

use amelia_agents::pipeline::review;
use amelia_core::text::short_commit;
use amelia_core::view::RunRow;

/// The node of a review that changes files, because the person asked it to fix what it finds.
const FIXES: &str = "develop";
/// The patch or pull request that a review is about, in its input.
const PATCH: &str = "/wanted/patch";

/// Whose the changes are that a run shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChangedBy {
    Run,
    /// The person's: the run only looked at them.
    Person,
    /// The person's, and fixes of the run in the same files.
    Both,
    /// Those of a patch or a pull request. What has changed in the checkout was not reviewed.
    Patch,
}

impl ChangedBy {
    /// Whether some of the changes in the place of the run are its own.
    pub(crate) fn has_own(self) -> bool {
        match self {
            Self::Run | Self::Both => true,
            Self::Person | Self::Patch => false,
        }
    }
}

pub(crate) fn changed_by(row: &RunRow) -> ChangedBy {
    let has_fixed = row.view.nodes.iter().any(|(node, seen)| node.as_str() == FIXES && seen.visits > 0);
    let is_of_patch = row.run.spec.input.pointer(PATCH).is_some_and(|patch| !patch.is_null());
    match (row.run.spec.graph.as_str() == review::NAME, has_fixed) {
        (false, _) => ChangedBy::Run,
        (true, true) => ChangedBy::Both,
        (true, false) if is_of_patch => ChangedBy::Patch,
        (true, false) => ChangedBy::Person,
    }
}

/// What stands above the files that a review lists; nothing if it lists none.
pub(crate) fn reviewed_files(row: &RunRow) -> Option<String> {
    let place = row.run.spec.place.as_ref();
    let since = place.map(|place| format!(" since {}", short_commit(&place.base_commit))).unwrap_or_default();
    match changed_by(row) {
        ChangedBy::Run | ChangedBy::Patch => None,
        ChangedBy::Person => {
            Some(format!("your changes{since}, which were reviewed; the run changed nothing:"))
        }
        ChangedBy::Both => Some(format!("your changes{since} with the fixes of the run, in your checkout:")),
    }
}

#[cfg(test)]
mod tests {
    use amelia_core::id::{GraphName, RunId, RunNumber};
    use amelia_core::run::{Run, RunSpec};
    use amelia_core::view::RunView;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_review_lists_what_it_looked_at_and_since_which_commit() {
        let of = |patch: Value| {
            let place =
                json!({"repository": "/r", "key": "k", "base_commit": "0123456789", "in_place": true});
            let spec = RunSpec {
                place: Some(serde_json::from_value(place).unwrap()),
                input: json!({"wanted": {"patch": patch}}),
                ..RunSpec::new(GraphName::new(review::NAME).unwrap(), "Review")
            };
            let created_at = jiff::Timestamp::UNIX_EPOCH;
            let run = Run { id: RunId(uuid::Uuid::nil()), number: RunNumber(1), spec, created_at };
            RunRow { run, view: RunView::default() }
        };
        let listed = reviewed_files(&of(Value::Null)).unwrap();
        assert_eq!(listed, "your changes since 0123456, which were reviewed; the run changed nothing:");
        let of_patch = of(json!("--- a"));
        assert_eq!((changed_by(&of_patch), reviewed_files(&of_patch)), (ChangedBy::Patch, None));
        assert!(!changed_by(&of_patch).has_own());
    }
}
