//! Against real git, in repositories of every shape.

mod nested;

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;

use super::*;
use crate::changes::{FileChange, LineCount};
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
    let change = |path: &str, lines: Option<(u64, u64)>| FileChange {
        path: path.to_owned(),
        lines: lines.map(|(added, removed)| LineCount { added, removed }),
    };
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

    let refused = trees.remove(&tree, Force::Never).await.unwrap_err();
    assert!(matches!(&refused, SandboxError::Dirty { files, .. } if files.len() == 2), "{refused}");
    assert!(tree.path.exists());
    trees.remove(&tree, Force::Discard).await.unwrap();
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
    assert!(matches!(unknown, SandboxError::UnknownCommit { .. }), "{unknown}");
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
        assert!(matches!(trees.create(new("1", "X")).await, Err(SandboxError::Broken { .. })), "{number}");
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
    assert!(matches!(trees.create(new("stray", "X")).await, Err(SandboxError::InTheWay { .. })));
    assert!(place.path("trees/stray/work").exists());
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
async fn a_commit_that_nothing_holds_is_not_lost() {
    let place = Place::clean();
    let trees = place.worktrees().await;
    let tree = trees.create(new("1", "X")).await.unwrap();
    place.git("trees/1", &["checkout", "-q", "--detach"]);
    place.git("trees/1", &["commit", "-q", "--allow-empty", "-m", "Alone"]);
    assert!(matches!(trees.remove(&tree, Force::Never).await, Err(SandboxError::Unreachable { .. })));
    place.git("trees/1", &["branch", "held"]);
    trees.remove(&tree, Force::Never).await.unwrap();
}

#[tokio::test]
async fn repositories_that_cannot_be_used_say_why() {
    let place = Place::empty();
    place.git(".", &["init", "-q", "--bare", "bare"]);
    fs::create_dir(place.path("plain")).unwrap();
    let error = async |dir: &str| Repository::open(place.path(dir), vars()).await.unwrap_err().to_string();
    assert!(error("plain").await.contains("is not in a git repository"));
    assert!(error("bare").await.contains("is a bare repository"));
    assert!(error("nowhere").await.contains("does not exist"));
    let no_git: Vars = [("PATH".into(), "/nowhere".into())].into();
    assert!(matches!(Repository::open(place.path("user"), no_git).await, Err(SandboxError::GitMissing)));
    let trees = place.worktrees().await;
    assert!(matches!(trees.create(new("1", "X")).await, Err(SandboxError::NoCommits { .. })));
    let inside = Worktrees::new(place.repository().await, place.path("user/trees"));
    assert!(matches!(inside, Err(SandboxError::InTheWay { .. })));
}

#[tokio::test]
async fn a_detached_head_and_a_directory_below_the_top_are_fine() {
    let place = Place::clean();
    place.write("user/deep/er/file", "x");
    place.commit("Deep");
    place.git("user", &["checkout", "-q", "--detach"]);
    let repository = Repository::open(place.path("user/deep/er"), vars()).await.unwrap();
    assert_eq!(repository.root(), place.path("user").canonicalize().unwrap());
    assert_eq!(repository.in_place(InPlace::Clean).await.unwrap().branch, None);
    let tree = place.worktrees().await.create(new("1", "X")).await.unwrap();
    assert!(tree.path.join("deep/er/file").exists());
}

#[tokio::test]
async fn in_place_work_needs_a_clean_tree_unless_asked_otherwise() {
    let place = Place::in_use();
    let before = place.state();
    let repository = place.repository().await;
    let refused = repository.in_place(InPlace::Clean).await.unwrap_err().to_string();
    assert!(refused.ends_with("has changes that are not committed: `a`, `staged`, `new file`"), "{refused}");
    let tree = repository.in_place(InPlace::AsItIs).await.unwrap();
    assert_eq!(tree.branch.as_deref(), Some("main"));
    let paths: Vec<String> =
        repository.diff_stat(&tree).await.unwrap().into_iter().map(|change| change.path).collect();
    assert_eq!(paths, ["a", "new file", "staged"]);
    assert_eq!(place.state(), before);
}

#[tokio::test]
async fn submodules_odd_names_nested_repositories_and_filters_are_left_intact() {
    let place = Place::clean();
    place.git(".", &["init", "-q", "library"]);
    place.write("library/lib", "l");
    place.git("library", &["add", "-A"]);
    place.git("library", &["commit", "-qm", "Library"]);
    place.git("user", &["submodule", "--quiet", "add", "../library", "mod"]);
    place.write("user/.gitattributes", "*.big filter=lfs diff=lfs merge=lfs -text\n");
    place.git("user", &["config", "filter.lfs.clean", "sed s/content/pointer/"]);
    place.git("user", &["config", "filter.lfs.smudge", "sed s/pointer/content/"]);
    place.write("user/x.big", "content\n");
    fs::write(place.path("user").join(std::ffi::OsStr::from_bytes(b"odd\n\xff name")), "o").unwrap();
    place.commit("Odd");
    let (trees, repository) = (place.worktrees().await, place.repository().await);
    let tree = trees.create(new("1", "X")).await.unwrap();
    assert_eq!(fs::read_to_string(tree.path.join("x.big")).unwrap(), "content\n");
    assert_eq!(fs::read_dir(tree.path.join("mod")).unwrap().count(), 0);
    assert!(tree.path.join(std::ffi::OsStr::from_bytes(b"odd\n\xff name")).exists());
    assert_eq!(repository.diff_stat(&tree).await.unwrap(), []);
    repository.submodules(&tree).await.unwrap();
    assert_eq!(fs::read_to_string(tree.path.join("mod/lib")).unwrap(), "l");
    place.git("trees/1", &["init", "-q", "nested"]);
    assert_eq!(repository.diff_stat(&tree).await.unwrap(), []);
    fs::remove_dir_all(tree.path.join("nested")).unwrap();
    fs::write(tree.path.join("mod/lib"), "work").unwrap();
    assert!(matches!(trees.remove(&tree, Force::Never).await, Err(SandboxError::Dirty { .. })));
    fs::write(tree.path.join("mod/lib"), "l").unwrap();
    trees.remove(&tree, Force::Never).await.unwrap();
    assert_eq!(fs::read_to_string(place.path("user/mod/lib")).unwrap(), "l");
}

#[tokio::test]
async fn a_repository_may_be_where_no_text_leads() {
    let place = Place::clean();
    let odd = place.dir.path().join(std::ffi::OsStr::from_bytes(b"no \xff text\n"));
    fs::rename(place.path("user"), &odd).unwrap();
    let repository = Repository::open(&odd, vars()).await.unwrap();
    assert_eq!(repository.root(), odd.canonicalize().unwrap());
    let trees = Worktrees::new(repository.clone(), place.path("trees")).unwrap();
    let tree = trees.create(new("1", "X")).await.unwrap();
    assert_eq!(trees.create(new("1", "X")).await.unwrap(), tree);
    fs::write(tree.path.join("a"), "2\n").unwrap();
    let lines = Some(LineCount { added: 1, removed: 1 });
    assert_eq!(repository.diff_stat(&tree).await.unwrap(), [FileChange { path: "a".to_owned(), lines }]);
    trees.remove(&tree, Force::Discard).await.unwrap();
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
    assert!(failed.to_string().contains("no end after"), "{failed}");
}

#[tokio::test]
async fn a_branch_in_the_way_and_a_worktree_directory_that_cannot_be_made() {
    let place = Place::clean();
    place.git("user", &["branch", "amelia"]);
    let tree = place.worktrees().await.create(new("1", "X")).await.unwrap();
    assert_eq!(tree.branch.as_deref(), Some("amelia-X"));
    place.write("file", "");
    let trees = Worktrees::new(place.repository().await, place.path("file/trees")).unwrap();
    assert!(matches!(trees.create(new("1", "X")).await, Err(SandboxError::Io { .. })));
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
    assert!(trees.remove_with_empty_branch(&empty, Force::Never).await.unwrap());
    assert!(!empty.path.exists() && branches().is_empty());

    let worked = trees.create(new("2", "worked")).await.unwrap();
    place.git("trees/2", &["commit", "-q", "--allow-empty", "-m", "Work"]);
    assert!(!trees.remove_with_empty_branch(&worked, Force::Never).await.unwrap());
    assert_eq!((worked.path.exists(), branches().trim()), (false, "amelia/worked"));

    let dirty = trees.create(new("3", "dirty")).await.unwrap();
    place.write("trees/3/new", "n");
    assert!(matches!(trees.check_removable(&dirty).await, Err(SandboxError::Dirty { .. })));
    let refused = trees.remove_with_empty_branch(&dirty, Force::Never).await;
    assert!(matches!(refused, Err(SandboxError::Dirty { .. })));
    assert!(dirty.path.join("new").exists() && branches().contains("amelia/dirty"));

    let taken = trees.create(new("4", "taken")).await.unwrap();
    place.git("trees/4", &["checkout", "-q", "--detach"]);
    place.git("user", &["checkout", "-q", "amelia/taken"]);
    assert!(!trees.remove_with_empty_branch(&taken, Force::Never).await.unwrap(), "somebody is on it");
    assert!(branches().contains("amelia/taken"));
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
            _ => trees.remove(&tree, Force::Never).await.unwrap(),
        }
        assert!(trees.was_made("run") && trees.find("run").await.unwrap().is_none());
        assert_eq!(trees.restore(new("run", "PROJ-1")).await.unwrap(), tree, "{how}");
        assert_eq!(fs::read_to_string(tree.path.join("a")).unwrap(), "2\n");
        assert!(!tree.is_prepared(), "what git ignores is gone");
    }
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
    let refused = trees.restore(base).await.unwrap_err();
    assert!(matches!(&refused, SandboxError::BadBranch { name, .. } if name == "mine"), "{refused}");
}

#[tokio::test]
async fn a_new_branch_is_neither_a_full_name_nor_beside_what_git_cannot_have_with_it() {
    let place = Place::clean();
    place.git("user", &["branch", "feat/x"]);
    let repository = place.repository().await;
    for (name, why) in [
        ("refs/heads/new", "hint: --branch new"),
        ("feat", "there is `feat/x`, and git cannot have both"),
        ("feat/x/y", "there is `feat/x`, and git cannot have both"),
        ("feat/x", "there is one already"),
    ] {
        let refused = repository.check_new_branch(name).await.unwrap_err().to_string();
        assert!(refused.contains(why), "{name}: {refused}");
    }
    for name in ["feat/y", "feature", "fea"] {
        repository.check_new_branch(name).await.unwrap();
    }
}
