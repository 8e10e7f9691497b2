//! No tracker.

use amelia_core::tracker::{Issue, IssueProgress, Tracker, TrackerAction, TrackerError};
use amelia_trackers::Noop;

use crate::github::{comment, pull_request};

#[tokio::test]
async fn an_issue_is_what_was_typed_and_nothing_can_be_sent() {
    let issue = Issue {
        key: "add a greeting".to_owned(),
        title: "add a greeting".to_owned(),
        description: String::new(),
        status: "open (no tracker)".to_owned(),
    };
    assert_eq!(Noop.issue(" add a greeting ").await, Ok(issue));
    assert!(matches!(Noop.issue(" ").await, Err(TrackerError::NotFound { .. })));
    let done = TrackerAction::Progress { issue: "x".to_owned(), to: IssueProgress::Done };
    for what in [comment("x"), pull_request(None), done] {
        let error = Noop.send(&what, "id").await.unwrap_err();
        assert!(matches!(error, TrackerError::Unsupported { .. }), "{error}");
        assert_eq!(Noop.find(&what, "id").await, Ok(None));
    }
    let error = Noop.search("x", 5).await.unwrap_err().to_string();
    assert!(error.contains("choose one in the profile"), "{error}");
    assert!(matches!(Noop.pull_request_diff(1).await, Err(TrackerError::Unsupported { .. })));
}
