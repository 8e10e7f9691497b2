//! Against real git, in repositories of every shape.

mod making;
mod nested;
mod removing;
mod repositories;

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::process::Command;
use std::time::Duration;

use amelia_core::workplace::{FileChange, UncommittedWork};
use tempfile::TempDir;

use super::*;
use crate::disk::disk_use;
use crate::repository::{InPlace, Vars};

struct Place {
    dir: TempDir,
}

impl Place {
    fn empty() -> Self {
        let place = Self { dir: tempfile::tempdir().unwrap() };
        place.git(".", &["init", "-q", "user"]);
        place
    }

    /// A repository that is in use: one commit, something staged, changed, new and ignored.
    fn in_use() -> Self {
        let place = Self::empty();
        place.write("user/a", "1\n");
        place.write("user/-rf", "x\n");
        place.write("user/.gitignore", ".env*\nbuild/\n");
        place.commit("First");
        place.write("user/staged", "s\n");
        place.git("user", &["add", "staged"]);
        place.write("user/a", "changed\n");
        place.write("user/new file", "n\n");
        place.write("user/.env", "SECRET=1\n");
        place.write("user/sub/.env.local", "2\n");
        place
    }

    fn clean() -> Self {
        let place = Self::empty();
        place.write("user/a", "1\n");
        place.commit("First");
        place
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    fn commit(&self, message: &str) {
        self.git("user", &["add", "-A"]);
        self.git("user", &["commit", "-qm", message]);
    }

    fn git(&self, dir: &str, args: &[&str]) -> String {
        let output = Command::new("git")
            .args(args)
            .current_dir(self.path(dir))
            .envs(vars().iter().cloned())
            .output()
            .unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    async fn repository(&self) -> Repository {
        Repository::open(self.path("user"), vars()).await.unwrap()
    }

    async fn worktrees(&self) -> Worktrees {
        Worktrees::new(self.repository().await, self.path("trees")).unwrap()
    }

    /// Everything of the user's that must not change.
    fn state(&self) -> (String, String, Vec<u8>, String) {
        let index = fs::read(self.path("user/.git/index")).unwrap_or_default();
        let status = self.git("user", &["--no-optional-locks", "status", "--porcelain", "--ignored"]);
        let head = fs::read_to_string(self.path("user/.git/HEAD")).unwrap();
        (head, status, index, self.git("user", &["stash", "list"]))
    }
}

fn vars() -> Vars {
    let path = std::env::var_os("PATH").unwrap();
    let fixed = [
        ("GIT_AUTHOR_NAME", "t"),
        ("GIT_AUTHOR_EMAIL", "t@example.com"),
        ("GIT_COMMITTER_NAME", "t"),
        ("GIT_COMMITTER_EMAIL", "t@example.com"),
        ("GIT_CONFIG_GLOBAL", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/gitconfig")),
    ];
    fixed
        .into_iter()
        .map(|(name, value)| (name.into(), value.into()))
        .chain([("PATH".into(), path)])
        .collect()
}

fn new<'a>(run: &'a str, key: &'a str) -> NewWorktree<'a> {
    NewWorktree { run, key, base: None, branch: None, start: None, tree: None }
}

#[test]
fn git_says_which_worktree_has_a_branch() {
    let expected = Some(("amelia/x".to_owned(), PathBuf::from("/old home/w")));
    for message in [
        "fatal: 'amelia/x' is already used by worktree at '/old home/w'",
        "Preparing worktree\nfatal: 'amelia/x' is already checked out at '/old home/w'",
    ] {
        assert_eq!(branch_in_use(message), expected, "{message}");
    }
    assert_eq!(branch_in_use("fatal: invalid reference: amelia/x"), None);
}
