//! A pull request is reviewed as its host shows it, and only reviewed.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Output;

use crate::crew::{CONTENT, world};
use crate::world::{World, text};

/// `gh`, for a repository that has pull request 12 and no other.
const GH: &str = r#"#!/bin/sh
for last; do :; done
if [ "$last" = repos/some/where/pulls/12 ]; then
  printf 'HTTP/2.0 200 OK\r\nContent-Type: text/plain\r\n\r\n'
  printf -- '--- a/far.sh\n+++ b/far.sh\n@@ -1 +1 @@\n-old\n+written elsewhere\n'
else
  printf 'HTTP/2.0 404 Not Found\r\nContent-Type: application/json\r\n\r\n{"message":"Not Found"}'
  exit 1
fi
"#;

fn with_gh() -> World {
    let world = world(&[CONTENT], "");
    let bin = world.repository().join("../bin");
    std::fs::create_dir(&bin).unwrap();
    std::fs::write(bin.join("gh"), GH).unwrap();
    std::fs::set_permissions(bin.join("gh"), std::fs::Permissions::from_mode(0o755)).unwrap();
    world.git(&["remote", "add", "origin", "https://github.com/some/where.git"]);
    world
}

fn review(world: &World, more: &[&str]) -> Output {
    let bin = world.repository().canonicalize().unwrap().join("../bin");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut command = world.command(&[&["review"], more].concat());
    command.env("PATH", path).env_remove("GH_TOKEN").env_remove("GITHUB_TOKEN").output().unwrap()
}

#[test]
fn the_reviewer_is_shown_the_changes_of_the_pull_request() {
    let world = with_gh();
    std::fs::write(world.repository().join("mine.txt"), "mine\n").unwrap();
    let output = review(&world, &["--pr", "12"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("approved, 0 findings"), "{}", text(&output.stdout));
    let asked = format!("{:?}", world.server.requests().first().unwrap());
    assert!(
        asked.contains("+written elsewhere")
            && asked.contains("The files of the repository are the person's checkout"),
        "{asked}"
    );
    assert_eq!(world.run().unwrap()["run"]["spec"]["title"], "Review of pull request 12");
    assert_eq!(world.git(&["status", "--porcelain"]), "?? mine.txt\n", "the checkout is left alone");
    let shown = text(&output.stdout);
    assert!(!shown.contains("mine.txt"), "it was not reviewed: {shown}");
}

#[test]
fn a_pull_request_that_is_not_there_or_is_to_be_mended_is_refused_and_starts_nothing() {
    let world = with_gh();
    let unknown = review(&world, &["--pr", "13"]);
    assert_eq!(unknown.status.code(), Some(4), "{}", text(&unknown.stderr));
    assert!(text(&unknown.stderr).contains("pull request 13"), "{}", text(&unknown.stderr));
    assert_eq!(review(&world, &["--pr", "12", "--fix"]).status.code(), Some(2));
    world.git(&["remote", "remove", "origin"]);
    let nowhere = review(&world, &["--pr", "12"]);
    assert_eq!(nowhere.status.code(), Some(2), "{}", text(&nowhere.stderr));
    assert!(text(&nowhere.stderr).contains("has no remote"), "{}", text(&nowhere.stderr));
    assert_eq!(world.run(), None, "nothing was started");
}
