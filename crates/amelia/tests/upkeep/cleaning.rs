//! `amelia cleanup` and `amelia worktree remove`: what is left goes, work never does.

use std::path::PathBuf;
use std::process::Command;

use amelia_core::event::{Draft, Event};
use amelia_core::id::{RunId, Seq};
use amelia_core::store::{Commit, Store as _};
use amelia_store::sqlite::{SqliteOptions, SqliteStore};
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::crew::{ARCHITECT, CONTENT, DEVELOPER, start, world};
use crate::world::{FIX, World, text};

/// An agent that looks and changes nothing.
const LOOKING: &str = "rules:\n  - when: { turn: 0 }\n    reply: { text: It is fine as it is. }\n";

/// Two tasks beside each other, both of which ask before they have done anything.
const ASKING: &str = r#####"
  - when: { model: developer, turn: 0 }
    reply: { tool_calls: [{ name: ask_human, args: { question: Which colour? } }] }
"#####;

fn cleanup(world: &World, more: &[&str]) -> Value {
    let output = world.amelia(&[&["cleanup", "--json"], more].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn worktrees(world: &World) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(world.home().join("worktrees")).unwrap().flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

fn branches(world: &World) -> String {
    world.git(&["branch", "--list", "--format=%(refname:short)", "amelia/*"])
}

#[test]
fn work_that_is_not_committed_stays_whatever_is_cleaned_up() {
    let world = World::new(FIX);
    assert!(world.run_do("chat", &["--quiet"]).status.success());
    let before = (worktrees(&world), branches(&world));
    for more in [&["--dry-run"][..], &[]] {
        let cleaned = cleanup(&world, more);
        let left = &cleaned["worktrees"][0];
        assert_eq!((&left["removed"], &cleaned["bytes"]), (&json!(false), &json!(0)), "{cleaned}");
        assert!(left["kept_because"].as_str().unwrap().contains("calc.sh"), "{cleaned}");
        assert_eq!((worktrees(&world), branches(&world)), before);
    }
    let shown = text(&world.amelia(&["cleanup"]).stdout);
    assert!(shown.starts_with("kept ") && shown.ends_with("nothing to remove\n"), "{shown}");
}

#[test]
fn a_worktree_without_work_goes_with_its_branch_and_a_dry_run_only_says_so() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    assert_eq!(start(&world, &[]).status.code(), Some(6), "the plan is there to be approved");
    assert!(world.amelia(&["cancel", "r1"]).status.success());
    let planned = cleanup(&world, &["--dry-run"]);
    assert_eq!((worktrees(&world).len(), branches(&world).lines().count()), (1, 1), "only looked at");
    let done = cleanup(&world, &[]);
    assert_eq!(planned["worktrees"], done["worktrees"], "what was said is what was done");
    assert_eq!(done["worktrees"][0]["branch_removed"], true, "{done}");
    assert!(done["bytes"].as_u64().unwrap() > 0 && done["bytes"] == planned["bytes"], "{done}");
    assert_eq!((worktrees(&world).len(), branches(&world).as_str()), (0, ""));
    assert_eq!(cleanup(&world, &[])["worktrees"], json!([]));
}

#[test]
fn another_repository_is_cleaned_up_only_when_all_are_meant() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    assert_eq!(start(&world, &[]).status.code(), Some(6), "the plan is there to be approved");
    assert!(world.amelia(&["cancel", "r1"]).status.success());
    let other = tempfile::tempdir().unwrap();
    assert!(Command::new("git").args(["init", "-q"]).arg(other.path()).status().unwrap().success());
    let there = |more: &[&str]| {
        let mut command = world.command(&[&["cleanup"], more].concat());
        text(&command.current_dir(other.path()).output().unwrap().stdout)
    };
    assert_eq!(there(&[]), "nothing to remove\n");
    assert_eq!(worktrees(&world).len(), 1, "it is of another repository");
    let all = there(&["--all", "--dry-run"]);
    let heading = format!("in {}", world.repository().canonicalize().unwrap().display());
    assert!(all.starts_with(&heading) && all.contains("would remove the worktree of r1"), "{all}");
    assert!(there(&["--all"]).contains("removed the worktree of r1"));
    assert_eq!(worktrees(&world).len(), 0);
}

#[test]
fn a_question_leaves_neither_a_worktree_nor_a_branch() {
    let world = World::new(LOOKING);
    let asked = world.run_do("chat", &[]);
    assert!(asked.status.success(), "{}", text(&asked.stderr));
    let said = text(&asked.stdout) + &text(&asked.stderr);
    assert!(said.contains("nothing was changed") && !said.contains("branch"), "{said}");
    assert_eq!((worktrees(&world).len(), branches(&world).as_str()), (0, ""));
    assert!(text(&world.amelia(&["diff", "r1"]).stdout).is_empty());
    let merged = world.amelia(&["merge", "r1"]);
    assert_eq!(merged.status.code(), Some(5));
    assert!(text(&merged.stderr).contains("changed nothing"), "{}", text(&merged.stderr));
    assert_eq!(cleanup(&world, &[])["worktrees"], json!([]));
}

#[test]
fn committed_work_stays_on_its_branch_when_the_worktree_goes() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    let output = start(&world, &["--auto"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let done = cleanup(&world, &[]);
    let left = &done["worktrees"][0];
    assert_eq!((&left["removed"], &left["branch_removed"]), (&json!(true), &json!(false)), "{done}");
    assert_eq!((worktrees(&world).len(), branches(&world).trim()), (0, "amelia/s-1"));
    assert_eq!(world.git(&["show", "amelia/s-1:README.md"]), "calc.sh A B\n");
}

/// A run with two parts that was cancelled while they asked.
fn cancelled_in_parts() -> World {
    let beside = ARCHITECT.replace("depends_on: [\"1\"], ", "");
    let world = world(&[&beside, ASKING], "parallel_tasks: 2");
    let output = start(&world, &["--auto"]);
    assert_eq!(output.status.code(), Some(6), "it asks: {}", text(&output.stderr));
    let nothing = cleanup(&world, &[]);
    assert_eq!(nothing["worktrees"], json!([]), "it has not ended");
    assert_eq!(worktrees(&world).len(), 3, "the whole, and two parts");
    let cancelled = world.amelia(&["cancel", &world.run_id()]);
    assert!(cancelled.status.success(), "{}", text(&cancelled.stderr));
    world
}

#[test]
fn parts_of_an_ended_run_are_cleaned_up_with_it() {
    let world = cancelled_in_parts();
    let done = cleanup(&world, &[]);
    assert_eq!(done["worktrees"].as_array().unwrap().len(), 3, "{done}");
    assert_eq!(worktrees(&world), [] as [PathBuf; 0], "{done}");
    assert_eq!(branches(&world), "", "they held nothing");
}

#[test]
fn removing_the_worktree_of_a_run_takes_its_parts_or_nothing() {
    let world = cancelled_in_parts();
    let run = world.run_id();
    let [_, _, part] = <[PathBuf; 3]>::try_from(worktrees(&world)).unwrap();
    std::fs::write(part.join("work"), "w").unwrap();
    let refused = world.amelia(&["worktree", "remove", &run]);
    assert_eq!(refused.status.code(), Some(5), "{}", text(&refused.stderr));
    assert_eq!(worktrees(&world).len(), 3, "none went");
    let removed = world.amelia(&["worktree", "remove", &run, "--discard", "--json"]);
    let removed: Value = serde_json::from_slice(&removed.stdout).unwrap();
    assert_eq!(removed["removed"].as_array().unwrap().len(), 3, "{removed}");
    assert_eq!((worktrees(&world).len(), branches(&world).lines().count()), (0, 3), "branches are kept");
    assert_eq!(world.amelia(&["worktree", "remove", &run]).status.code(), Some(4));
}

#[test]
fn what_the_user_locked_stays_and_what_git_ignores_is_named_before_and_after() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    assert!(start(&world, &["--auto"]).status.success());
    let path = worktrees(&world)[0].to_str().unwrap().to_owned();
    world.git(&["worktree", "lock", &path]);
    for more in [&["--dry-run"][..], &[]] {
        let cleaned = cleanup(&world, more);
        assert!(cleaned["worktrees"][0]["kept_because"].as_str().unwrap().contains("locked"), "{cleaned}");
    }
    let refused = world.amelia(&["worktree", "remove", &world.run_id(), "--discard"]);
    assert!(text(&refused.stderr).contains("git worktree unlock"), "{}", text(&refused.stderr));
    assert_eq!(worktrees(&world).len(), 1);
    world.git(&["worktree", "unlock", &path]);
    assert_eq!(cleanup(&world, &["--dry-run"])["worktrees"][0]["ignored"], json!(["runs.log"]));
    let removed = text(&world.amelia(&["cleanup"]).stdout);
    assert!(removed.contains("with files that git ignores: runs.log"), "{removed}");
}

#[test]
fn a_worktree_that_only_git_still_knows_is_forgotten() {
    let world = World::new(FIX);
    assert!(world.run_do("chat", &["--quiet"]).status.success());
    std::fs::remove_dir_all(&worktrees(&world)[0]).unwrap();
    let known = || world.git(&["worktree", "list"]).lines().count();
    let planned = cleanup(&world, &["--dry-run"]);
    assert_eq!((known(), planned["worktrees"].as_array().unwrap().len()), (2, 1), "{planned}");
    assert_eq!(cleanup(&world, &[])["worktrees"], planned["worktrees"]);
    assert_eq!(known(), 1);
}

/// Makes the only run one that ended so many days ago, by writing its log anew.
fn age(world: &World, days: i64) {
    world.amelia(&["server", "stop"]);
    let run: RunId = serde_json::from_value(world.run().unwrap()["run"]["id"].clone()).unwrap();
    let file = world.home().join("amelia.db");
    let written = async {
        let store = SqliteStore::open(&file, SqliteOptions::default()).unwrap();
        let events = store.events(run, Seq::START, 100_000).await.unwrap();
        store.remove(run).await.unwrap();
        let past = SignedDuration::from_hours(24 * days);
        let earlier = |event: Event| Draft { at: event.draft.at - past, ..event.draft };
        let drafts = events.into_iter().map(earlier).collect();
        store.commit(run, Seq::START, Commit { drafts, ..Commit::default() }).await.unwrap();
        store.close().await.unwrap();
    };
    tokio::runtime::Runtime::new().unwrap().block_on(written);
}

fn write_policy(world: &World, policy: &str) {
    let directory = world.home().join("config");
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join("retention_policy.yaml"), policy).unwrap();
}

/// A completed run with commits and this label, which ended so many days ago.
fn labelled(more: &[&str], days: i64) -> World {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    let output = start(&world, &[&["--auto"], more].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    age(&world, days);
    world
}

#[test]
fn a_run_that_was_kept_long_enough_goes_as_a_whole_and_a_dry_run_only_says_so() {
    let world = labelled(&["--label", "debug"], 4);
    let task = world.home().join("tasks").join(world.run_id());
    assert!(task.join("task.json").exists());
    assert_eq!(cleanup(&world, &["--dry-run"])["runs"], json!([]), "without a policy, runs are kept");
    write_policy(&world, "{}\n");
    let planned = cleanup(&world, &["--dry-run"]);
    let old = &planned["runs"][0];
    let said = (&old["label"], &old["days"], &old["removed"], &old["kept_because"]);
    assert_eq!(said, (&json!("debug"), &json!(3), &json!(false), &Value::Null), "{planned}");
    assert!(world.run().is_some() && worktrees(&world).len() == 1, "only looked at");
    let shown = text(&world.amelia(&["cleanup", "--dry-run"]).stdout);
    assert!(
        shown.contains("would remove run ") && shown.contains("(kept for 3 days, label debug)"),
        "{shown}"
    );

    let run = world.run_id();
    let done = cleanup(&world, &[]);
    assert_eq!((&done["runs"][0]["removed"], &done["runs"][0]["days"]), (&json!(true), &json!(3)), "{done}");
    assert_eq!(done["worktrees"], planned["worktrees"], "what was said is what was done");
    assert!(world.run().is_none());
    assert_eq!(world.amelia(&["logs", &run]).status.code(), Some(4), "its log went with it");
    assert!(!task.exists(), "and its files");
    assert_eq!((worktrees(&world).len(), branches(&world).trim()), (0, "amelia/s-1"), "its commits stay");
    assert_eq!(cleanup(&world, &[])["runs"], json!([]));
}

#[test]
fn work_that_is_not_committed_keeps_its_run_until_it_is_gone() {
    let world = World::new(FIX);
    assert!(world.run_do("chat", &["--quiet", "--retention-days", "1"]).status.success());
    age(&world, 2);
    for more in [&["--dry-run"][..], &[]] {
        let cleaned = cleanup(&world, more);
        let old = &cleaned["runs"][0];
        assert_eq!((&old["removed"], &old["days"]), (&json!(false), &json!(1)), "{cleaned}");
        assert!(old["kept_because"].as_str().unwrap().contains("calc.sh"), "{cleaned}");
        assert!(world.run().is_some() && worktrees(&world).len() == 1);
    }
    let undone = Command::new("git").args(["checkout", "-q", "."]).current_dir(world.worktree()).status();
    assert!(undone.unwrap().success());
    assert_eq!(cleanup(&world, &[])["runs"][0]["removed"], true);
    assert!(world.run().is_none() && worktrees(&world).is_empty());
}

#[test]
fn what_a_run_says_itself_counts_before_its_label_and_before_the_policy() {
    let world = labelled(&["--label", "debug", "--retention-days", "6"], 5);
    write_policy(&world, "default_days: 1\nby_task: { debug: 1 }\nby_status: { completed: 1 }\n");
    assert_eq!(cleanup(&world, &[])["runs"], json!([]), "it has one more day");
    age(&world, 2);
    assert_eq!(cleanup(&world, &["--dry-run"])["runs"][0]["days"], 6);
}

#[test]
fn a_policy_that_cannot_be_read_removes_nothing_and_says_where_it_is_wrong() {
    let world = labelled(&[], 400);
    write_policy(&world, "default_days: 1\nby_task:\n  debug: soon\n");
    let refused = world.amelia(&["cleanup"]);
    let said = text(&refused.stderr);
    assert!(!refused.status.success() && said.contains("retention_policy.yaml:3:"), "{said}");
    assert!(world.run().is_some() && worktrees(&world).len() == 1);
}
