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
        worktrees.create(NewWorktree { run: key, key, base: None, branch: None, start: None }).await.unwrap()
    }

    fn hook(&self, name: &str, script: &str) {
        let path = self.dir.path().join("user/.git/hooks").join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
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
    let Committed::Made { commit } = &first else { panic!("{first:?}") };
    assert_eq!(world.repository.commit_all(&tree, "again", "run task 1").await.unwrap(), first);
    assert_eq!(git(&tree.path, &["log", "--format=%an %s", "-1", commit]), "Sample feat: two");
    assert!(git(&tree.path, &["log", "--format=%b", "-1"]).contains("Amelia-Task: run task 1"));
    fs::write(tree.path.join("later"), "l\n").unwrap();
    let second = world.repository.commit_all(&tree, "later", "run task 11").await.unwrap();
    assert!(matches!(second, Committed::Made { .. }));
    let third = world.repository.commit_all(&tree, "nothing", "run task 3").await.unwrap();
    assert_eq!(third, Committed::Nothing);
    assert_eq!(git(&tree.path, &["rev-list", "--count", "main..HEAD"]), "2");
}

#[tokio::test]
async fn a_hook_that_refuses_is_heard_and_nothing_is_lost() {
    let world = World::new().await;
    let tree = world.worktree("one").await;
    world.hook("pre-commit", "echo 'no tabs please'; exit 1");
    fs::write(tree.path.join("b"), "b\n").unwrap();
    let refused = world.repository.commit_all(&tree, "b", "m").await.unwrap();
    assert_eq!(refused, Committed::Refused { output: "no tabs please".to_owned() });
    assert_eq!(fs::read_to_string(tree.path.join("b")).unwrap(), "b\n");
    world.hook("pre-commit", "exit 0");
    assert!(matches!(world.repository.commit_all(&tree, "b", "m").await.unwrap(), Committed::Made { .. }));
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
