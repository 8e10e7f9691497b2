use crate::crew::{ARCHITECT, CHECKED, CONTENT, DEVELOPER, commits, logs, start, world};
use crate::world::text;

#[test]
fn an_issue_becomes_one_commit_per_task_and_the_last_task_is_committed() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], CHECKED);
    let before = (
        world.git(&["status", "--porcelain"]),
        world.git(&["rev-parse", "HEAD"]),
        world.git(&["branch", "--show-current"]),
    );
    let output = start(&world, &["--auto"]);
    assert!(output.status.success(), "{}\n{}", text(&output.stdout), text(&output.stderr));
    assert_eq!(commits(&world), ["feat(S-1): Add instead of subtract", "docs: say how it is used"]);
    let author = world.git(&["log", "-1", "--format=%an <%ae>", "amelia/s-1"]);
    assert_eq!(author.trim(), "Sample <sample@example.org>", "the user's own identity");
    let tree = world.git(&["status", "--porcelain"]);
    let after = (tree, world.git(&["rev-parse", "HEAD"]), world.git(&["branch", "--show-current"]));
    assert_eq!(after, before, "work_does_not_happen_on_the_users_branch");
    let files = world.git(&["ls-tree", "-r", "--name-only", "amelia/s-1"]);
    assert!(files.contains("README.md") && files.contains("docs/plans/"), "{files}");
}

#[test]
fn the_demo_runs_the_main_job_and_ends_with_a_reviewed_commit() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_amelia"))
        .args(["demo", "--auto", "--home"])
        .arg(&home)
        .env_remove("AMELIA_HOME")
        .output()
        .unwrap();
    let shown = text(&output.stdout);
    assert!(output.status.success(), "{shown}\n{}", text(&output.stderr));
    assert!(shown.contains("expected 5 and got -1"), "{shown}");
    assert!(shown.contains("review round 1: changes wanted, 1 comments"), "{shown}");
    assert!(shown.contains("review round 2: approved"), "{shown}");
    assert!(
        shown.contains("fix: add instead of subtract") && shown.ends_with("$ ./test.sh\n  ok\n"),
        "{shown}"
    );
    assert_eq!(shown.matches("this is a scripted model").count(), 1, "{shown}");
}

#[test]
fn a_hook_that_refuses_the_commit_is_a_question_and_loses_nothing() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    let hook = world.repository().join(".git/hooks/pre-commit");
    std::fs::write(&hook, "#!/bin/sh\necho 'sign it first'\nexit 1\n").unwrap();
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    let output = start(&world, &["--auto"]);
    assert_eq!(output.status.code(), Some(6), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("sign it first"), "{}", text(&output.stderr));
    std::fs::remove_file(&hook).unwrap();
    let output = world.amelia(&["resume", &world.run_id(), "--approve"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(commits(&world).len(), 2);
}

#[test]
fn a_task_that_changes_nothing_has_no_commit_and_says_so() {
    let idle = r#####"
  - when: { model: developer, turn: 0 }
    reply: { text: There is nothing to do. }
"#####;
    let world = world(&[ARCHITECT, idle, CONTENT], "plan_path_pattern: runs.log");
    let output = start(&world, &["--auto"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(logs(&world).contains("task 1 changed nothing"), "{}", logs(&world));
    assert_eq!(commits(&world), Vec::<String>::new());
}
