//! Repositories inside a worktree keep it while they have commits that are nowhere else.

use super::*;

/// The objects of a submodule are kept with the worktree, and go with it.
#[tokio::test]
async fn commits_that_only_a_submodule_has_keep_its_worktree() {
    let place = Place::clean();
    let base = place.path("library");
    place.git(".", &["init", "-q", "library"]);
    place.write("library/l", "1\n");
    place.git("library", &["add", "-A"]);
    place.git("library", &["commit", "-qm", "Library"]);
    place.git("user", &["submodule", "--quiet", "add", base.to_str().unwrap(), "deep/lib"]);
    place.commit("With a submodule");
    let (trees, repository) = (place.worktrees().await, place.repository().await);
    let tree = trees.create(new("run", "PROJ-1")).await.unwrap();
    repository.submodules(&tree).await.unwrap();
    trees.check_removable(&tree).await.unwrap();

    fs::write(tree.path.join("deep/lib/l"), "2\n").unwrap();
    place.git("trees/run/deep/lib", &["commit", "-qam", "Only here"]);
    place.git("trees/run", &["commit", "-qam", "Takes it over"]);
    let refused = trees.remove(&tree, UncommittedWork::Keep).await.unwrap_err();
    assert!(matches!(&refused, GitError::OnlyInside { .. }), "{refused}");
    assert!(refused.to_string().contains("deep/lib"), "{refused}");
    // Also when the submodule itself is not checked out any more.
    place.git("trees/run", &["submodule", "--quiet", "deinit", "--force", "--all"]);
    trees.check_removable(&tree).await.unwrap_err();

    place.git("trees/run", &["submodule", "--quiet", "update", "--init"]);
    place.git("trees/run/deep/lib", &["push", "-q", "origin", "HEAD:refs/heads/elsewhere"]);
    trees.remove(&tree, UncommittedWork::Keep).await.unwrap();
    assert!(!tree.path.exists());
}

#[tokio::test]
async fn a_stash_or_a_tag_that_only_a_submodule_has_keeps_its_worktree() {
    for keep in [&["stash", "-q"][..], &["tag", "kept"]] {
        let place = Place::clean();
        place.git(".", &["init", "-q", "library"]);
        place.write("library/l", "1\n");
        place.git("library", &["add", "-A"]);
        place.git("library", &["commit", "-qm", "Library"]);
        let base = place.path("library");
        place.git("user", &["submodule", "--quiet", "add", base.to_str().unwrap(), "lib"]);
        place.commit("With a submodule");
        let (trees, repository) = (place.worktrees().await, place.repository().await);
        let tree = trees.create(new("run", "PROJ-1")).await.unwrap();
        repository.submodules(&tree).await.unwrap();
        fs::write(tree.path.join("lib/l"), "2\n").unwrap();
        if keep[0] == "tag" {
            place.git("trees/run/lib", &["commit", "-qam", "Only here"]);
        }
        place.git("trees/run/lib", keep);
        if keep[0] == "tag" {
            place.git("trees/run/lib", &["reset", "-q", "--hard", "HEAD~1"]);
        }
        let refused = trees.remove(&tree, UncommittedWork::Keep).await.unwrap_err();
        assert!(matches!(&refused, GitError::OnlyInside { .. }), "{keep:?}: {refused}");
    }
}

/// A worktree whose `vendor/` git ignores, with nothing to lose.
async fn with_vendor() -> (Place, Worktrees, Worktree) {
    let place = Place::clean();
    place.write("user/.gitignore", "vendor/\n");
    place.commit("Ignore vendor");
    let trees = place.worktrees().await;
    let tree = trees.create(new("run", "PROJ-1")).await.unwrap();
    (place, trees, tree)
}

fn commit_in(place: &Place, dir: &str) {
    place.git(dir, &["commit", "-q", "--allow-empty", "-m", "Only here"]);
}

async fn refused(trees: &Worktrees, tree: &Worktree, inside: &str) {
    let refused = trees.remove(tree, UncommittedWork::Keep).await.unwrap_err();
    assert!(matches!(&refused, GitError::OnlyInside { .. }), "{refused}");
    assert!(refused.to_string().contains(inside), "{refused}");
    assert!(tree.path.exists());
}

#[tokio::test]
async fn commits_of_a_repository_in_an_ignored_directory_keep_the_worktree() {
    for init in [&["init", "-q", "lib"][..], &["init", "-q", "--separate-git-dir", "../lib.kept", "lib"]] {
        let (place, trees, tree) = with_vendor().await;
        fs::create_dir_all(tree.path.join("vendor/deep")).unwrap();
        place.git("trees/run/vendor/deep", init);
        trees.check_removable(&tree).await.unwrap();
        commit_in(&place, "trees/run/vendor/deep/lib");
        refused(&trees, &tree, "vendor").await;
        trees.remove(&tree, UncommittedWork::Discard).await.unwrap();
    }
}

#[tokio::test]
async fn a_clone_in_an_ignored_directory_goes_with_its_worktree_until_it_has_commits_of_its_own() {
    let (place, trees, tree) = with_vendor().await;
    place.git(".", &["init", "-q", "library"]);
    commit_in(&place, "library");
    place.git("library", &["tag", "v1"]);
    commit_in(&place, "library");
    fs::create_dir_all(tree.path.join("vendor")).unwrap();
    let base = format!("file://{}", place.path("library").display());
    // The clone of a tag has no branch of its remote.
    place.git("trees/run/vendor", &["clone", "-q", "--depth=1", "--branch=v1", &base, "tag"]);
    place.git("trees/run/vendor", &["clone", "-q", &base, "whole"]);
    trees.check_removable(&tree).await.unwrap();
    commit_in(&place, "trees/run/vendor/whole");
    refused(&trees, &tree, "vendor/whole").await;
    place.git("trees/run/vendor/whole", &["push", "-q", "origin", "HEAD:refs/heads/pushed"]);
    trees.check_removable(&tree).await.unwrap();
    commit_in(&place, "trees/run/vendor/tag");
    refused(&trees, &tree, "vendor/tag").await;
}

#[tokio::test]
async fn a_repository_between_tracked_files_keeps_the_worktree() {
    let place = Place::clean();
    place.write("user/src/b", "1\n");
    place.commit("With src");
    let trees = place.worktrees().await;
    let tree = trees.create(new("run", "PROJ-1")).await.unwrap();
    place.git("trees/run/src", &["init", "-q"]);
    trees.check_removable(&tree).await.unwrap();
    commit_in(&place, "trees/run/src");
    refused(&trees, &tree, "src/.git").await;
}

/// Its branches stay in the other repository; a detached commit does not stay for long.
#[tokio::test]
async fn a_worktree_of_another_repository_keeps_ours_only_with_a_detached_commit() {
    let (place, trees, tree) = with_vendor().await;
    place.git(".", &["init", "-q", "other"]);
    commit_in(&place, "other");
    let inside = tree.path.join("vendor/other");
    place.git("other", &["worktree", "add", "-q", "-b", "work", inside.to_str().unwrap()]);
    commit_in(&place, "trees/run/vendor/other");
    trees.check_removable(&tree).await.unwrap();
    place.git("trees/run/vendor/other", &["checkout", "-q", "--detach"]);
    commit_in(&place, "trees/run/vendor/other");
    refused(&trees, &tree, "other/.git/worktrees/other").await;
}

#[tokio::test]
async fn something_that_is_only_called_git_does_not_keep_a_worktree() {
    let (place, trees, tree) = with_vendor().await;
    place.write("trees/run/vendor/one/.git/note", "n");
    place.write("trees/run/vendor/two/.git", "gitdir: nowhere");
    place.write("trees/run/vendor/three/.git", "gitdir: ../one/.git");
    trees.remove(&tree, UncommittedWork::Keep).await.unwrap();
}
