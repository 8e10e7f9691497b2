//! Against real git.

use std::fs;

use amelia_core::workplace::CommitOutcome;

use super::*;
use crate::commits::tests::{World, git};

/// A whole with one commit, and parts that changed these files.
async fn parts(world: &World, changes: &[(&str, &str)]) -> (Worktree, Vec<Worktree>) {
    let whole = world.worktree("whole").await;
    let mut parts = Vec::new();
    for (number, (file, text)) in changes.iter().enumerate() {
        let part = world.worktree(&format!("part-{number}")).await;
        fs::write(part.path.join(file), text).unwrap();
        world.repository.commit_all(&part, "change", &format!("task {number}")).await.unwrap();
        parts.push(part);
    }
    (whole, parts)
}

fn named(marker: &str) -> NewCommit<'_> {
    NewCommit { message: "take it", marker, trailers: &[] }
}

async fn merge(world: &World, whole: &Worktree, part: &Worktree, marker: &str) -> MergeOutcome {
    let branch = part.branch.as_deref().unwrap();
    world.repository.merge(whole, branch, named(marker)).await.unwrap()
}

#[tokio::test]
async fn parts_are_merged_once_and_a_conflict_is_named_and_taken_back() {
    let world = World::new().await;
    let (whole, parts) = parts(&world, &[("g", "good\n"), ("a", "one\n"), ("a", "other\n")]).await;
    let merged = merge(&world, &whole, &parts[0], "merge 0").await;
    merge(&world, &whole, &parts[1], "merge 1").await;
    assert_eq!(merge(&world, &whole, &parts[0], "merge 0").await, merged, "found again behind a later one");
    let conflict = merge(&world, &whole, &parts[2], "merge 2").await;
    assert_eq!(conflict, MergeOutcome::Conflict { files: vec!["a".to_owned()] });
    assert_eq!(git(&whole.path, &["status", "--porcelain"]), "");
    assert_eq!(git(&whole.path, &["rev-list", "--merges", "--count", "HEAD"]), "2");
    let idle = world.worktree("idle").await;
    assert_eq!(merge(&world, &whole, &idle, "merge 3").await, MergeOutcome::Nothing);
}

#[tokio::test]
async fn a_merge_that_died_half_way_is_made_again_and_what_a_person_changed_is_not_touched() {
    let world = World::new().await;
    let (whole, parts) = parts(&world, &[("new", "n\n")]).await;
    fs::write(whole.path.join("a"), "a person's\n").unwrap();
    let branch = parts[0].branch.as_deref().unwrap();
    let refused = world.repository.merge(&whole, branch, named("merge 0")).await.unwrap_err();
    assert!(refused.to_string().contains("not committed: `a`"), "{refused}");
    assert_eq!(fs::read_to_string(whole.path.join("a")).unwrap(), "a person's\n");
    git(&whole.path, &["checkout", "-q", "--", "a"]);
    // As if git had died when the files were written and the commit was not.
    fs::write(mark(&world.repository.git.at(&whole.path)).await.unwrap(), branch).unwrap();
    fs::write(whole.path.join("new"), "n\n").unwrap();
    fs::write(whole.path.join("a"), "half\n").unwrap();
    let MergeOutcome::Made { commit } = merge(&world, &whole, &parts[0], "merge 0").await else { panic!() };
    assert_eq!(git(&whole.path, &["rev-parse", "HEAD"]), commit);
    assert_eq!(git(&whole.path, &["status", "--porcelain"]), "");
    assert_eq!(fs::read_to_string(whole.path.join("a")).unwrap(), "1\n");
    // As if it had died in the next one: the first is looked for again before that.
    fs::write(mark(&world.repository.git.at(&whole.path)).await.unwrap(), "other").unwrap();
    fs::write(whole.path.join("a"), "half\n").unwrap();
    assert_eq!(merge(&world, &whole, &parts[0], "merge 0").await, MergeOutcome::Made { commit });
    assert_eq!(git(&whole.path, &["status", "--porcelain"]), "");
}

#[tokio::test]
async fn a_conflict_is_mended_in_a_part_of_its_own_and_then_fits() {
    let world = World::new().await;
    let (whole, parts) = parts(&world, &[("a", "one\n"), ("a", "other\n")]).await;
    merge(&world, &whole, &parts[0], "merge 0").await;
    let head = git(&whole.path, &["rev-parse", "HEAD"]);
    let new = crate::NewWorktree {
        run: "again",
        key: "again",
        base: Some(&head),
        branch: None,
        start: None,
        tree: None,
    };
    let again = world.worktrees().create(new).await.unwrap();
    let branch = parts[1].branch.as_deref().unwrap();
    let open = world.repository.open_merge(&again, branch, 4000).await.unwrap();
    assert_eq!(open.files, ["a"]);
    assert!(open.text.contains("<<<<<<<") && open.text.contains("other"), "{}", open.text);
    fs::write(again.path.join("junk"), "of a try that died\n").unwrap();
    assert_eq!(world.repository.open_merge(&again, branch, 4000).await.unwrap(), open, "from the start");
    assert!(!again.path.join("junk").exists());
    fs::write(again.path.join("a"), "one and other\n").unwrap();
    let seen = world.repository.diff(&again, 4000).await.unwrap().text;
    assert!(seen.contains("+one and other"), "a review sees what came of it: {seen}");
    let committed = world.repository.commit_all(&again, "other", "task 1").await.unwrap();
    assert!(matches!(committed, CommitOutcome::Made { .. }), "{committed:?}");
    assert!(matches!(merge(&world, &whole, &again, "merge 1").await, MergeOutcome::Made { .. }));
    assert_eq!(fs::read_to_string(whole.path.join("a")).unwrap(), "one and other\n");
    for run in ["part-0", "part-1", "again", "never there"] {
        world.worktrees().close(run, &whole, UncommittedWork::Keep).await.unwrap();
    }
    let branches =
        git(world.repository.root(), &["branch", "--list", "amelia/*", "--format=%(refname:short)"]);
    assert_eq!(branches, "amelia/whole", "everything of them is in the whole");
}

#[tokio::test]
async fn a_part_with_work_that_nobody_took_over_is_kept() {
    let world = World::new().await;
    let (whole, parts) = parts(&world, &[("a", "one\n")]).await;
    fs::write(parts[0].path.join("late"), "l\n").unwrap();
    let kept = world.worktrees().close("part-0", &whole, UncommittedWork::Keep).await.unwrap_err();
    assert!(matches!(kept, GitError::Dirty { .. }), "{kept}");
    world.worktrees().close("part-0", &whole, UncommittedWork::Discard).await.unwrap();
    assert!(!parts[0].path.exists());
    let branch = parts[0].branch.as_deref().unwrap();
    assert_eq!(git(world.repository.root(), &["log", "-1", "--format=%s", branch]), "change");
}
