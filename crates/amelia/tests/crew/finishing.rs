//! What a profile asks for at the end happens outside, once each: a push, a pull request, a comment.

use std::os::unix::fs::PermissionsExt as _;

use crate::crew::{ARCHITECT, CONTENT, DEVELOPER, logs, world};
use crate::world::text;

/// `gh`, for a repository that takes whatever it is sent, and writes down what that was.
const GH: &str = r#"#!/bin/sh
for last; do :; done
case "$*" in *POST*) echo "$last" >> "$(dirname "$0")/sent"; cat > /dev/null ;; esac
answer() { printf 'HTTP/2.0 %s\r\nContent-Type: application/json\r\n\r\n%s' "$1" "$2"; }
case "$last" in
  repos/some/where) answer '200 OK' '{"default_branch": "main"}' ;;
  repos/some/where/pulls) answer '201 Created' '{"number": 5, "html_url": "https://github.com/some/where/pull/5", "body": ""}' ;;
  repos/some/where/issues/7/comments) answer '201 Created' '{"id": 1, "body": "", "html_url": "https://github.com/c", "created_at": "2026-01-01T00:00:00Z", "user": null}' ;;
  *) answer '200 OK' '[]' ;;
esac
"#;

#[test]
fn the_branch_is_pushed_a_pull_request_opened_and_the_issue_commented_as_the_profile_says() {
    let finish = "tracker: github\nfinish: { push: true, pull_request: true, comment: true }";
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], finish);
    let root = world.repository().canonicalize().unwrap();
    let bin = root.join("../bin");
    std::fs::create_dir(&bin).unwrap();
    std::fs::write(bin.join("gh"), GH).unwrap();
    std::fs::set_permissions(bin.join("gh"), std::fs::Permissions::from_mode(0o755)).unwrap();
    world.git(&["init", "-q", "--bare", "../remote/where.git"]);
    world.git(&["remote", "add", "origin", "https://github.com/some/where.git"]);
    let instead = format!("url.{}/.pushInsteadOf", root.join("../remote").display());
    world.git(&["config", &instead, "https://github.com/some/"]);
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut command = world.command(&["start", "#7", "--title", "It does not add", "--auto", "--follow"]);
    let output =
        command.env("PATH", path).env_remove("GH_TOKEN").env_remove("GITHUB_TOKEN").output().unwrap();
    assert!(output.status.success(), "{}\n{}", text(&output.stderr), logs(&world));
    let sent = std::fs::read_to_string(bin.join("sent")).unwrap();
    assert_eq!(sent, "repos/some/where/pulls\nrepos/some/where/issues/7/comments\n");
    let pushed = world.git(&["--git-dir", "../remote/where.git", "branch", "--list", "amelia/*"]);
    assert!(pushed.contains("amelia/7"), "{pushed}");
}
