//! Against real git.

use std::fs;

use super::*;
use crate::Worktree;
use crate::commits::tests::{World, git};

const MESSAGE: &str = "Merge the work";

/// A worktree with a commit for each of these files.
async fn worked(world: &World, files: &[(&str, &str)]) -> Worktree {
    let worktree = world.worktree("work").await;
    for (number, (file, text)) in files.iter().enumerate() {
        fs::write(worktree.path.join(file), text).unwrap();
        let message = format!("change {file}");
        world.repository.commit_all(&worktree, &message, &format!("task {number}")).await.unwrap();
    }
    worktree
}

/// A commit of the user on the branch that is checked out.
fn users_commit(world: &World, file: &str, text: &str) {
    let root = world.repository.root();
    fs::write(root.join(file), text).unwrap();
    git(root, &["add", "--", file]);
    git(root, &["commit", "-q", "-m", "of the user"]);
}

fn current(world: &World) -> String {
    git(world.repository.root(), &["symbolic-ref", "--short", "HEAD"])
}

async fn merge(
    world: &World,
    worktree: &Worktree,
    method: MergeMethod,
) -> Result<BranchMergeOutcome, GitError> {
    let (branch, into) = (worktree.branch.as_deref().unwrap(), current(world));
    world.repository.merge_into(BranchMerge { branch, into: &into, method, message: MESSAGE }).await
}

fn merged(outcome: Result<BranchMergeOutcome, GitError>) -> String {
    match outcome.unwrap() {
        BranchMergeOutcome::Merged { commit, .. } => commit,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_branch_that_did_not_move_is_forwarded_with_its_checkout_and_other_edits_stay() {
    let world = World::new().await;
    let worktree = worked(&world, &[("new", "n\n")]).await;
    let root = world.repository.root();
    fs::write(root.join("a"), "an edit\n").unwrap();
    let commit = merged(merge(&world, &worktree, MergeMethod::Merge).await);
    assert_eq!(git(root, &["rev-parse", "HEAD"]), commit);
    assert_eq!(commit, git(&worktree.path, &["rev-parse", "HEAD"]));
    assert_eq!(fs::read_to_string(root.join("new")).unwrap(), "n\n");
    assert_eq!(fs::read_to_string(root.join("a")).unwrap(), "an edit\n");
    assert_eq!(merge(&world, &worktree, MergeMethod::Merge).await.unwrap(), BranchMergeOutcome::Nothing);
}

#[tokio::test]
async fn a_branch_that_moved_gets_a_merge_commit() {
    let world = World::new().await;
    let worktree = worked(&world, &[("new", "n\n")]).await;
    users_commit(&world, "other", "o\n");
    merged(merge(&world, &worktree, MergeMethod::Merge).await);
    let root = world.repository.root();
    assert_eq!(git(root, &["log", "-1", "--format=%s"]), MESSAGE);
    assert_eq!(git(root, &["rev-list", "--parents", "-1", "HEAD"]).split(' ').count(), 3);
    assert_eq!(git(root, &["status", "--porcelain"]), "");
    assert!(root.join("new").exists() && root.join("other").exists());
}

#[tokio::test]
async fn a_conflict_names_the_files_and_changes_nothing() {
    let world = World::new().await;
    let worktree = worked(&world, &[("a", "of the run\n")]).await;
    users_commit(&world, "a", "of the user\n");
    let root = world.repository.root();
    let before = git(root, &["rev-parse", "HEAD"]);
    for method in [MergeMethod::Merge, MergeMethod::Squash, MergeMethod::Rebase] {
        let outcome = merge(&world, &worktree, method).await.unwrap();
        assert_eq!(outcome, BranchMergeOutcome::Conflicts { files: vec!["a".to_owned()] }, "{method}");
    }
    assert_eq!(git(root, &["rev-parse", "HEAD"]), before);
    assert_eq!(git(root, &["status", "--porcelain"]), "");
}

#[tokio::test]
async fn an_edit_that_is_not_committed_is_not_overwritten() {
    let world = World::new().await;
    let worktree = worked(&world, &[("a", "of the run\n"), ("new", "n\n")]).await;
    let root = world.repository.root();
    fs::write(root.join("a"), "an edit\n").unwrap();
    fs::write(root.join("new"), "mine\n").unwrap();
    let error = merge(&world, &worktree, MergeMethod::Merge).await.unwrap_err();
    assert!(error.to_string().contains("`a`") && error.to_string().contains("`new`"), "{error}");
    assert_eq!(fs::read_to_string(root.join("a")).unwrap(), "an edit\n");
    assert_eq!(fs::read_to_string(root.join("new")).unwrap(), "mine\n");
}

#[tokio::test]
async fn uncommitted_changes_that_are_the_same_do_not_stand_in_the_way() {
    let world = World::new().await;
    let worktree = worked(&world, &[("a", "of the run\n"), ("new *", "n\n")]).await;
    let root = world.repository.root();
    fs::write(root.join("a"), "of the run\n").unwrap();
    fs::write(root.join("new *"), "n\n").unwrap();
    fs::write(root.join("new b"), "mine\n").unwrap();
    let outcome = merge(&world, &worktree, MergeMethod::Merge).await.unwrap();
    let BranchMergeOutcome::Merged { same, .. } = outcome else { panic!("{outcome:?}") };
    assert_eq!(same, ["a", "new *"]);
    assert_eq!(git(root, &["status", "--porcelain"]), "?? \"new b\"");
}

#[tokio::test]
async fn a_change_that_is_only_partly_the_same_is_not_overwritten() {
    let world = World::new().await;
    let worktree = worked(&world, &[("a", "of the run\n"), ("new", "n\n")]).await;
    let root = world.repository.root();
    fs::write(root.join("a"), "staged\n").unwrap();
    git(root, &["add", "--", "a"]);
    fs::write(root.join("a"), "of the run\n").unwrap();
    fs::write(root.join("new"), "n\n").unwrap();
    let before = git(root, &["status", "--porcelain"]);
    let error = merge(&world, &worktree, MergeMethod::Merge).await.unwrap_err();
    assert!(error.to_string().contains("`a`") && !error.to_string().contains("`new`"), "{error}");
    assert_eq!(git(root, &["status", "--porcelain"]), before, "nothing was staged");
}

#[tokio::test]
async fn a_changed_file_that_the_merge_removes_is_kept_and_a_removed_one_is_no_obstacle() {
    let world = World::new().await;
    let worktree = world.worktree("work").await;
    fs::remove_file(worktree.path.join("a")).unwrap();
    world.repository.commit_all(&worktree, "remove a", "task 1").await.unwrap();
    let root = world.repository.root();
    fs::write(root.join("a"), "an edit\n").unwrap();
    let error = merge(&world, &worktree, MergeMethod::Merge).await.unwrap_err();
    assert!(error.to_string().contains("`a`"), "{error}");
    assert_eq!(fs::read_to_string(root.join("a")).unwrap(), "an edit\n");
    fs::remove_file(root.join("a")).unwrap();
    merged(merge(&world, &worktree, MergeMethod::Merge).await);
    assert_eq!(git(root, &["status", "--porcelain"]), "");
}

#[tokio::test]
async fn a_squash_is_one_commit_and_is_made_once() {
    let world = World::new().await;
    let worktree = worked(&world, &[("a", "of the run\n"), ("new", "n\n")]).await;
    users_commit(&world, "other", "o\n");
    let root = world.repository.root();
    let before = git(root, &["rev-parse", "HEAD"]);
    merged(merge(&world, &worktree, MergeMethod::Squash).await);
    assert_eq!(git(root, &["rev-parse", "HEAD^"]), before);
    assert_eq!(git(root, &["log", "-1", "--format=%s"]), MESSAGE);
    assert_eq!(merge(&world, &worktree, MergeMethod::Squash).await.unwrap(), BranchMergeOutcome::Nothing);
}

#[tokio::test]
async fn what_got_there_by_other_commits_is_not_merged_again() {
    let world = World::new().await;
    let worktree = worked(&world, &[("a", "of the run\n"), ("new", "n\n")]).await;
    let root = world.repository.root();
    git(root, &["merge", "-q", "--squash", worktree.branch.as_deref().unwrap()]);
    git(root, &["commit", "-q", "-m", "all at once"]);
    users_commit(&world, "other", "o\n");
    let before = git(root, &["rev-parse", "HEAD"]);
    for method in [MergeMethod::Merge, MergeMethod::Squash, MergeMethod::Rebase] {
        let outcome = merge(&world, &worktree, method).await.unwrap();
        assert_eq!(outcome, BranchMergeOutcome::Nothing, "{method}");
    }
    assert_eq!(git(root, &["rev-parse", "HEAD"]), before);
}

#[tokio::test]
async fn a_rebase_keeps_commits_and_authors_in_one_line() {
    let world = World::new().await;
    let worktree = worked(&world, &[("a", "of the run\n"), ("new", "n\n")]).await;
    let amend = ["commit", "-q", "--amend", "--no-edit", "--author", "An Agent <agent@example.com>"];
    git(&worktree.path, &amend);
    users_commit(&world, "other", "o\n");
    merged(merge(&world, &worktree, MergeMethod::Rebase).await);
    let root = world.repository.root();
    assert_eq!(git(root, &["log", "-3", "--format=%s"]), "change new\nchange a\nof the user");
    assert_eq!(git(root, &["log", "-1", "--format=%an <%ae>"]), "An Agent <agent@example.com>");
    assert_eq!(git(root, &["rev-list", "--merges", "--count", "HEAD"]), "0");
    assert_eq!(git(root, &["status", "--porcelain"]), "");
    assert_eq!(merge(&world, &worktree, MergeMethod::Rebase).await.unwrap(), BranchMergeOutcome::Nothing);
}

#[tokio::test]
async fn a_branch_that_is_checked_out_nowhere_moves_alone() {
    let world = World::new().await;
    let worktree = worked(&world, &[("new", "n\n")]).await;
    let root = world.repository.root();
    let into = current(&world);
    git(root, &["checkout", "-q", "-b", "elsewhere"]);
    let branch = worktree.branch.as_deref().unwrap();
    let merge = BranchMerge { branch, into: &into, method: MergeMethod::Merge, message: MESSAGE };
    let commit = merged(world.repository.merge_into(merge).await);
    assert_eq!(git(root, &["rev-parse", &into]), commit);
    assert!(!root.join("new").exists());
    let unknown = world.repository.merge_into(BranchMerge { into: "nope", ..merge }).await.unwrap_err();
    assert!(unknown.to_string().contains("no branch `nope`"), "{unknown}");
}

#[tokio::test]
async fn only_a_branch_that_is_checked_out_nowhere_is_deleted() {
    let world = World::new().await;
    let worktree = worked(&world, &[("new", "n\n")]).await;
    let branch = worktree.branch.as_deref().unwrap();
    let tip = world.repository.branch_tip(branch).await.unwrap();
    assert!(!world.repository.delete_branch(branch, &tip).await.unwrap());
    world.worktrees().remove(&worktree, amelia_core::workplace::UncommittedWork::Keep).await.unwrap();
    assert!(!world.repository.delete_branch(branch, &"0".repeat(39)).await.unwrap(), "it has moved");
    assert!(world.repository.delete_branch(branch, &tip).await.unwrap());
}
