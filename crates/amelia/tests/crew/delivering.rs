//! Ways of delivery that a person names: a rebase instead of a merge, another base of a pull request; git itself.

use std::fs;

use crate::merging::{at_github, completed, refused, sent, shown, shown_with};
use crate::world::{World, text};

/// The branch of the user moves on.
fn commit(world: &World, file: &str, content: &str, subject: &str) {
    fs::write(world.repository().join(file), content).unwrap();
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", subject]);
}

#[test]
fn a_rebase_puts_the_commits_on_top_of_a_branch_that_has_moved_and_can_be_undone() {
    let world = completed();
    commit(&world, "other", "o\n", "Something else");
    let before = world.git(&["rev-parse", "HEAD"]);
    let merged = shown(&world, &["merge", "r1", "--rebase"]);
    assert!(merged.starts_with("Merged r1 into main"), "{merged}");
    assert_eq!(
        world.git(&["log", "-3", "--format=%s"]),
        "docs: say how it is used\nfeat(S-1): Add instead of subtract\nSomething else\n"
    );
    assert_eq!(world.git(&["rev-list", "--merges", "--count", "HEAD"]), "0\n");
    assert_eq!(world.git(&["rev-parse", "HEAD~2"]), before);
    assert!(shown(&world, &["status", "r1"]).contains("merged into main"));
    let undo = merged.lines().find_map(|line| line.strip_prefix("undo: ")).unwrap();
    assert!(std::process::Command::new("sh").args(["-c", undo]).status().unwrap().success(), "{undo}");
    assert_eq!(world.git(&["rev-parse", "HEAD"]), before);
}

#[test]
fn a_rebase_that_conflicts_changes_nothing() {
    let world = completed();
    commit(&world, "calc.sh", "echo mine\n", "Mine");
    let before = world.git(&["rev-parse", "HEAD"]);
    let message = refused(&world, &["merge", "r1", "--rebase"]);
    assert!(message.contains("conflicts with `main` in calc.sh; `main` is unchanged"), "{message}");
    assert_eq!(world.git(&["rev-parse", "HEAD"]), before);
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    let both = world.amelia(&["merge", "r1", "--rebase", "--squash"]);
    assert_eq!(both.status.code(), Some(2));
}

/// One agent that commits its change itself.
const COMMITS: &str = r#"
rules:
  - when: { turn: 0 }
    reply: { tool_calls: [{ name: shell, args: { command: "echo more > more.txt; git add -A; git commit -qm More" } }] }
  - when: { turn: 1 }
    reply: { text: It is committed. }
"#;

#[test]
fn a_run_of_one_agent_that_was_merged_by_hand_stays_merged_when_its_branch_is_deleted() {
    for is_cleaned_up_by_git in [false, true] {
        let world = World::new(COMMITS);
        let done = world.run_do("chat", &[]);
        assert!(done.status.success(), "{}", text(&done.stderr));
        let branches = world.git(&["branch", "--list", "--format=%(refname:short)", "amelia/*"]);
        let branch = branches.trim();
        world.git(&["merge", "-q", branch]);
        assert!(shown(&world, &["status"]).contains("  merged  "));
        if is_cleaned_up_by_git {
            world.git(&["worktree", "remove", world.worktree().to_str().unwrap()]);
            world.git(&["branch", "-q", "-d", branch]);
        } else {
            let deleted = shown(&world, &["cleanup", "--merged-branches"]);
            assert!(deleted.contains(&format!("deleted the branch {branch}")), "{deleted}");
        }
        assert!(shown(&world, &["status"]).contains("  merged  "), "{}", shown(&world, &["status"]));
        let told = shown(&world, &["status", "r1"]);
        assert!(told.contains("merged: main has its changes"), "{told}");
        assert!(shown(&world, &["diff", "r1"]).contains("+more"), "its change is still shown");
        // It is gone again.
        world.git(&["reset", "-q", "--hard", "HEAD^"]);
        assert!(shown(&world, &["status"]).contains("  completed  "), "{}", shown(&world, &["status"]));
    }
}

#[test]
fn a_pull_request_is_opened_onto_the_base_that_is_named() {
    let world = completed();
    let bin = at_github(&world);
    world.git(&["branch", "develop"]);
    let opened = shown_with(&world, &bin, &["pr", "open", "r1", "--base", "develop"]);
    assert_eq!(opened.trim(), "Opened pull request #5: https://github.com/some/where/pull/5");
    let sent = sent(&bin);
    assert_eq!(
        (&sent["base"], &sent["head"], &sent["draft"]),
        (&"develop".into(), &"amelia/s-1".into(), &false.into())
    );
}
