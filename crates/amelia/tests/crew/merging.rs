//! The way out: the change of a completed run gets into the user's branch, or into a pull request.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::crew::{ARCHITECT, CHECKED, CONTENT, DEVELOPER, start, world};
use crate::world::{World, text};

pub(crate) fn completed() -> World {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], CHECKED);
    let output = start(&world, &["--auto"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    world
}

pub(crate) fn shown(world: &World, arguments: &[&str]) -> String {
    let output = world.amelia(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

pub(crate) fn refused(world: &World, arguments: &[&str]) -> String {
    let output = world.amelia(arguments);
    assert_eq!(output.status.code(), Some(5), "{}", text(&output.stderr));
    text(&output.stderr)
}

#[test]
fn a_change_is_merged_into_the_branch_that_the_run_started_from_and_the_run_knows_it() {
    let world = completed();
    let main = world.git(&["symbolic-ref", "--short", "HEAD"]);
    let before = world.git(&["rev-parse", "HEAD"]);
    let none = text(&world.amelia(&["pr"]).stderr);
    assert!(none.contains("has a pull request") && none.contains("hint: amelia pr open"), "{none}");
    let merged = shown(&world, &["merge"]);
    assert!(merged.starts_with(&format!("Merged r1 into {}", main.trim())), "{merged}");
    assert_eq!(world.git(&["rev-parse", "HEAD"]), world.git(&["rev-parse", "amelia/s-1"]));
    assert!(shown(&world, &["status", "r1"]).contains(&format!("merged into {}", main.trim())));
    assert!(merged.contains(&format!("as long as {} has no newer commits", main.trim())), "{merged}");
    // What it says takes it back does, and the status says it until the branch has newer commits.
    let undo = merged.lines().find_map(|line| line.strip_prefix("undo: ")).unwrap();
    let undo_now = || -> serde_json::Value {
        let flat: serde_json::Value =
            serde_json::from_str(&shown(&world, &["--json", "status", "r1"])).unwrap();
        flat["merge_undo"].clone()
    };
    assert!(shown(&world, &["status", "r1"]).contains(&format!("\nundo: {undo}\n")));
    assert_eq!(undo_now(), undo);
    world.git(&["commit", "-q", "--allow-empty", "-m", "newer"]);
    assert!(!shown(&world, &["status", "r1"]).contains("undo: "));
    assert_eq!(undo_now(), serde_json::Value::Null);
    world.git(&["reset", "-q", "--hard", "HEAD~1"]);
    let undone = std::process::Command::new("sh").args(["-c", undo]).status().unwrap();
    assert!(undone.success(), "{undo}");
    assert_eq!(world.git(&["rev-parse", "HEAD"]), before);
    let squashed = shown(&world, &["merge", "r1", "--squash"]);
    let message = world.git(&["log", "-1", "--format=%B"]);
    assert!(message.contains("- Add instead of subtract\n"), "{message}");
    for commit in world.git(&["log", "--format=%h", "amelia/s-1", "^HEAD"]).lines() {
        assert!(!message.contains(commit), "{commit} is not on this branch: {message}");
    }
    let twice = shown(&world, &["merge", "r1"]);
    assert!(twice.contains("main already has the changes of r1: there is nothing to merge"), "{twice}");
    let undo = squashed.lines().find_map(|line| line.strip_prefix("undo: ")).unwrap();
    assert!(std::process::Command::new("sh").args(["-c", undo]).status().unwrap().success(), "{undo}");
    let again = shown(&world, &["merge", "r1", "--squash", "--delete-branch"]);
    assert!(again.contains("Deleted the branch amelia/s-1"), "{again}");
    assert_eq!(world.git(&["rev-parse", "HEAD^"]), before);
    assert_eq!(world.git(&["branch", "--list", "amelia/s-1"]), "");
    let gone = refused(&world, &["merge", "r1", "--delete-branch"]);
    assert!(gone.contains("no branch"), "{gone}");
}

#[test]
fn the_branch_of_a_merged_run_can_be_deleted_later() {
    let world = completed();
    shown(&world, &["merge", "r1"]);
    let deleted = shown(&world, &["merge", "r1", "--delete-branch"]);
    assert!(deleted.contains("Deleted the branch amelia/s-1"), "{deleted}");
    assert!(deleted.contains("only the branch was deleted"), "{deleted}");
    assert_eq!(world.git(&["branch", "--list", "amelia/s-1"]), "");
    assert!(shown(&world, &["status", "r1"]).contains("merged into main"));
    let undo = deleted.lines().find_map(|line| line.strip_prefix("undo: ")).unwrap();
    assert!(std::process::Command::new("sh").args(["-c", undo]).status().unwrap().success(), "{undo}");
    assert!(world.git(&["branch", "--list", "amelia/s-1"]).contains("amelia/s-1"));
}

#[test]
fn a_merge_into_a_branch_that_is_gone_does_not_count_and_the_branch_of_the_run_is_kept() {
    let world = completed();
    world.git(&["branch", "topic"]);
    shown(&world, &["merge", "r1", "--into", "topic"]);
    assert!(shown(&world, &["status", "r1"]).contains("merged into topic"));
    world.git(&["branch", "-D", "topic"]);
    let cleaned = shown(&world, &["cleanup", "--merged-branches"]);
    assert!(!cleaned.contains("deleted the branch"), "{cleaned}");
    assert!(world.git(&["branch", "--list", "amelia/s-1"]).contains("amelia/s-1"));
    let told = shown(&world, &["status", "r1"]);
    assert!(told.contains("merge undone") && !told.contains("merged into topic"), "{told}");
}

#[test]
fn what_came_back_by_another_merge_is_merged() {
    let world = completed();
    let merged = shown(&world, &["merge", "r1"]);
    let undo = merged.lines().find_map(|line| line.strip_prefix("undo: ")).unwrap();
    assert!(std::process::Command::new("sh").args(["-c", undo]).status().unwrap().success(), "{undo}");
    assert!(shown(&world, &["status", "r1"]).contains("merge undone"));
    world.git(&["merge", "-q", "--squash", "amelia/s-1"]);
    world.git(&["commit", "-q", "-m", "the same"]);
    let told = shown(&world, &["status", "r1"]);
    assert!(!told.contains("merge undone"), "{told}");
    assert!(told.contains("merged: main has its changes") && !told.contains("merged into"), "{told}");
    assert!(shown(&world, &["why", "r1"]).contains("It is completed, and main has its changes"));
    let flat: serde_json::Value = serde_json::from_str(&shown(&world, &["--json", "status", "r1"])).unwrap();
    assert_eq!((&flat["merged_into"], &flat["merge_commit"]), (&"main".into(), &serde_json::Value::Null));
}

#[test]
fn a_merge_by_hand_is_recognised_and_not_offered_again() {
    let world = completed();
    assert!(shown(&world, &["why", "r1"]).contains(" merge r1"), "it is offered before");
    world.git(&["merge", "-q", "amelia/s-1"]);
    let told = shown(&world, &["status", "r1"]);
    assert!(told.contains("merged: main has its changes") && !told.contains(" merge r1"), "{told}");
    assert!(told.lines().next().unwrap().ends_with("  merged"), "{told}");
    let why = shown(&world, &["why", "r1"]);
    assert!(why.contains("and main has its changes") && !why.contains(" merge r1"), "{why}");
    let named = shown(&world, &["merge", "r1"]);
    assert!(named.contains("main already has the changes of r1"), "{named}");
    let json: serde_json::Value = serde_json::from_str(&shown(&world, &["--json", "merge", "r1"])).unwrap();
    assert_eq!(json["merged"], serde_json::Value::Null, "{json}");
    let unnamed = world.amelia(&["merge"]);
    assert_eq!(unnamed.status.code(), Some(4));
    assert!(text(&unnamed.stderr).contains("r1 is already merged into main"), "{}", text(&unnamed.stderr));
    let listed = shown(&world, &["status"]);
    assert!(listed.contains("  merged  "), "{listed}");
    let flat: serde_json::Value = serde_json::from_str(&shown(&world, &["--json", "status"])).unwrap();
    assert_eq!(flat[0]["merged_into"], "main", "{flat}");
    let late = refused(&world, &["pr", "open", "r1"]);
    assert!(late.contains("nothing for a pull request") && late.contains(" diff r1"), "{late}");
    let offered = shown(&world, &["cleanup", "--dry-run"]);
    assert!(offered.contains("would remove the worktree of r1 ("), "{offered}");
    assert!(offered.contains("the branch amelia/s-1 was merged into main"), "{offered}");
    // It is gone again.
    world.git(&["reset", "-q", "--hard", "HEAD~2"]);
    let offered = shown(&world, &["cleanup", "--dry-run"]);
    assert!(!offered.contains("was merged"), "{offered}");
    assert!(shown(&world, &["why", "r1"]).contains(" merge r1"));
    assert!(shown(&world, &["status"]).contains("  completed  "), "the list does not remember what is gone");
    // A squash leaves no trace of the branch; the content is there, also below other commits.
    world.git(&["merge", "-q", "--squash", "amelia/s-1"]);
    world.git(&["commit", "-q", "-m", "all at once"]);
    world.git(&["commit", "-q", "--allow-empty", "-m", "something else"]);
    assert!(shown(&world, &["status", "r1"]).contains("main has its changes"));
    assert!(shown(&world, &["status"]).contains("  merged  "), "the list knows a squash, too");
    world.git(&["revert", "--no-edit", "HEAD~1"]);
    assert!(shown(&world, &["status"]).contains("  completed  "));
    assert!(shown(&world, &["why", "r1"]).contains(" merge r1"), "a revert takes it away");
}

#[test]
fn a_run_that_was_merged_by_hand_stays_merged_in_the_list_when_its_branch_is_deleted() {
    let world = completed();
    world.git(&["merge", "-q", "--squash", "amelia/s-1"]);
    world.git(&["commit", "-q", "-m", "all at once"]);
    let deleted = shown(&world, &["cleanup", "--merged-branches"]);
    assert!(deleted.contains("deleted the branch amelia/s-1"), "{deleted}");
    assert!(shown(&world, &["status", "r1"]).contains("merged: main has its changes"));
    assert!(shown(&world, &["status"]).contains("  merged  "));
    for arguments in [&["--json", "status"][..], &["--json", "status", "r1"]] {
        let flat: serde_json::Value = serde_json::from_str(&shown(&world, arguments)).unwrap();
        let run = flat.get(0).unwrap_or(&flat);
        assert_eq!(run["merged_into"], "main", "{flat}");
    }
}

#[test]
fn a_run_whose_branch_was_deleted_is_not_chosen_and_the_command_that_restores_it_is_named() {
    let world = completed();
    shown(&world, &["cleanup"]);
    world.git(&["branch", "-q", "-D", "amelia/s-1"]);
    let unnamed = world.amelia(&["merge"]);
    assert_eq!(unnamed.status.code(), Some(4), "{}", text(&unnamed.stderr));
    let unnamed = text(&unnamed.stderr);
    assert!(unnamed.contains("the branch of r1 was deleted"), "{unnamed}");
    assert!(unnamed.contains("`amelia worktree restore r1` brings it back"), "{unnamed}");
    let named = refused(&world, &["merge", "r1"]);
    assert!(named.contains("there is no branch `amelia/s-1`"), "{named}");
    assert!(named.contains("`amelia worktree restore r1` brings it back"), "{named}");
    shown(&world, &["worktree", "restore", "r1"]);
    assert!(shown(&world, &["merge"]).contains("Merged r1 into main"));
}

#[test]
fn what_a_person_left_uncommitted_in_the_worktree_is_named_when_it_is_not_merged() {
    let world = completed();
    fs::write(world.worktree().join("mine.txt"), "mine").unwrap();
    let merged = shown(&world, &["merge", "r1"]);
    assert!(merged.contains("not committed, and so not merged: `mine.txt` in "), "{merged}");
}

#[test]
fn a_run_that_is_not_named_is_shown_before_it_is_merged() {
    let world = World::new(crate::world::FIX);
    for _ in 0..2 {
        assert!(world.run_do("chat", &[]).status.success());
    }
    let chosen = |arguments: &[&str]| {
        let output = world.amelia(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stderr)
    };
    let last = chosen(&["merge"]);
    assert!(last.contains("r2 make the failing test pass: amelia/") && last.contains(" -> main"), "{last}");
    let diff = chosen(&["diff"]);
    assert!(diff.starts_with("r2 make the failing test pass"), "{diff}");
    let named = chosen(&["diff", "r1"]);
    assert_eq!(named, "");
    let older = world.amelia(&["merge"]);
    assert_eq!(older.status.code(), Some(2), "{}", text(&older.stderr));
    let said = text(&older.stderr);
    assert!(said.contains("r1 can be merged, but r2 is newer and has changes, too"), "{said}");
    assert!(said.contains("name one of r1 (") && said.contains("--yes merges r1"), "{said}");
    // A person at a terminal is asked about an older one.
    let mut session = crate::terminal::Session::start_with(&world, &["merge"], |_| ());
    session.until("r2 is newer and has changes, too. Merge r1?");
    session.until("[y/N]");
    session.type_line("n");
    let shown = session.end();
    assert!(
        shown.contains("r1 make the failing test pass") && shown.contains("nothing was merged"),
        "{shown}"
    );
    // Both runs made the same change: there is something to merge when the other merge is undone.
    let refused = refused(&world, &["merge", "--yes"]);
    assert!(refused.contains("already has the changes"), "{refused}");
    world.git(&["reset", "--quiet", "--hard", "HEAD^"]);
    let session = crate::terminal::Session::start_with(&world, &["merge", "--yes"], |_| ());
    assert!(session.finish().contains("Merged r1 "));
}

#[test]
fn an_edit_or_a_conflict_in_the_way_is_told_and_nothing_is_changed() {
    let world = completed();
    let before = world.git(&["rev-parse", "HEAD"]);
    let edited = world.repository().join("calc.sh");
    let committed = fs::read_to_string(&edited).unwrap();
    fs::write(&edited, "echo mine\n").unwrap();
    let message = refused(&world, &["merge", "r1"]);
    assert!(message.contains("`calc.sh`") && message.contains("commit or stash"), "{message}");
    assert_eq!(fs::read_to_string(&edited).unwrap(), "echo mine\n");
    world.git(&["commit", "-qam", "mine"]);
    let message = refused(&world, &["merge", "r1"]);
    assert!(message.contains("conflicts") && message.contains("` is unchanged"), "{message}");
    assert_eq!(world.git(&["rev-parse", "HEAD^"]), before);
    fs::write(&edited, committed).unwrap();
    fs::write(world.repository().join("other"), "o\n").unwrap();
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "back again"]);
    let merged = shown(&world, &["merge", "r1"]);
    assert!(merged.contains("2 commits that the run has not seen"), "{merged}");
}

#[test]
fn uncommitted_changes_that_are_those_of_the_run_are_merged_over() {
    let world = completed();
    std::fs::write(world.repository().join("README.md"), "calc.sh A B\n").unwrap();
    let merged = shown(&world, &["merge", "r1"]);
    assert!(merged.contains("your uncommitted changes in `README.md` were the same"), "{merged}");
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}

#[test]
fn the_commits_of_a_run_that_the_branch_still_has_are_not_called_those_of_others() {
    let world = completed();
    shown(&world, &["merge", "r1"]);
    world.git(&["reset", "-q", "--hard", "HEAD~1"]);
    let again = shown(&world, &["merge", "r1"]);
    assert!(again.contains("`main` already had 1 commit of this run"), "{again}");
    assert!(!again.contains("has not seen"), "{again}");
    assert_eq!(world.git(&["rev-parse", "main"]), world.git(&["rev-parse", "amelia/s-1"]));
}

#[test]
fn a_run_that_is_not_completed_is_not_merged() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    assert_eq!(start(&world, &[]).status.code(), Some(6));
    let message = refused(&world, &["merge", "r1"]);
    assert!(message.contains("only a completed run can be merged"), "{message}");
    assert_eq!(world.amelia(&["merge"]).status.code(), Some(4), "there is none to choose");
}

/// `gh`, for a repository with one pull request, which begins to exist when it is opened.
const GH: &str = r#"#!/bin/sh
for last; do :; done
bin="$(dirname "$0")"
answer() { printf 'HTTP/2.0 %s\r\nContent-Type: application/json\r\n\r\n%s' "$1" "$2"; }
case "$*" in *POST*) echo "$last" >> "$bin/sent"; cat > "$bin/body" ;; esac
case "$last" in
  repos/some/where/pulls) answer '201 Created' '{"number": 5, "html_url": "https://github.com/some/where/pull/5", "body": ""}' ;;
  repos/some/where/pulls/5) answer '200 OK' '{"number": 5, "html_url": "https://github.com/some/where/pull/5", "title": "It does not add", "state": "open", "draft": true, "merged": false, "mergeable": true, "merge_commit_sha": null, "head": {"ref": "amelia/s-1", "sha": "abc"}, "base": {"ref": "main", "sha": "def"}}' ;;
  repos/some/where/pulls/5/reviews*) answer '200 OK' '[{"user": {"login": "ann"}, "state": "APPROVED"}]' ;;
  repos/some/where/commits/abc/check-runs*) answer '200 OK' '{"check_runs": [{"name": "build", "status": "completed", "conclusion": "failure", "html_url": null}]}' ;;
  repos/some/where/commits/abc/status*) answer '200 OK' '{"statuses": []}' ;;
  *) answer '200 OK' '[]' ;;
esac
"#;

/// Puts the repository at GitHub, with the `gh` above; pushes go to a directory. Says where that program is.
pub(crate) fn at_github(world: &World) -> PathBuf {
    let root = world.repository().canonicalize().unwrap();
    let bin = root.join("../bin");
    fs::create_dir(&bin).unwrap();
    fs::write(bin.join("gh"), GH).unwrap();
    fs::set_permissions(bin.join("gh"), fs::Permissions::from_mode(0o755)).unwrap();
    world.git(&["init", "-q", "--bare", "../remote/where.git"]);
    world.git(&["remote", "add", "origin", "https://github.com/some/where.git"]);
    let instead = format!("url.{}/.pushInsteadOf", root.join("../remote").display());
    world.git(&["config", &instead, "https://github.com/some/"]);
    // The one that runs has another PATH.
    shown(world, &["server", "stop"]);
    bin
}

/// What a command prints that finds programs there first.
pub(crate) fn shown_with(world: &World, bin: &Path, arguments: &[&str]) -> String {
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut command = world.command(arguments);
    let command = command.env("PATH", &path).env_remove("GH_TOKEN").env_remove("GITHUB_TOKEN");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// What the host was sent.
pub(crate) fn sent(bin: &Path) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(bin.join("body")).unwrap()).unwrap()
}

#[test]
fn a_pull_request_is_opened_with_the_template_filled_in_and_its_state_is_shown() {
    let world = completed();
    let bin = at_github(&world);
    let root = world.repository();
    fs::create_dir(root.join(".github")).unwrap();
    fs::write(root.join(".github/pull_request_template.md"), "## What\n\n## Checklist\n- [ ] docs\n")
        .unwrap();
    let run = |arguments: &[&str]| shown_with(&world, &bin, arguments);
    let opened = run(&["pr", "open", "--draft"]);
    assert_eq!(opened.trim(), "Opened draft pull request #5: https://github.com/some/where/pull/5");
    let sent = sent(&bin);
    assert_eq!((&sent["draft"], &sent["head"]), (&true.into(), &"amelia/s-1".into()));
    let body = sent["body"].as_str().unwrap();
    for part in ["## What\n\n", "- [ ] docs", "## Checks", "## Review", "<summary>Plan</summary>"] {
        assert!(body.contains(part), "{part}: {body}");
    }
    assert!(world.git(&["--git-dir", "../remote/where.git", "branch", "--list"]).contains("amelia/s-1"));
    let again = run(&["pr", "open", "r1"]);
    assert!(again.contains("#5 of r1 was opened before") && again.contains("pr show r1"), "{again}");
    let state = run(&["pr", "show"]);
    for part in ["#5 It does not add (draft)", "failed  build", "approved  ann"] {
        assert!(state.contains(part), "{part}: {state}");
    }
    let status = run(&["status", "r1"]);
    let shown = "pull request #5 https://github.com/some/where/pull/5\n  draft, not merged\n  failed  build\n  approved  ann\n";
    assert!(status.contains(shown), "{status}");
    let flat: serde_json::Value = serde_json::from_str(&run(&["status", "r1", "--json"])).unwrap();
    assert_eq!(flat["pull_request_detail"]["checks"][0]["outcome"], "failed", "{flat}");
    assert_eq!((&flat["pull_request"], &flat["pull_request_error"]), (&5.into(), &serde_json::Value::Null));
    // A host that does not answer takes no more than a moment.
    fs::write(bin.join("gh"), "#!/bin/sh\nexec sleep 60\n").unwrap();
    let before = std::time::Instant::now();
    let status = run(&["status", "r1"]);
    assert!(before.elapsed() < std::time::Duration::from_secs(20), "{:?}", before.elapsed());
    assert!(status.contains("  its state is unknown: no answer in 3 s; "), "{status}");
    let flat: serde_json::Value = serde_json::from_str(&run(&["status", "r1", "--json"])).unwrap();
    assert_eq!(flat["pull_request_error"], "no answer in 3 s", "{flat}");
    assert_eq!(flat["pull_request_detail"], serde_json::Value::Null);
}

#[test]
fn cleanup_deletes_branches_that_were_merged_and_no_others() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    let done = start(&world, &["--auto"]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let before = text(&world.amelia(&["cleanup", "--dry-run"]).stdout);
    assert!(!before.contains("was merged"), "{before}");
    let merged = world.amelia(&["merge", "--squash"]);
    assert!(merged.status.success(), "{}", text(&merged.stderr));
    let offered = text(&world.amelia(&["cleanup"]).stdout);
    assert!(offered.contains("the branch amelia/s-1 was merged into main"), "{offered}");
    assert!(world.git(&["branch", "--list", "amelia/s-1"]).contains("amelia/s-1"), "it was only offered");
    // What was added to it since was not merged.
    let tip = world.git(&["rev-parse", "amelia/s-1"]);
    let more = world.git(&["commit-tree", "amelia/s-1^{tree}", "-p", "amelia/s-1", "-m", "More"]);
    world.git(&["update-ref", "refs/heads/amelia/s-1", more.trim()]);
    let kept = text(&world.amelia(&["cleanup", "--merged-branches"]).stdout);
    assert!(!kept.contains("deleted"), "{kept}");
    world.git(&["update-ref", "refs/heads/amelia/s-1", tip.trim()]);
    // A merge that was undone is none.
    let merge = world.git(&["rev-parse", "main"]);
    world.git(&["reset", "-q", "--hard", "HEAD~1"]);
    let kept = text(&world.amelia(&["cleanup", "--merged-branches"]).stdout);
    assert!(!kept.contains("deleted"), "{kept}");
    world.git(&["reset", "-q", "--hard", merge.trim()]);
    let deleted = text(&world.amelia(&["cleanup", "--merged-branches"]).stdout);
    assert!(deleted.contains("deleted the branch amelia/s-1, which was merged into main"), "{deleted}");
    assert_eq!(world.git(&["branch", "--list", "amelia/s-1"]), "");
}

#[test]
fn a_merge_that_was_undone_is_no_longer_called_merged() {
    let world = completed();
    shown(&world, &["merge"]);
    assert!(shown(&world, &["status"]).contains("  merged  "));
    let one = shown(&world, &["status", "r1"]);
    assert!(one.lines().next().unwrap().ends_with("  merged"), "the same word: {one}");
    for task in ["Add instead of subtract", "Say how it is used"] {
        assert_eq!(one.matches(task).count(), 1, "{task}: {one}");
    }
    world.git(&["revert", "--no-edit", "HEAD~2..HEAD"]);
    assert!(shown(&world, &["status"]).contains("  merge undone  "));
    let told = shown(&world, &["status", "r1"]);
    assert!(told.contains("was reverted") && !told.contains("merged into"), "{told}");
    assert!(told.lines().next().unwrap().ends_with("  merge undone"), "{told}");
    world.git(&["reset", "-q", "--hard", "HEAD~4"]);
    let told = shown(&world, &["status", "r1"]);
    assert!(told.contains("was undone") && told.contains("amelia merge r1"), "{told}");
    assert!(shown(&world, &["why", "r1"]).contains("was undone"));
    let why: serde_json::Value = serde_json::from_str(&shown(&world, &["why", "r1", "--json"])).unwrap();
    assert!(why["message"].as_str().unwrap().starts_with("It is completed; "), "{why}");
    assert_eq!(why["waiting_for"], serde_json::Value::Null, "{why}");
    let flat: serde_json::Value = serde_json::from_str(&shown(&world, &["--json", "status", "r1"])).unwrap();
    assert_eq!(flat["merged_into"], serde_json::Value::Null, "{flat}");
    // Its branch is the only one that has the work.
    let kept = shown(&world, &["cleanup", "--merged-branches"]);
    assert!(!kept.contains("deleted the branch"), "{kept}");
    // Who undid it is not surprised by a merge that names no run.
    let unnamed = world.amelia(&["merge"]);
    assert_eq!(unnamed.status.code(), Some(4));
    assert!(text(&unnamed.stderr).contains("the merge of r1 was undone"), "{}", text(&unnamed.stderr));
    let head = || world.git(&["rev-parse", "main"]);
    let before = head();
    shown(&world, &["merge", "r1"]);
    assert!(shown(&world, &["status", "r1"]).contains("merged into main"));
    assert_ne!(world.git(&["diff", "--stat", before.trim(), "main"]), "", "it is not an empty merge");
}

#[test]
fn files_of_one_agent_that_are_not_committed_are_told_with_their_place() {
    let world = World::new(crate::world::FIX);
    assert!(world.run_do("chat", &[]).status.success());
    let told = shown(&world, &["status", "r1"]);
    assert!(told.contains("not committed 1 file in the worktree of the run"), "{told}");
    shown(&world, &["merge", "r1"]);
    assert!(!shown(&world, &["status", "r1"]).contains("not committed"));
    let world = World::new(crate::world::FIX);
    assert!(world.run_do("chat", &["--in-place"]).status.success());
    let told = shown(&world, &["status", "r1"]);
    assert!(told.contains("not committed 1 file in your checkout "), "{told}");
}

#[test]
fn a_merge_that_is_refused_commits_nothing() {
    let world = World::new(crate::world::FIX);
    assert!(world.run_do("chat", &[]).status.success());
    let branch = world.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads/amelia"]);
    let tip = world.git(&["rev-parse", branch.trim()]);
    fs::write(world.repository().join("calc.sh"), "echo mine\n").unwrap();
    let in_the_way = refused(&world, &["merge", "r1"]);
    assert!(in_the_way.contains("commit or stash"), "{in_the_way}");
    world.git(&["commit", "-qam", "mine"]);
    let message = refused(&world, &["merge", "r1"]);
    assert!(message.contains("conflicts with `main` in calc.sh; `main` is unchanged"), "{message}");
    assert!(message.contains("are still uncommitted in its worktree"), "{message}");
    assert!(message.contains(&format!("commit the changes of the run to `{}`", branch.trim())), "{message}");
    assert_eq!(world.git(&["rev-parse", branch.trim()]), tip);
    let told = shown(&world, &["status", "r1"]);
    assert!(told.contains("not committed 1 file in the worktree of the run"), "{told}");
}

#[test]
fn a_run_that_changed_nothing_is_passed_over_after_its_worktree_is_gone() {
    let world = completed();
    shown(&world, &["merge", "r1"]);
    // The second finds everything as it should be.
    let again = start(&world, &["--auto"]);
    assert!(again.status.success(), "{}", text(&again.stderr));
    shown(&world, &["cleanup"]);
    let unnamed = world.amelia(&["merge"]);
    assert_eq!(unnamed.status.code(), Some(4));
    assert!(text(&unnamed.stderr).contains("has a change to merge"), "{}", text(&unnamed.stderr));
    let diff = world.amelia(&["diff", "r2"]);
    assert!(diff.status.success(), "{}", text(&diff.stderr));
}
