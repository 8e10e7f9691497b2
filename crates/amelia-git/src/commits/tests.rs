//! Against real git.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use std::sync::Arc;

use tempfile::TempDir;

use super::*;
use crate::worktrees::{NewWorktree, Worktrees};

pub(crate) struct World {
    pub(crate) dir: TempDir,
    pub(crate) repository: Repository,
}

impl World {
    pub(crate) async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let user = dir.path().join("user");
        fs::create_dir(&user).unwrap();
        fs::write(user.join("a"), "1\n").unwrap();
        for args in [
            &["init", "-q", "-b", "main"][..],
            &["config", "user.name", "Sample"],
            &["config", "user.email", "sample@example.org"],
            &["add", "-A"],
            &["commit", "-q", "-m", "First"],
        ] {
            git(&user, args);
        }
        let vars = Arc::from([("PATH".into(), std::env::var_os("PATH").unwrap())]);
        Self { repository: Repository::open(&user, vars).await.unwrap(), dir }
    }

    pub(crate) fn worktrees(&self) -> Worktrees {
        Worktrees::new(self.repository.clone(), self.dir.path().join("trees")).unwrap()
    }

    pub(crate) async fn worktree(&self, key: &str) -> Worktree {
        let worktrees = self.worktrees();
        worktrees
            .create(NewWorktree { run: key, key, base: None, branch: None, start: None, tree: None })
            .await
            .unwrap()
    }

    fn hook(&self, name: &str, script: &str) {
        let path = self.dir.path().join("user/.git/hooks").join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

impl Repository {
    pub(crate) async fn commit_all(
        &self,
        worktree: &Worktree,
        message: &str,
        marker: &str,
    ) -> Result<CommitOutcome, GitError> {
        self.commit_without(worktree, NewCommit { message, marker, trailers: &[] }, &[]).await
    }
}

pub(crate) fn git(dir: &std::path::Path, args: &[&str]) -> String {
    let output = Command::new("git").args(args).current_dir(dir).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[tokio::test]
async fn a_commit_holds_everything_and_is_made_once() {
    let world = World::new().await;
    let tree = world.worktree("one").await;
    fs::write(tree.path.join("a"), "2\n").unwrap();
    fs::write(tree.path.join("-new file"), "n\n").unwrap();
    let first = world.repository.commit_all(&tree, "feat: two\n\nbecause", "run task 1").await.unwrap();
    let CommitOutcome::Made { commit, .. } = &first else { panic!("{first:?}") };
    assert_eq!(world.repository.commit_all(&tree, "again", "run task 1").await.unwrap(), first);
    assert_eq!(git(&tree.path, &["log", "--format=%an %s", "-1", commit]), "Sample feat: two");
    assert!(git(&tree.path, &["log", "--format=%b", "-1"]).contains("Amelia-Task: run task 1"));
    fs::write(tree.path.join("later"), "l\n").unwrap();
    let second = world.repository.commit_all(&tree, "later", "run task 11").await.unwrap();
    assert!(matches!(second, CommitOutcome::Made { .. }));
    let third = world.repository.commit_all(&tree, "nothing", "run task 3").await.unwrap();
    assert_eq!(third, CommitOutcome::Nothing);
    assert_eq!(git(&tree.path, &["rev-list", "--count", "main..HEAD"]), "2");
}

#[tokio::test]
async fn a_hook_that_refuses_is_heard_and_nothing_is_lost() {
    let world = World::new().await;
    let tree = world.worktree("one").await;
    world.hook("pre-commit", "echo 'no tabs please'; exit 1");
    fs::write(tree.path.join("b"), "b\n").unwrap();
    let refused = world.repository.commit_all(&tree, "b", "m").await.unwrap();
    assert_eq!(
        refused,
        CommitOutcome::Refused { output: "no tabs please".to_owned(), by: CommitBlocker::Hook }
    );
    assert_eq!(fs::read_to_string(tree.path.join("b")).unwrap(), "b\n");
    world.hook("pre-commit", "exit 0");
    assert!(matches!(
        world.repository.commit_all(&tree, "b", "m").await.unwrap(),
        CommitOutcome::Made { .. }
    ));
}

#[tokio::test]
async fn a_branch_is_pushed_to_the_remote_of_the_repository() {
    let world = World::new().await;
    let tree = world.worktree("one").await;
    assert!(world.repository.push(&tree).await.unwrap_err().to_string().contains("no remote"));
    let remote = world.dir.path().join("remote.git");
    git(world.dir.path(), &["init", "-q", "--bare", "remote.git"]);
    git(world.repository.root(), &["remote", "add", "origin", remote.to_str().unwrap()]);
    fs::write(tree.path.join("b"), "b\n").unwrap();
    world.repository.commit_all(&tree, "b", "m").await.unwrap();
    let pushed = world.repository.push(&tree).await.unwrap();
    assert_eq!(git(&remote, &["rev-parse", &pushed.branch]), pushed.commit);
    assert_eq!(world.repository.push(&tree).await.unwrap(), pushed);
}

#[tokio::test]
async fn a_hook_may_print_more_than_anybody_keeps() {
    let world = World::new().await;
    let tree = world.worktree("one").await;
    world.hook("pre-commit", "head -c 1000000 /dev/zero | tr '\\0' x >&2");
    fs::write(tree.path.join("a"), "2\n").unwrap();
    let done = world.repository.commit_all(&tree, "two", "run task 1").await.unwrap();
    assert!(matches!(done, CommitOutcome::Made { .. }), "{done:?}");
}

#[tokio::test]
async fn a_commit_that_is_given_up_ends_its_hook_and_leaves_no_lock() {
    let world = World::new().await;
    let tree = world.worktree("one").await;
    let flag = world.dir.path().join("flag");
    world.hook("pre-commit", &format!("echo $$ > {0}.new; mv {0}.new {0}; sleep 1000", flag.display()));
    fs::write(tree.path.join("a"), "2\n").unwrap();
    let begun = async {
        while !flag.exists() {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        done = world.repository.commit_all(&tree, "two", "run task 1") => panic!("{done:?}"),
        () = begun => {}
    }
    world.hook("pre-commit", "exit 0");
    let done = world.repository.commit_all(&tree, "two", "run task 1").await.unwrap();
    assert!(matches!(done, CommitOutcome::Made { .. }), "{done:?}");
    // Killed, and collected by whoever adopted it.
    let hook = fs::read_to_string(&flag).unwrap();
    let stat = fs::read_to_string(format!("/proc/{}/stat", hook.trim())).unwrap_or_default();
    assert!(stat.is_empty() || stat.contains(") Z "), "{stat}");
}

#[tokio::test]
async fn a_lock_that_a_killed_git_left_is_removed_and_an_older_one_is_not() {
    let world = World::new().await;
    let tree = world.worktree("one").await;
    fs::write(tree.path.join("a"), "2\n").unwrap();
    let git_dir = world.dir.path().join("user/.git/worktrees/one");
    // What is there when everything was killed in the middle of a commit.
    fs::write(git_dir.join("amelia-lock"), "at work\n").unwrap();
    fs::write(git_dir.join("index.lock"), "").unwrap();
    let done = world.repository.commit_all(&tree, "two", "run task 1").await.unwrap();
    assert!(matches!(done, CommitOutcome::Made { .. }), "{done:?}");
    assert_eq!(fs::read_to_string(git_dir.join("amelia-lock")).unwrap(), "");

    fs::write(git_dir.join("index.lock"), "").unwrap();
    fs::write(tree.path.join("a"), "3\n").unwrap();
    let refused = world.repository.commit_all(&tree, "three", "run task 2").await.unwrap_err();
    assert!(refused.to_string().contains("index.lock"), "{refused}");
}

#[tokio::test]
async fn variables_that_a_hook_has_set_do_not_lead_into_its_repository() {
    let world = World::new().await;
    let other = tempfile::tempdir().unwrap();
    git(other.path(), &["init", "-q"]);
    let path = |name: &str| other.path().join(name).into_os_string();
    let set = [
        ("GIT_DIR", path(".git")),
        ("GIT_WORK_TREE", path("")),
        ("GIT_INDEX_FILE", path(".git/index")),
        ("GIT_OBJECT_DIRECTORY", path(".git/objects")),
        ("GIT_CONFIG_COUNT", "1".into()),
        ("GIT_CONFIG_PARAMETERS", "nonsense".into()),
        ("PATH", std::env::var_os("PATH").unwrap()),
    ];
    let vars = set.map(|(name, value)| (name.into(), value));
    let repository = Repository::open(world.dir.path().join("user"), Arc::from(vars)).await.unwrap();
    let tree = world.worktree("one").await;
    fs::write(tree.path.join("a"), "2\n").unwrap();
    let done = repository.commit_all(&tree, "two", "run task 1").await.unwrap();
    assert!(matches!(done, CommitOutcome::Made { .. }), "{done:?}");
    assert!(!other.path().join(".git/index").exists());
    assert_eq!(repository.diff(&tree, 1000).await.unwrap().text.lines().last(), Some("+2"));
}

#[tokio::test]
async fn a_signature_that_fails_is_not_blamed_on_a_hook() {
    let world = World::new().await;
    let tree = world.worktree("one").await;
    git(&tree.path, &["config", "commit.gpgSign", "true"]);
    git(&tree.path, &["config", "gpg.program", "false"]);
    fs::write(tree.path.join("b"), "b\n").unwrap();
    let refused = world.repository.commit_all(&tree, "b", "m").await.unwrap();
    assert!(matches!(refused, CommitOutcome::Refused { by: CommitBlocker::Signature, .. }), "{refused:?}");
}

#[tokio::test]
async fn a_repository_inside_the_work_is_refused_and_a_submodule_is_not() {
    let world = World::new().await;
    let tree = world.worktree("one").await;
    let inner = tree.path.join("vendor/inner");
    let refused =
        || CommitOutcome::Refused { output: "vendor/inner".to_owned(), by: CommitBlocker::InnerRepository };
    fs::create_dir_all(&inner).unwrap();
    // Without a commit, with one, and added by the agent itself.
    git(&inner, &["init", "-q"]);
    fs::write(inner.join("f"), "1").unwrap();
    assert_eq!(world.repository.commit_all(&tree, "b", "m").await.unwrap(), refused());
    git(&inner, &["add", "f"]);
    git(&inner, &["-c", "user.name=x", "-c", "user.email=x@x.test", "commit", "-qm", "x"]);
    assert_eq!(world.repository.commit_all(&tree, "b", "m").await.unwrap(), refused());
    git(&tree.path, &["-c", "advice.addEmbeddedRepo=false", "add", "vendor"]);
    assert_eq!(world.repository.commit_all(&tree, "b", "m").await.unwrap(), refused());
    // As the Developer is told to do; the link that was added by hand is forgotten.
    fs::remove_dir_all(inner.join(".git")).unwrap();
    let made = world.repository.commit_all(&tree, "b", "m").await.unwrap();
    assert!(matches!(made, CommitOutcome::Made { .. }), "{made:?}");
    assert_eq!(git(&tree.path, &["ls-tree", "-r", "--name-only", "HEAD"]), "a\nvendor/inner/f");

    let library = world.repository.root().to_str().unwrap();
    git(&tree.path, &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "lib"]);
    let made = world.repository.commit_all(&tree, "lib", "m2").await.unwrap();
    assert!(matches!(made, CommitOutcome::Made { .. }), "{made:?}");
}

#[tokio::test]
async fn an_identity_is_missed_before_there_is_anything_to_commit() {
    let world = World::new().await;
    let tree = world.worktree("one").await;
    world.repository.check_identity(&tree).await.unwrap();
    git(&tree.path, &["config", "--unset", "user.name"]);
    git(&tree.path, &["config", "user.useConfigOnly", "true"]);
    let vars = [
        ("PATH".into(), std::env::var_os("PATH").unwrap()),
        ("GIT_CONFIG_GLOBAL".into(), "/dev/null".into()),
    ];
    let repository = Repository::open(world.repository.root(), Arc::from(vars)).await.unwrap();
    let missed = repository.check_identity(&tree).await.unwrap_err();
    assert!(matches!(missed, GitError::NoIdentity), "{missed}");
}

#[tokio::test]
async fn files_that_are_left_out_stay_as_they_are() {
    let world = World::new().await;
    let tree = world.worktree("one").await;
    for name in ["a", "own [1]", "staged", "ours"] {
        fs::write(tree.path.join(name), "2\n").unwrap();
    }
    git(&tree.path, &["add", "staged"]);
    let found = world.repository.contents(&tree).await.unwrap();
    assert_eq!(found.keys().collect::<Vec<_>>(), ["a", "ours", "own [1]", "staged"]);
    assert_eq!(found["a"], git(&tree.path, &["hash-object", "a"]));
    let without = ["a", "own [1]", "staged"].map(str::to_owned);
    let done = world
        .repository
        .commit_without(&tree, NewCommit { message: "ours", marker: "m", trailers: &[] }, &without)
        .await
        .unwrap();
    assert!(matches!(done, CommitOutcome::Made { .. }), "{done:?}");
    assert_eq!(git(&tree.path, &["show", "--name-only", "--format=", "HEAD"]), "ours");
    assert_eq!(fs::read_to_string(tree.path.join("staged")).unwrap(), "2\n");
    fs::remove_file(tree.path.join("a")).unwrap();
    assert_eq!(world.repository.contents(&tree).await.unwrap()["a"], "");
}

#[tokio::test]
async fn edits_inside_a_submodule_are_refused_and_a_commit_that_only_it_has_is_named() {
    let world = World::new().await;
    let tree = world.worktree("one").await;
    let library = world.repository.root().to_str().unwrap();
    git(&tree.path, &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "lib"]);
    assert!(matches!(
        world.repository.commit_all(&tree, "lib", "m").await.unwrap(),
        CommitOutcome::Made { .. }
    ));
    assert_eq!(world.repository.unpublished(&tree).await.unwrap(), [] as [String; 0]);
    let inside = tree.path.join("lib");
    let refused = || CommitOutcome::Refused { output: "lib".to_owned(), by: CommitBlocker::Submodule };
    for file in ["a", "new"] {
        fs::write(inside.join(file), "2\n").unwrap();
        assert_eq!(world.repository.commit_all(&tree, "b", "m2").await.unwrap(), refused(), "{file}");
        let without = ["lib".to_owned()];
        let done = world
            .repository
            .commit_without(&tree, NewCommit { message: "b", marker: "m2", trailers: &[] }, &without)
            .await
            .unwrap();
        assert_eq!(done, CommitOutcome::Nothing, "left out on purpose");
        git(&inside, &["add", "-A"]);
        git(&inside, &["-c", "user.name=x", "-c", "user.email=x@x.test", "commit", "-qm", file]);
    }
    assert!(matches!(
        world.repository.commit_all(&tree, "b", "m2").await.unwrap(),
        CommitOutcome::Made { .. }
    ));
    let commit = git(&inside, &["rev-parse", "HEAD"]);
    assert_eq!(world.repository.unpublished(&tree).await.unwrap(), [format!("lib at {commit}")]);
    git(&inside, &["push", "-q", "origin", "HEAD:refs/heads/published"]);
    assert_eq!(world.repository.unpublished(&tree).await.unwrap(), [] as [String; 0]);
}

#[tokio::test]
async fn commits_that_an_agent_made_itself_are_told_from_ours() {
    let world = World::new().await;
    let tree = world.worktree("one").await;
    let own = |since: &str| {
        let (repository, tree, since) = (world.repository.clone(), tree.clone(), since.to_owned());
        async move {
            let found = repository.own_commits(&tree, &since).await.unwrap();
            found.into_iter().map(|made| made.subject).collect::<Vec<_>>()
        }
    };
    for (number, subject) in ["its first", "its: second"].into_iter().enumerate() {
        fs::write(tree.path.join("a"), number.to_string()).unwrap();
        git(&tree.path, &["commit", "-qam", subject]);
    }
    fs::write(tree.path.join("a"), "ours").unwrap();
    let made = world.repository.commit_all(&tree, "ours", "m").await.unwrap();
    let CommitOutcome::Made { commit, .. } = made else { panic!("{made:?}") };
    assert_eq!(own(&tree.base_commit).await, ["its first", "its: second"]);
    assert_eq!(own(&commit).await, [] as [String; 0]);
}
