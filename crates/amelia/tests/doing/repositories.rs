//! Repositories of every shape: the work is done, or refused with a reason before anything is changed.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Output};

use crate::world::{FIX, World, text};

/// `amelia do` in some directory.
fn done_in(world: &World, dir: &Path, more: &[&str]) -> Output {
    let arguments = world.doing("chat", more);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    world.command(&arguments).current_dir(dir).output().unwrap()
}

fn git(dir: &Path, arguments: &[&str]) {
    let fixed = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always"];
    let output = Command::new("git").args(fixed).args(arguments).current_dir(dir).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
}

/// A model that makes one call and is satisfied with whatever comes.
fn one_call(call: &str) -> String {
    format!(
        "rules: [{{ when: {{ turn: 0 }}, reply: {{ tool_calls: [{call}] }} }}, \
         {{ when: {{ turn: 1 }}, reply: {{ text: done }} }}]"
    )
}

#[test]
fn what_cannot_be_worked_in_is_refused_and_no_run_is_made() {
    let world = World::new(FIX);
    let outside = tempfile::tempdir().unwrap();
    let path = outside.path();
    git(path, &["init", "-q", "--bare", "bare"]);
    git(path, &["init", "-q", "empty"]);
    std::fs::create_dir(path.join("plain")).unwrap();
    std::fs::write(world.repository().join("new"), "x").unwrap();
    for (dir, more, expected) in [
        (path.join("plain"), &[][..], "is not in a git repository\n  hint: run `git init` there"),
        (path.join("bare"), &[], "is a bare repository\n  hint: clone it"),
        (path.join("empty"), &[], "has no commits\n  hint: create a first commit"),
        (path.join("empty"), &["--in-place"], "has no commits\n  hint: create a first commit"),
        (path.join("empty/.git"), &[], ""),
        (world.repository(), &["--in-place"], "has changes that are not committed: `new`"),
        (world.repository(), &["--base", "nowhere"], "there is no commit `nowhere`"),
        (world.repository(), &["--base=--help"], "there is no commit `--help`"),
    ] {
        let output = done_in(&world, &dir, more);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(5), "{} {more:?}: {message}", dir.display());
        assert!(message.starts_with("error: ") && message.contains(expected), "{}: {message}", dir.display());
    }
    assert_eq!(world.run(), None);
    assert_eq!(world.server.requests().len(), 0);
}

#[test]
fn a_detached_head_and_a_taken_branch_name_are_fine() {
    let world = World::new(FIX);
    world.git(&["branch", "amelia/make-the-failing-test-pass"]);
    world.git(&["checkout", "-q", "--detach"]);
    let output = world.run_do("chat", &[]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("amelia/make-the-failing-test-pass-2"));
    assert_eq!(world.git(&["rev-parse", "--abbrev-ref", "HEAD"]).trim(), "HEAD");
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_submodule_is_there_and_stays_as_it_was() {
    let world = World::new(FIX);
    let library = tempfile::tempdir().unwrap();
    git(library.path(), &["init", "-q"]);
    std::fs::write(library.path().join("lib"), "l").unwrap();
    git(library.path(), &["add", "-A"]);
    git(library.path(), &["commit", "-qm", "Library"]);
    let repository = world.repository();
    git(&repository, &["submodule", "--quiet", "add", library.path().to_str().unwrap(), "mod"]);
    git(&repository, &["commit", "-qm", "With a submodule"]);
    let output = world.run_do("chat", &[]);
    let shown = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(shown.contains("calc.sh +1 -1") && !shown.contains("mod +"), "{shown}");
    assert_eq!(std::fs::read_to_string(repository.join("mod/lib")).unwrap(), "l");
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}

#[test]
fn huge_and_binary_files_are_named_not_dumped() {
    let calls = [
        "{ name: shell, args: { command: \"yes 0123456789 | head -c 80000000 > huge.txt; head -c 3000 /dev/zero > zeros\" } }",
        "{ name: read_file, args: { path: huge.txt } }",
        "{ name: read_file, args: { path: zeros } }",
        "{ name: search, args: { pattern: '5678' } }",
        "{ name: git_diff, args: {} }",
        "{ name: edit_file, args: { path: zeros, edits: [{ old: a, new: b }] } }",
    ];
    let world = World::new(&one_call(&calls.join(", ")));
    let arguments = world.doing("chat", &[]);
    let ended = world.measured(&arguments);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.peak_megabytes < 400, "{} MB", ended.peak_megabytes);
    let told = world.told(1);
    assert!(told.iter().all(|result| result.len() < 64 * 1024), "{:?}", told.iter().map(String::len));
    assert!(told[2].contains("binary"), "{}", told[2]);
    assert!(told[5].contains("error: "), "{}", told[5]);
    let run = world.run_id();
    let stat = text(&world.amelia(&["diff", &run, "--stat"]).stdout);
    assert!(stat.contains("huge.txt +7272728 -0") && stat.contains("zeros binary"), "{stat}");
    let diff = world.amelia(&["diff", &run]);
    assert!(diff.stdout.len() <= 64 * 1024 * 1024);
    assert!(text(&diff.stderr).contains("the rest is omitted"), "{}", text(&diff.stderr));
}

#[test]
fn odd_names_are_worked_with_as_any_other() {
    let names = ["-rf", "a b.txt", "new\\nline", "-", "--help", "quo'te\\\"s", "日本"];
    let calls: Vec<String> = names
        .iter()
        .map(|name| format!("{{ name: write_file, args: {{ path: \"{name}\", content: \"x\\n\" }} }}"))
        .chain(names.iter().map(|name| {
            format!("{{ name: edit_file, args: {{ path: \"{name}\", edits: [{{ old: x, new: y }}] }} }}")
        }))
        .chain(names.iter().map(|name| format!("{{ name: read_file, args: {{ path: \"{name}\" }} }}")))
        .chain(
            ["{ name: list_files, args: {} }", "{ name: search, args: { pattern: y } }"].map(str::to_owned),
        )
        .collect();
    let world = World::new(&one_call(&calls.join(", ")));
    let before = world.repository().join(OsStr::from_bytes(b"not \xff text"));
    std::fs::write(before, "x").unwrap();
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "A name that is no text"]);
    let output = world.run_do("chat", &[]);
    let shown = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    for (number, result) in world.told(1).iter().enumerate() {
        assert!(!result.contains("error: "), "{number}: {result}");
    }
    for name in ["-rf", "a b.txt", "new\nline", "-", "--help", "quo'te\"s", "日本"] {
        assert_eq!(std::fs::read_to_string(world.worktree().join(name)).unwrap(), "y\n", "{name}");
    }
    assert!(shown.contains("  -rf +1 -0") && shown.contains("  日本 +1 -0"), "{shown}");
    assert!(world.worktree().join("calc.sh").exists());
}

#[test]
fn a_repository_and_a_home_may_be_anywhere() {
    let world = World::new(FIX);
    let outside = tempfile::tempdir().unwrap();
    let names = [&b"with space"[..], b"new\nline\n", b"-rf", "日本".as_bytes(), b"'\"$(x)", b"not \xff text"];
    for (number, name) in names.into_iter().enumerate() {
        let place = outside.path().join(OsStr::from_bytes(name));
        let home = outside.path().join(OsStr::from_bytes(&[b"home of ", name].concat()));
        let cloned = Command::new("git").args(["clone", "-q"]).arg(world.repository()).arg(&place).status();
        assert!(cloned.unwrap().success());
        for more in [&[][..], &["--in-place"]] {
            let arguments = world.doing("chat", more);
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let mut command = world.command(&arguments);
            let output = command.current_dir(&place).env("AMELIA_HOME", &home).output().unwrap();
            assert!(output.status.success(), "{number}: {}", text(&output.stderr));
            assert!(text(&output.stdout).contains("calc.sh +1 -1"), "{number}: {}", text(&output.stdout));
        }
    }
}

#[test]
fn work_is_kept_when_an_agent_breaks_its_own_worktree() {
    for broken in ["rm .git", "rm .git; git init -q", "rm $(git rev-parse --git-dir)/amelia"] {
        let world = World::new(&one_call(&format!(
            "{{ name: shell, args: {{ command: \"echo work > work; {broken}\" }} }}"
        )));
        let output = world.run_do("chat", &[]);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(5), "{broken}: {message}");
        assert!(message.contains("its files are kept"), "{broken}: {message}");
        assert_eq!(world.run().unwrap()["view"]["status"], "completed");
        assert_eq!(std::fs::read_to_string(world.worktree().join("work")).unwrap(), "work\n", "{broken}");
    }
}
