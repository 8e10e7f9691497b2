//! The end of worktrees, and of nothing else.

use super::*;

#[tokio::test]
async fn work_is_kept_whatever_was_done_to_the_worktree() {
    let place = Place::clean();
    let trees = place.worktrees().await;
    let note = "user/.git/worktrees/1/amelia";
    let breaks: [&dyn Fn(); 4] = [
        &|| fs::remove_file(place.path(note)).unwrap(),
        &|| place.write(note, "\n"),
        &|| fs::remove_file(place.path("trees/1/.git")).unwrap(),
        &|| {
            fs::remove_file(place.path("trees/1/.git")).unwrap();
            place.git("trees/1", &["init", "-q"]);
        },
    ];
    for (number, broken) in breaks.into_iter().enumerate() {
        let tree = trees.create(new("1", "X")).await.unwrap();
        place.write("trees/1/work", "w");
        broken();
        assert!(matches!(trees.create(new("1", "X")).await, Err(GitError::Broken { .. })), "{number}");
        assert_eq!(fs::read_to_string(tree.path.join("work")).unwrap(), "w", "{number}");
        fs::remove_dir_all(&tree.path).unwrap();
    }
}

#[tokio::test]
async fn leftovers_are_found_and_only_what_is_gone_is_forgotten() {
    let place = Place::clean();
    let trees = place.worktrees().await;
    assert_eq!(trees.leftovers().await.unwrap(), Leftovers::default());
    let gone = trees.create(new("gone", "X")).await.unwrap();
    fs::remove_dir_all(&gone.path).unwrap();
    fs::create_dir_all(place.path("trees/stray")).unwrap();
    place.write("trees/stray/work", "w");
    place.git("user", &["worktree", "add", "-q", "../users-own"]);
    fs::remove_dir_all(place.path("users-own")).unwrap();
    let found = trees.leftovers().await.unwrap();
    assert_eq!(found, Leftovers { unknown: vec![place.path("trees/stray")], gone: vec![gone.path.clone()] });
    trees.forget_gone(&found).await.unwrap();
    assert_eq!(trees.leftovers().await.unwrap().gone, [] as [PathBuf; 0]);
    assert!(place.git("user", &["worktree", "list"]).contains("users-own"));
    assert!(matches!(trees.create(new("stray", "X")).await, Err(GitError::InTheWay { .. })));
    assert!(place.path("trees/stray/work").exists());
}

#[tokio::test]
async fn a_commit_that_nothing_holds_is_not_lost() {
    let place = Place::clean();
    let trees = place.worktrees().await;
    let tree = trees.create(new("1", "X")).await.unwrap();
    place.git("trees/1", &["checkout", "-q", "--detach"]);
    place.git("trees/1", &["commit", "-q", "--allow-empty", "-m", "Alone"]);
    assert!(matches!(trees.remove(&tree, UncommittedWork::Keep).await, Err(GitError::Unreachable { .. })));
    place.git("trees/1", &["branch", "held"]);
    trees.remove(&tree, UncommittedWork::Keep).await.unwrap();
}

#[tokio::test]
async fn the_worktrees_of_a_run_are_its_own_and_those_of_its_parts() {
    let place = Place::clean();
    let trees = place.worktrees().await;
    let whole = trees.create(new("aa-1", "X")).await.unwrap();
    let part = trees.create(new("aa-1-task-2", "X-task-2")).await.unwrap();
    trees.create(new("aa-10", "Y")).await.unwrap();
    assert_eq!(trees.of_run("aa-1").await.unwrap(), [whole, part]);
    assert_eq!(trees.of_run("aa").await.unwrap().len(), 3, "an id must be whole");
    assert_eq!(trees.of_run("bb").await.unwrap(), []);
}

#[tokio::test]
async fn only_a_branch_that_holds_nothing_goes_with_its_worktree() {
    let place = Place::clean();
    let trees = place.worktrees().await;
    let branches = || place.git("user", &["branch", "--list", "--format=%(refname:short)", "amelia/*"]);
    let empty = trees.create(new("1", "empty")).await.unwrap();
    assert!(trees.is_branch_empty(&empty).await.unwrap());
    assert!(trees.remove_with_empty_branch(&empty, UncommittedWork::Keep).await.unwrap());
    assert!(!empty.path.exists() && branches().is_empty());

    let worked = trees.create(new("2", "worked")).await.unwrap();
    place.git("trees/2", &["commit", "-q", "--allow-empty", "-m", "Work"]);
    assert!(!trees.remove_with_empty_branch(&worked, UncommittedWork::Keep).await.unwrap());
    assert_eq!((worked.path.exists(), branches().trim()), (false, "amelia/worked"));
    let noted = |run| Worktrees::noted_commit(&place.path("trees"), run);
    let tip = place.git("user", &["rev-parse", "amelia/worked"]);
    assert_eq!((noted("1"), noted("2").as_deref()), (None, Some(&*tip)), "the branch may be deleted later");

    let dirty = trees.create(new("3", "dirty")).await.unwrap();
    place.write("trees/3/new", "n");
    assert!(matches!(trees.check_removable(&dirty).await, Err(GitError::Dirty { .. })));
    let refused = trees.remove_with_empty_branch(&dirty, UncommittedWork::Keep).await;
    assert!(matches!(refused, Err(GitError::Dirty { .. })));
    assert!(dirty.path.join("new").exists() && branches().contains("amelia/dirty"));

    let taken = trees.create(new("4", "taken")).await.unwrap();
    place.git("trees/4", &["checkout", "-q", "--detach"]);
    place.git("user", &["checkout", "-q", "amelia/taken"]);
    assert!(
        !trees.remove_with_empty_branch(&taken, UncommittedWork::Keep).await.unwrap(),
        "somebody is on it"
    );
    assert!(branches().contains("amelia/taken"));
}

#[tokio::test]
async fn the_last_commit_of_a_worktree_that_is_kept_is_noted() {
    let place = Place::clean();
    let trees = place.worktrees().await;
    let worked = trees.create(new("1", "worked")).await.unwrap();
    place.git("trees/1", &["commit", "-q", "--allow-empty", "-m", "Work"]);
    trees.remove_unchanged(&worked).await.unwrap();
    assert!(worked.path.exists());
    let tip = place.git("user", &["rev-parse", "amelia/worked"]);
    place.git("user", &["worktree", "remove", "../trees/1"]);
    place.git("user", &["branch", "-q", "-D", "amelia/worked"]);
    assert_eq!(Worktrees::noted_commit(&place.path("trees"), "1"), Some(tip));
}

#[tokio::test]
async fn a_worktree_that_the_user_locked_stays() {
    let place = Place::clean();
    let trees = place.worktrees().await;
    let tree = trees.create(new("1", "X")).await.unwrap();
    place.git("user", &["worktree", "lock", "--reason", "mine", "../trees/1"]);
    let looked = trees.check_removable(&tree).await.unwrap_err();
    assert!(matches!(&looked, GitError::Locked { reason, .. } if reason == "mine"), "{looked}");
    for force in [UncommittedWork::Keep, UncommittedWork::Discard] {
        let refused = trees.remove(&tree, force).await.unwrap_err();
        assert!(matches!(refused, GitError::Locked { .. }), "{refused}");
    }
    assert!(tree.path.exists());
    place.git("user", &["worktree", "unlock", "../trees/1"]);
    trees.remove(&tree, UncommittedWork::Keep).await.unwrap();
}

#[tokio::test]
async fn edits_that_git_was_told_not_to_look_at_are_not_lost() {
    for flag in ["skip-worktree", "assume-unchanged"] {
        let place = Place::clean();
        place.write("user/b", "1\n");
        place.commit("Second");
        let trees = place.worktrees().await;
        let tree = trees.create(new("1", "X")).await.unwrap();
        for file in ["a", "b"] {
            place.git("trees/1", &["update-index", &format!("--{flag}"), file]);
        }
        trees.check_removable(&tree).await.unwrap();
        place.write("trees/1/a", "precious\n");
        let refused = trees.remove(&tree, UncommittedWork::Keep).await.unwrap_err();
        assert!(matches!(&refused, GitError::Hidden { files, .. } if files == &["a"]), "{flag}: {refused}");
        assert_eq!(fs::read_to_string(tree.path.join("a")).unwrap(), "precious\n");
        assert_eq!(place.git("trees/1", &["status", "--porcelain"]), "", "its index is as it was");
        trees.remove(&tree, UncommittedWork::Discard).await.unwrap();
    }
}

#[tokio::test]
async fn what_git_ignores_is_listed_before_it_goes() {
    let place = Place::in_use();
    let trees = place.worktrees().await;
    let tree = trees.create(new("1", "X")).await.unwrap();
    assert_eq!(trees.ignored(&tree).await.unwrap(), [] as [String; 0]);
    place.write("trees/1/build/deep/out", "o");
    place.write("trees/1/.env", "KEY=1");
    assert_eq!(trees.ignored(&tree).await.unwrap(), [".env", "build/"]);
    trees.remove(&tree, UncommittedWork::Keep).await.unwrap();
}
