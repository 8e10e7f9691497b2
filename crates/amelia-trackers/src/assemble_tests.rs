//! Which tracker a profile gets, and what is said when something is missing.

use amelia_core::config::profile::FinishConfig;
use amelia_core::problem::Problem;

use super::*;

fn built(
    tracker: TrackerType,
    remote: Option<&str>,
    keys: &[&str],
    vars: &[(&str, &str)],
    pull_request: bool,
) -> Result<(), String> {
    let finish = FinishConfig { push: pull_request, pull_request, ..FinishConfig::default() };
    let profile = Profile { tracker, finish, ..Profile::new("p", "/repo") };
    let key = |name: &str| keys.contains(&name).then(|| Secret::new("token-token-token"));
    let vars = vars.iter().map(|(name, value)| (OsString::from(*name), OsString::from(*value))).collect();
    let around = TrackerContext { remote, key: &key, vars };
    assemble(&profile, &around).map(|_| ()).map_err(|error| Problem::from(error).to_text())
}

const HUB: Option<&str> = Some("git@github.com:o/r.git");
const OWN: Option<&str> = Some("git@code.acme.example:o/r.git");

#[test]
fn a_profile_gets_its_tracker() {
    let jira = [("JIRA_BASE_URL", "https://acme.atlassian.net"), ("JIRA_EMAIL", "me@acme.example")];
    for (tracker, remote, keys, vars, opens) in [
        (TrackerType::Noop, None, &[][..], &[][..], false),
        (TrackerType::Noop, HUB, &["GITHUB_TOKEN"], &[], true),
        (TrackerType::Github, HUB, &["GITHUB_TOKEN"], &[], true),
        (TrackerType::Github, HUB, &["GH_TOKEN"], &[], false),
        (TrackerType::Github, OWN, &["GH_ENTERPRISE_TOKEN"], &[("GH_HOST", "code.acme.example")], false),
        (TrackerType::Jira, None, &["JIRA_API_TOKEN"], &jira, false),
        (
            TrackerType::Jira,
            None,
            &["JIRA_API_TOKEN"],
            &[("JIRA_BASE_URL", "https://jira.acme.example/j/")],
            false,
        ),
        (TrackerType::Jira, HUB, &["JIRA_API_TOKEN", "GH_TOKEN"], &jira, true),
    ] {
        assert_eq!(built(tracker, remote, keys, vars, opens), Ok(()), "{tracker:?} {remote:?} {keys:?}");
    }
}

#[test]
fn what_is_missing_is_named_with_its_remedy() {
    let site = ("JIRA_BASE_URL", "https://acme.atlassian.net");
    for (tracker, remote, keys, vars, expected) in [
        (TrackerType::Github, None, &["GH_TOKEN"][..], &[][..], "the repository has no remote"),
        (TrackerType::Github, Some("/srv/r"), &["GH_TOKEN"], &[], "the remote is not a repository on GitHub"),
        (TrackerType::Github, HUB, &[], &[], "hint: set GH_TOKEN or GITHUB_TOKEN, or install gh"),
        // A token of GitHub does not go to a host that only a file in the repository names.
        (TrackerType::Github, OWN, &["GH_TOKEN"], &[], "hint: set GH_HOST=code.acme.example"),
        (TrackerType::Github, OWN, &["GH_TOKEN"], &[("GH_HOST", "code.acme.example")], "GH_ENTERPRISE_TOKEN"),
        (TrackerType::Jira, HUB, &["JIRA_API_TOKEN"], &[], "hint: set JIRA_BASE_URL"),
        (TrackerType::Jira, HUB, &[], &[site], "hint: set JIRA_API_TOKEN"),
        (TrackerType::Jira, HUB, &["JIRA_API_TOKEN"], &[site], "hint: set JIRA_EMAIL"),
        (
            TrackerType::Jira,
            HUB,
            &["JIRA_API_TOKEN"],
            &[("JIRA_BASE_URL", "http://jira.acme.example")],
            "https://",
        ),
        (TrackerType::Jira, HUB, &["JIRA_API_TOKEN"], &[("JIRA_BASE_URL", "jira")], "is not a URL"),
        (
            TrackerType::Jira,
            HUB,
            &["JIRA_API_TOKEN"],
            &[("JIRA_BASE_URL", "https://u:p@j.example")],
            "credentials",
        ),
    ] {
        let error = built(tracker, remote, keys, vars, false).unwrap_err();
        assert!(error.contains(expected), "{expected}: {error}");
    }
}
