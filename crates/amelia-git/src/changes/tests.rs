//! Against real git, and against one that meets files which come and go.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::Arc;

use super::*;
use crate::commits::tests::{World, git};
use crate::git::Vars;
use crate::repository::InPlace;

impl World {
    fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// The same repository with a `git` that does `first` before the real one has its turn.
    async fn with_git(&self, first: &str) -> Repository {
        self.script("bin/git", &format!("{first}\nPATH=${{PATH#*:}} exec git \"$@\""));
        let mut path = self.dir.path().join("bin").into_os_string();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap());
        Repository::open(self.dir.path().join("user"), Arc::from([("PATH".into(), path)])).await.unwrap()
    }
}

fn vars() -> Vars {
    Arc::from([("PATH".into(), std::env::var_os("PATH").unwrap())])
}

#[tokio::test]
async fn a_file_that_goes_away_meanwhile_does_not_fail_the_diff() {
    let world = World::new().await;
    let tree = world.worktree("one").await;
    fs::write(tree.path.join("a"), "2\n").unwrap();
    let names = |files: Vec<FileChange>| files.into_iter().map(|file| file.path).collect::<Vec<_>>();

    fs::write(tree.path.join("stays"), "s\n").unwrap();
    fs::write(tree.path.join("goes"), "g\n").unwrap();
    let repository = world.with_git("case \" $* \" in *' add '*) rm -f goes;; esac").await;
    assert_eq!(names(repository.diff_stat(&tree).await.unwrap()), ["a", "stays"]);

    let once = "case \" $* \" in *' diff '*) mkdir ../seen 2>/dev/null && echo 'fatal: cannot hash x' >&2 && exit 128;; esac";
    let repository = world.with_git(once).await;
    assert_eq!(names(repository.diff_stat(&tree).await.unwrap()), ["a", "stays"]);
    let always = "case \" $* \" in *' diff '*) echo 'fatal: cannot hash x' >&2; exit 128;; esac";
    let repository = world.with_git(always).await;
    assert!(repository.diff(&tree, 100).await.unwrap_err().to_string().contains("cannot hash x"));
}

#[tokio::test]
async fn a_diff_is_the_same_whatever_the_user_has_set() {
    let world = World::new().await;
    let tree = world.worktree("one").await;
    fs::write(tree.path.join("a"), "2\n").unwrap();
    fs::write(tree.path.join("new"), "n\n").unwrap();
    let plain = world.repository.diff(&tree, 10_000).await.unwrap();
    assert!(plain.text.starts_with("diff --git a/a b/a\n"), "{}", plain.text);
    let evil = world.script("evil", "echo evil");
    for (key, value) in [
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.srcPrefix", "x/"),
        ("diff.context", "0"),
        ("diff.external", evil.to_str().unwrap()),
        ("diff.orderFile", "nowhere"),
        ("color.ui", "always"),
        ("color.diff", "always"),
    ] {
        git(&tree.path, &["config", key, value]);
        assert_eq!(world.repository.diff(&tree, 10_000).await.unwrap(), plain, "{key}");
        git(&tree.path, &["config", "--unset", key]);
    }
}

/// Everything that a repository can have git run while somebody looks: each leaves a file.
#[tokio::test]
async fn looking_runs_nothing_of_the_repository() {
    let world = World::new().await;
    let user = world.dir.path().join("user");
    let evil = world.script("evil", &format!("touch {}/ran; cat 2>/dev/null", world.dir.path().display()));
    let ran = || world.dir.path().join("ran").exists();
    let evil = evil.to_str().unwrap();
    let nested = user.join("sub");
    fs::create_dir(&nested).unwrap();
    git(&nested, &["init", "-q"]);
    fs::write(nested.join("f"), "1").unwrap();
    git(&nested, &["add", "f"]);
    git(&nested, &["-c", "user.name=x", "-c", "user.email=x@x.test", "commit", "-qm", "x"]);
    git(&user, &["-c", "advice.addEmbeddedRepo=false", "add", "sub"]);
    fs::write(user.join(".gitattributes"), "* filter=evil diff=evil\n").unwrap();
    git(&user, &["add", "-A"]);
    git(&user, &["commit", "-qm", "attributes"]);
    for key in [
        "filter.evil.clean",
        "filter.evil.process",
        "diff.evil.textconv",
        "diff.evil.command",
        "core.fsmonitor",
    ] {
        git(&user, &["config", key, evil]);
    }
    git(&nested, &["config", "core.fsmonitor", evil]);
    fs::copy(evil, user.join(".git/hooks/post-index-change")).unwrap();
    fs::write(user.join("a"), "2\n").unwrap();
    fs::write(user.join("new"), "n\n").unwrap();
    fs::write(nested.join("f"), "2").unwrap();

    let looked = Repository::look(&user, vars()).await.unwrap();
    let place = looked.in_place(InPlace::AsItIs).await.unwrap();
    assert!(looked.in_place(InPlace::Clean).await.is_err());
    let diff = looked.diff(&place, 10_000).await.unwrap();
    assert!(diff.text.contains("+2") && diff.text.contains("+n"), "{}", diff.text);
    assert_eq!(looked.diff_stat(&place).await.unwrap().len(), 2);
    assert!(!ran());
    // All of this would run.
    world.repository.in_place(InPlace::Clean).await.unwrap_err();
    assert!(ran());
}
