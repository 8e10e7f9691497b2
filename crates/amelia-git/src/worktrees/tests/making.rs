//! A worktree is made, found again, and made anew.

use super::*;

#[tokio::test]
async fn a_worktree_is_made_used_shown_and_removed_and_the_user_sees_nothing_of_it() {
    let place = Place::in_use();
    let before = place.state();
    let trees = place.worktrees().await;
    let repository = place.repository().await;
    let tree = trees.create(new("run 1", "PROJ-1")).await.unwrap();
    let base = place.git("user", &["rev-parse", "HEAD"]);
    let expected = Worktree {
        path: place.path("trees/run-1"),
        branch: Some("amelia/PROJ-1".to_owned()),
        base_commit: base,
    };
    assert_eq!(tree, expected);
    assert_eq!(fs::read_to_string(tree.path.join("a")).unwrap(), "1\n");
    assert_eq!(trees.list().await.unwrap(), std::slice::from_ref(&tree));
    assert_eq!(trees.find("run 1").await.unwrap(), Some(tree.clone()));

    let globs = [".env".to_owned(), "**/.env.*".to_owned()];
    assert_eq!(repository.copy_files(&tree, &globs).await.unwrap(), [".env", "sub/.env.local"]);
    repository
        .setup(&tree, "mkdir build; echo x > build/out; sleep 1000 & :", Duration::from_secs(60))
        .await
        .unwrap();
    let own_index = place.path("user/.git/worktrees/run-1/index");
    fs::write(tree.path.join("a"), "2\n").unwrap();
    fs::write(tree.path.join("new\nline"), "n\n").unwrap();
    fs::write(tree.path.join("-rf"), "bin\0").unwrap();
    place.git("trees/run-1", &["add", "a"]);
    place.git("trees/run-1", &["commit", "-qm", "Second"]);
    let index = fs::read(&own_index).unwrap();
    let stat = repository.diff_stat(&tree).await.unwrap();
    let change = |path: &str, lines: Option<(u64, u64)>| FileChange { path: path.to_owned(), lines };
    assert_eq!(stat, [change("-rf", None), change("a", Some((1, 1))), change("new\nline", Some((1, 0)))]);
    let diff = repository.diff(&tree, 1 << 20).await.unwrap();
    assert!(
        !diff.is_cut && diff.text.contains("-1\n+2\n") && diff.text.contains("Binary files"),
        "{}",
        diff.text
    );
    assert!(repository.diff(&tree, 10).await.unwrap().is_cut);
    assert_eq!(fs::read(&own_index).unwrap(), index);
    assert!(disk_use(&tree.path) > 0);

    let refused = trees.remove(&tree, UncommittedWork::Keep).await.unwrap_err();
    assert!(matches!(&refused, GitError::Dirty { files, .. } if files.len() == 2), "{refused}");
    assert!(tree.path.exists());
    trees.remove(&tree, UncommittedWork::Discard).await.unwrap();
    assert!(!tree.path.exists());
    assert_eq!(place.git("user", &["log", "-1", "--format=%s", "amelia/PROJ-1"]), "Second");
    assert_eq!(place.state(), before);
}

#[tokio::test]
async fn the_same_run_gets_its_worktree_again_and_another_gets_another_branch() {
    let place = Place::clean();
    let trees = place.worktrees().await;
    let first = trees.create(new("1", "X")).await.unwrap();
    place.write("user/b", "later");
    place.commit("Later");
    assert_eq!(trees.create(new("1", "X")).await.unwrap(), first);
    let second = trees.create(new("2", "X")).await.unwrap();
    assert_eq!(second.branch.as_deref(), Some("amelia/X-2"));
    assert_ne!(second.base_commit, first.base_commit);
    let old = trees.create(NewWorktree { base: Some("HEAD~1"), ..new("3", "X") }).await.unwrap();
    assert_eq!(old.base_commit, first.base_commit);
    let unknown = trees.create(NewWorktree { base: Some("--nonsense"), ..new("4", "X") }).await.unwrap_err();
    assert!(matches!(unknown, GitError::UnknownCommit { .. }), "{unknown}");
}

#[tokio::test]
async fn worktrees_made_at_the_same_time_do_not_collide() {
    let place = Place::clean();
    let trees = place.worktrees().await;
    let made = tokio::join!(
        trees.create(new("1", "X")),
        trees.create(new("2", "X")),
        trees.create(new("3", "X")),
        trees.create(new("4", "X"))
    );
    let mut branches: Vec<_> =
        [made.0, made.1, made.2, made.3].into_iter().map(|tree| tree.unwrap().branch.unwrap()).collect();
    branches.sort();
    assert_eq!(branches, ["amelia/X", "amelia/X-2", "amelia/X-3", "amelia/X-4"]);
}

#[tokio::test]
async fn an_unfinished_worktree_is_made_again_on_its_branch() {
    let place = Place::clean();
    let trees = place.worktrees().await;
    let tree = trees.create(new("1", "X")).await.unwrap();
    // As after a kill in the middle: begun, locked, without our note.
    fs::write(place.path("trees/1.begun"), "").unwrap();
    fs::remove_file(place.path("user/.git/worktrees/1/amelia")).unwrap();
    fs::write(place.path("user/.git/worktrees/1/locked"), "initializing").unwrap();
    assert_eq!(trees.list().await.unwrap(), []);
    assert_eq!(trees.create(new("1", "X")).await.unwrap(), tree);
    assert_eq!(fs::read_dir(place.path("trees")).unwrap().count(), 1);
}

#[tokio::test]
async fn a_branch_that_was_made_before_a_kill_is_found_after_any_number_of_kills() {
    let place = Place::clean();
    let trees = place.worktrees().await;
    // Git had made the branch, and not yet the worktree.
    place.git("user", &["branch", "amelia/X"]);
    place.write("trees/1.begun", "amelia/X");
    // The next life gets no further than to the note, however often.
    place.write("user/.git/worktrees", "in the way");
    for _ in 0..2 {
        trees.create(new("1", "X")).await.unwrap_err();
    }
    fs::remove_file(place.path("user/.git/worktrees")).unwrap();
    let tree = trees.create(new("1", "X")).await.unwrap();
    assert_eq!(tree.branch.as_deref(), Some("amelia/X"));
    // Git had begun the worktree, and not yet put it on the branch.
    place.write("trees/1.begun", "amelia/X");
    fs::remove_file(place.path("user/.git/worktrees/1/amelia")).unwrap();
    place.write("user/.git/worktrees/1/HEAD", &"0".repeat(40));
    assert_eq!(trees.create(new("1", "X")).await.unwrap(), tree);
    assert_eq!(place.git("user", &["branch", "--list", "--format=%(refname:short)", "amelia/*"]), "amelia/X");
}

#[tokio::test]
async fn a_worktree_that_is_gone_comes_back_with_the_commits_of_its_branch() {
    let place = Place::clean();
    let trees = place.worktrees().await;
    let tree = trees.create(new("1", "X")).await.unwrap();
    place.write("trees/1/done", "d");
    place.git("trees/1", &["add", "-A"]);
    place.git("trees/1", &["commit", "-qm", "Done"]);
    fs::remove_dir_all(&tree.path).unwrap();
    assert_eq!(
        trees.create(NewWorktree { base: Some(&tree.base_commit), ..new("1", "X") }).await.unwrap(),
        tree
    );
    assert!(tree.path.join("done").exists());
}

#[tokio::test]
async fn a_removed_worktree_is_missed_and_made_anew_with_its_commits() {
    for how in ["directory", "registration too"] {
        let place = Place::clean();
        let trees = place.worktrees().await;
        let tree = trees.create(new("run", "PROJ-1")).await.unwrap();
        assert!(!trees.was_made("run"));
        trees.remember(&tree).unwrap();
        assert!(!tree.is_prepared());
        tree.set_prepared().unwrap();
        assert!(tree.is_prepared());
        fs::write(tree.path.join("a"), "2\n").unwrap();
        place.git("trees/run", &["commit", "-qam", "Work"]);
        match how {
            "directory" => fs::remove_dir_all(&tree.path).unwrap(),
            _ => trees.remove(&tree, UncommittedWork::Keep).await.unwrap(),
        }
        assert!(trees.was_made("run") && trees.find("run").await.unwrap().is_none());
        assert_eq!(trees.restore(new("run", "PROJ-1"), None).await.unwrap(), tree, "{how}");
        assert_eq!(fs::read_to_string(tree.path.join("a")).unwrap(), "2\n");
        assert!(!tree.is_prepared(), "what git ignores is gone");
    }
}

#[tokio::test]
async fn a_branch_in_the_way_and_a_worktree_directory_that_cannot_be_made() {
    let place = Place::clean();
    place.git("user", &["branch", "amelia"]);
    let tree = place.worktrees().await.create(new("1", "X")).await.unwrap();
    assert_eq!(tree.branch.as_deref(), Some("amelia-X"));
    place.write("file", "");
    let trees = Worktrees::new(place.repository().await, place.path("file/trees")).unwrap();
    assert!(matches!(trees.create(new("1", "X")).await, Err(GitError::Io { .. })));
}

#[tokio::test]
async fn a_branch_that_a_person_chose_is_never_exchanged_for_another() {
    let place = Place::clean();
    let trees = place.worktrees().await;
    let named = |run| NewWorktree { branch: Some("mine"), ..new(run, "PROJ-1") };
    let tree = trees.create(named("one")).await.unwrap();
    assert_eq!(tree.branch.as_deref(), Some("mine"));
    let taken = trees.create(named("two")).await.unwrap_err();
    assert!(taken.to_string().contains("mine"), "{taken}");
    // The directory is gone, and the branch was moved to where the run did not begin.
    fs::remove_dir_all(&tree.path).unwrap();
    place.git("user", &["checkout", "-q", "--orphan", "other"]);
    place.git("user", &["commit", "-qm", "Other"]);
    place.git("user", &["update-ref", "refs/heads/mine", "HEAD"]);
    let base = NewWorktree { base: Some(&tree.base_commit), ..named("one") };
    let refused = trees.restore(base, None).await.unwrap_err();
    assert!(matches!(&refused, GitError::BadBranch { name, .. } if name == "mine"), "{refused}");
}

#[tokio::test]
async fn a_setup_command_that_fails_or_never_ends_says_so() {
    let place = Place::clean();
    let (trees, repository) = (place.worktrees().await, place.repository().await);
    let tree = trees.create(new("1", "X")).await.unwrap();
    let failed =
        repository.setup(&tree, "cat; echo bad news >&2; exit 3", Duration::from_secs(60)).await.unwrap_err();
    assert_eq!(failed.to_string(), "the setup command ended with exit code 3:\nbad news\n");
    let failed = repository.setup(&tree, "sleep 1000", Duration::from_millis(50)).await.unwrap_err();
    assert!(failed.to_string().contains("no exit after"), "{failed}");
}

#[tokio::test]
async fn gits_files_say_of_one_worktree_what_git_says_of_all() {
    let place = Place::clean();
    let trees = place.worktrees().await;
    let same = async |when: &str| {
        for run in ["1", "2", "3"] {
            let path = trees.path_of(run);
            let (read, listed) = (trees.registered(&path).await, trees.listed(&path).await);
            assert_eq!(read.unwrap(), listed.unwrap(), "{when}: {run}");
        }
    };
    same("none is made").await;
    let first = trees.create(new("1", "X")).await.unwrap();
    trees.create(new("2", "Y")).await.unwrap();
    same("two are made").await;
    place.git("user", &["worktree", "lock", "--reason", "mine", first.path.to_str().unwrap()]);
    place.git("trees/2", &["checkout", "-q", "--detach"]);
    same("one is locked, the other on no branch").await;
    fs::remove_dir_all(&first.path).unwrap();
    fs::remove_file(place.path("trees/2/.git")).unwrap();
    same("one is gone, the other broken").await;
    place.git("user", &["worktree", "unlock", first.path.to_str().unwrap()]);
    place.git("user", &["worktree", "prune"]);
    same("git has forgotten one").await;
    // A user's checkout can be a worktree itself, and the way to it can lead through a link.
    place.git("user", &["worktree", "add", "-q", "../linked"]);
    std::os::unix::fs::symlink(place.path("trees"), place.path("link")).unwrap();
    let linked = Repository::open(place.path("linked"), vars()).await.unwrap();
    let trees = Worktrees::new(linked, place.path("link")).unwrap();
    let third = trees.create(new("3", "Z")).await.unwrap();
    assert_eq!(trees.registered(&third.path).await.unwrap(), trees.listed(&third.path).await.unwrap());
}

#[tokio::test]
async fn a_worktree_that_git_knows_by_another_name_is_made_again() {
    let place = Place::clean();
    let trees = place.worktrees().await;
    place.git("user", &["worktree", "add", "-q", "--detach", "../other/1"]);
    let tree = trees.create(new("1", "X")).await.unwrap();
    assert!(place.path("user/.git/worktrees/11").exists());
    fs::remove_dir_all(&tree.path).unwrap();
    place.git("user", &["worktree", "remove", "../other/1"]);
    assert_eq!(trees.create(new("1", "X")).await.unwrap().path, tree.path);
}
