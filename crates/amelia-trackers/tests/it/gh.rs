//! GitHub through the real `gh` program, which is told to send everything into a socket of ours.

use std::ffi::OsString;
use std::path::PathBuf;

use amelia_core::problem::Hinted;
use amelia_core::tracker::{Tracker, TrackerError};
use amelia_trackers::{Gh, GitHub};
use tempfile::TempDir;

use crate::github::{comment, works};
use crate::hub::{Hub, RETRY, TOKEN, problem, repository};
use crate::programs::set_up_here;
use crate::server::{Reply, Seen, Server};

struct Place {
    folder: TempDir,
    gh: PathBuf,
}

impl Place {
    fn new() -> Option<Self> {
        Some(Self { gh: set_up_here("setup-gh.sh", "gh")?, folder: tempfile::tempdir().unwrap() })
    }

    fn serve(&self, answer: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Server {
        Server::on_socket(&self.folder.path().join("gh.sock"), answer)
    }

    fn tracker(&self, token: Option<&str>) -> GitHub {
        let folder = self.folder.path();
        let config = format!("http_unix_socket: {}\n", folder.join("gh.sock").display());
        std::fs::write(folder.join("config.yml"), config).unwrap();
        let mut vars = vec![
            (OsString::from("GH_CONFIG_DIR"), folder.as_os_str().to_owned()),
            (OsString::from("HOME"), folder.as_os_str().to_owned()),
            (OsString::from("GH_DEBUG"), OsString::from("api")),
        ];
        vars.extend(token.map(|token| (OsString::from("GH_TOKEN"), OsString::from(token))));
        GitHub::with_program(repository(), Gh::new(&self.gh, vars), RETRY)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn real_gh_does_all_that_http_does() {
    let Some(place) = Place::new() else { return };
    let hub = Hub::new();
    let server = place.serve(move |seen| hub.answer(seen));
    works(&place.tracker(Some(TOKEN))).await;
    assert!(server.seen().iter().all(|seen| seen.header("user-agent").unwrap().starts_with("GitHub CLI")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn real_gh_failures_are_told_apart() {
    let Some(place) = Place::new() else { return };
    let server = place.serve(|seen| match seen.what().rsplit('/').next().unwrap() {
        "1" => Reply::json(401, &problem(&format!("Bad credentials {TOKEN}"))),
        "2" => Reply::json(403, &problem("Resource not accessible")),
        "3" => Reply::json(403, &problem("API rate limit exceeded"))
            .with("x-ratelimit-remaining", "0")
            .with("x-ratelimit-reset", "4000000000"),
        "4" => Reply::json(410, &problem("This issue was deleted")),
        "5" => Reply::text(502, "<html>bad gateway</html>"),
        "6" => Reply::text(200, "<html>a login page</html>"),
        "7" => Reply::text(200, &"x".repeat(11 * 1024 * 1024)),
        "comments" => Reply::json(500, &problem("oops")),
        other => panic!("{other}"),
    });
    let tracker = place.tracker(Some(TOKEN));
    for (key, expected, tries) in [
        ("1", "github refused the credentials: Bad credentials [redacted]", 1),
        ("2", "github does not allow this: Resource not accessible", 1),
        ("3", "github allows no more requests for ", 1),
        ("4", "github has no `#4`: it was removed: This issue was deleted", 1),
        ("5", "github is not available: 502: <html>bad gateway</html> (after 3 tries)", 3),
        ("6", "github refused the request: #6: the answer is not what its API describes", 1),
        ("7", "github refused the request: #7: the answer is larger than 10485760 bytes", 1),
    ] {
        let before = server.seen().len();
        let error = tracker.issue(key).await.unwrap_err().to_string();
        assert!(error.starts_with(expected), "{key}: {error}");
        assert_eq!(server.seen().len() - before, tries, "{key}");
    }
    let before = server.seen().len();
    let error = tracker.send(&comment("x"), "id").await.unwrap_err();
    assert!(matches!(error, TrackerError::Unavailable { .. }), "{error}");
    assert_eq!(server.seen().len() - before, 1, "a comment that may have been taken is not sent again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn real_gh_says_when_nobody_is_signed_in_or_nobody_answers() {
    let Some(place) = Place::new() else { return };
    let error = place.tracker(None).issue("12").await.unwrap_err();
    assert!(matches!(&error, TrackerError::Unauthorised { .. }), "{error}");
    assert!(error.hint().unwrap().contains("gh auth login --hostname github.com"), "{error}");
    let error = place.tracker(Some(TOKEN)).issue("12").await.unwrap_err();
    assert!(matches!(&error, TrackerError::Unavailable { .. }), "{error}");
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named() {
    let gh = Gh::new("/nowhere/gh", []);
    let error = GitHub::with_program(repository(), gh, RETRY).issue("12").await.unwrap_err().to_string();
    assert!(error.starts_with("/nowhere/gh cannot be started: "), "{error}");
}
