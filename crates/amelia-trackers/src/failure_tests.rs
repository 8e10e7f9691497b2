//! What each answer means, whether it is asked again, and after how long.

use super::*;
use amelia_core::problem::Problem;

fn answer(status: u16, headers: &[(&str, &str)], body: &str) -> TrackerResponse {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    TrackerResponse { status, headers, body: body.as_bytes().to_vec() }
}

fn failure(status: u16, headers: &[(&str, &str)], body: &str) -> TrackerFailure {
    let now = Timestamp::from_second(1_000).unwrap();
    TrackerFailure::of(&answer(status, headers, body), now).unwrap()
}

const RETRY: RetryConfig = RetryConfig { max_retries: 2, base_delay: 1.0, max_delay: 60.0 };
const SECOND: Duration = Duration::from_secs(1);

#[test]
fn permanent_errors_are_not_retried_as_transient() {
    for status in [300, 303, 400, 401, 402, 403, 404, 405, 406, 409, 410, 413, 415, 422, 451, 501, 505] {
        assert_eq!(failure(status, &[], "").again(Method::Get, 0, &RETRY), None, "{status}");
    }
    for permanent in [
        TrackerFailure::Redirected("elsewhere".to_owned()),
        TrackerFailure::TooLarge(1),
        TrackerFailure::not_understood(&"no JSON", b"<html>"),
        TrackerFailure::SignedOut(String::new()),
        TrackerFailure::NoCarrier(String::new()),
    ] {
        assert_eq!(permanent.again(Method::Get, 0, &RETRY), None, "{permanent}");
    }
    for status in [408, 425, 500, 502, 503, 504, 520, 529] {
        assert_eq!(failure(status, &[], "").again(Method::Get, 0, &RETRY), Some(SECOND), "{status}");
        assert_eq!(failure(status, &[], "").again(Method::Get, 1, &RETRY), Some(2 * SECOND), "{status}");
        assert_eq!(failure(status, &[], "").again(Method::Get, 2, &RETRY), None, "{status}");
    }
}

#[test]
fn what_changes_something_is_repeated_only_when_it_certainly_was_not_taken() {
    let lost = TrackerFailure::Lost("cut".to_owned());
    assert_eq!(lost.again(Method::Get, 0, &RETRY), Some(SECOND));
    for doubtful in [lost, failure(500, &[], ""), failure(503, &[("retry-after", "1")], "")] {
        assert_eq!(doubtful.again(Method::Post, 0, &RETRY), None, "{doubtful}");
    }
    for refused in [TrackerFailure::NotReached(String::new()), failure(429, &[], "")] {
        assert_eq!(refused.again(Method::Post, 0, &RETRY), Some(SECOND), "{refused}");
    }
}

#[test]
fn a_wait_is_as_long_as_the_tracker_wishes_or_not_at_all() {
    for (headers, expected) in [
        (vec![("retry-after", "7")], Some(7 * SECOND)),
        (vec![("retry-after", "0")], Some(SECOND)),
        (vec![("retry-after", "61")], None),
        (vec![("retry-after", "Thu, 01 Jan 1970 00:16:50 GMT")], Some(10 * SECOND)),
        (vec![("retry-after", "soon")], Some(SECOND)),
        (vec![("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1030")], Some(30 * SECOND)),
        (vec![("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "9000")], None),
        (vec![("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1")], Some(SECOND)),
        (vec![("x-ratelimit-remaining", "5"), ("x-ratelimit-reset", "9000")], Some(SECOND)),
    ] {
        let failure = failure(429, &headers, "");
        assert_eq!(failure.again(Method::Get, 0, &RETRY), expected, "{headers:?}");
    }
}

#[test]
fn a_limit_and_a_prohibition_are_told_apart() {
    let body = r#"{"message":"Resource not accessible by personal access token"}"#;
    let fine = [("x-ratelimit-remaining", "4999"), ("x-ratelimit-reset", "9000")];
    assert!(matches!(failure(403, &fine, body), TrackerFailure::Status { status: 403, .. }));
    let used_up = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1060")];
    assert!(matches!(failure(403, &used_up, body), TrackerFailure::Limited { wait: Some(_), .. }));
    assert!(matches!(failure(403, &[("retry-after", "60")], body), TrackerFailure::Limited { .. }));
    let secondary = r#"{"message":"You have exceeded a secondary rate limit. Please wait"}"#;
    assert!(matches!(failure(403, &fine, secondary), TrackerFailure::Limited { wait: None, .. }));
}

#[test]
fn people_are_told_in_the_words_of_the_tracker() {
    let words = TrackerWords { tracker: "github", sign_in: "sign in".to_owned(), allow: "ask".to_owned() };
    let validation = r#"{"message":"Validation Failed","errors":[{"resource":"PullRequest","field":"head",
        "code":"invalid"},{"message":"A pull request already exists for o:b."},"plain"]}"#;
    let jira =
        r#"{"errorMessages":["It does not exist."],"errors":{"resolution":"Resolution is required."}}"#;
    for (failure, tries, expected) in [
        (
            failure(401, &[], r#"{"message":"Bad credentials"}"#),
            1,
            "github refused the credentials: Bad credentials\n  hint: sign in",
        ),
        (failure(403, &[], r#"{"message":"no"}"#), 1, "github does not allow this: no\n  hint: ask"),
        (
            failure(404, &[], r#"{"message":"Not Found"}"#),
            1,
            "github has no `#1`: Not Found; or its credentials may not see it",
        ),
        (
            failure(410, &[], r#"{"message":"This issue was deleted"}"#),
            1,
            "github has no `#1`: it was removed: This issue was deleted",
        ),
        (
            failure(422, &[], validation),
            1,
            "github refused the request: #1: 422: Validation Failed; head: invalid; A pull request already exists for o:b.; plain",
        ),
        (
            failure(400, &[], jira),
            1,
            "github refused the request: #1: 400: It does not exist.; resolution: Resolution is required.",
        ),
        (failure(429, &[("retry-after", "90")], "slow"), 1, "github allows no more requests for 90 s: slow"),
        (
            failure(502, &[], "<html>bad gateway</html>"),
            3,
            "github is not available: 502: <html>bad gateway</html> (after 3 tries)",
        ),
        (failure(500, &[], ""), 1, "github is not available: 500: no reason given"),
        (
            failure(404, &[("x-seraph-loginreason", "AUTHENTICATED_FAILED")], ""),
            1,
            "github refused the credentials: AUTHENTICATED_FAILED\n  hint: sign in",
        ),
    ] {
        assert_eq!(Problem::from(failure.told(&words, "#1", tries)).to_text(), expected);
    }
}
