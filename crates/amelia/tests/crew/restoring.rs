//! Commits that a run has made and that its branch does not have any more: made again, or missed, never claimed.

use std::path::Path;

use crate::crew::{ARCHITECT, CONTENT, DEVELOPER, commits, logs, start, status, world};
use crate::parallel;
use crate::world::{World, text, until};

/// The Developer of the second task writes, then asks.
const ASKS: &str = r#####"
  - when: { model: developer, text: "### Task 2:", turn: 1 }
    reply: { tool_calls: [{ name: ask_human, args: { question: "Which colour?" } }] }
  - when: { model: developer, text: "### Task 2:", turn: 2 }
    reply: { text: It says so now. }
"#####;

/// A run that waits with its first task committed, and this commit.
fn waiting() -> (World, String) {
    let world = world(&[ARCHITECT, ASKS, DEVELOPER, CONTENT], "");
    let output = start(&world, &["--auto"]);
    assert_eq!(output.status.code(), Some(6), "{}", text(&output.stderr));
    let tip = tip(&world, "amelia/s-1");
    (world, tip)
}

fn tip(world: &World, name: &str) -> String {
    world.git(&["rev-parse", name]).trim().to_owned()
}

fn head(world: &World, worktree: &Path) -> String {
    world.git(&["-C", worktree.to_str().unwrap(), "rev-parse", "HEAD"]).trim().to_owned()
}

fn remove_branch(world: &World) {
    world.git(&["worktree", "prune"]);
    world.git(&["branch", "-q", "-D", "amelia/s-1"]);
}

#[test]
fn a_worktree_without_its_branch_is_made_anew_from_the_last_commit_of_the_run() {
    let (world, tip) = waiting();
    let worktree = world.worktree();
    std::fs::remove_dir_all(&worktree).unwrap();
    remove_branch(&world);
    let run = world.run_id();
    let gone = world.amelia(&["answer", &run, "--message", "green", "--follow"]);
    assert!(text(&gone.stderr).contains(&format!("worktree restore {run}")), "{}", text(&gone.stderr));
    let restored = world.amelia(&["worktree", "restore", &run]);
    assert!(restored.status.success(), "{}", text(&restored.stderr));
    assert!(text(&restored.stdout).contains("resume r1"), "{}", text(&restored.stdout));
    assert_eq!(head(&world, &worktree), tip);
    let done = world.amelia(&["resume", &run, "--follow"]);
    assert!(done.status.success(), "{}\n{}", text(&done.stderr), logs(&world));
    assert_eq!(commits(&world)[0], "feat(S-1): Add instead of subtract");
}

#[test]
fn a_completed_run_is_restored_with_its_commits_and_is_not_to_be_resumed() {
    for removal in [&["cleanup"][..], &["worktree", "remove"]] {
        let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
        assert!(start(&world, &["--auto"]).status.success());
        let (run, tip, worktree) = (world.run_id(), tip(&world, "amelia/s-1"), world.worktree());
        let named = if removal.len() > 1 { vec![run.as_str()] } else { Vec::new() };
        let removed = world.amelia(&[removal, &named].concat());
        assert!(removed.status.success() && !worktree.exists(), "{}", text(&removed.stderr));
        remove_branch(&world);
        let restored = world.amelia(&["worktree", "restore", &run]);
        assert!(restored.status.success(), "{}", text(&restored.stderr));
        assert!(!text(&restored.stdout).contains("resume"), "{}", text(&restored.stdout));
        assert_eq!(head(&world, &worktree), tip, "{removal:?}");
        assert_eq!(commits(&world).len(), 2);
    }
}

#[test]
fn a_branch_that_another_worktree_has_is_named_with_the_way_out() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    assert!(start(&world, &["--auto"]).status.success());
    let (run, saved) = (world.run_id(), world.home().join("../saved.tar.gz"));
    let other = world.home().join("../other");
    let (saved, other) = (saved.to_str().unwrap(), other.to_str().unwrap());
    assert!(world.amelia(&["backup", saved]).status.success());
    let in_other = |arguments: &[&str]| world.amelia(&[&["--home", other], arguments].concat());
    assert!(in_other(&["restore", saved]).status.success());
    let refused = in_other(&["worktree", "restore", &run]);
    assert_eq!(refused.status.code(), Some(5), "{}", text(&refused.stdout));
    let said = text(&refused.stderr);
    assert!(said.contains("`amelia/s-1` is checked out in another worktree"), "{said}");
    assert!(said.contains("git worktree remove"), "{said}");
    assert!(world.amelia(&["cleanup"]).status.success());
    let restored = in_other(&["worktree", "restore", &run]);
    assert!(restored.status.success(), "{}", text(&restored.stderr));
}

#[test]
fn commits_that_are_gone_for_good_are_named_and_no_worktree_begins_without_them() {
    let (world, tip) = waiting();
    let worktree = world.worktree();
    std::fs::remove_dir_all(&worktree).unwrap();
    remove_branch(&world);
    world.git(&["reflog", "expire", "--expire=now", "--all"]);
    world.git(&["gc", "-q", "--prune=now"]);
    let refused = world.amelia(&["worktree", "restore", &world.run_id()]);
    assert_eq!(refused.status.code(), Some(5), "{}", text(&refused.stdout));
    assert!(text(&refused.stderr).contains(&tip), "{}", text(&refused.stderr));
    assert!(!worktree.exists());
}

#[test]
fn a_commit_that_the_user_took_off_the_branch_is_missed_before_the_work_continues() {
    let (world, tip) = waiting();
    let worktree = world.worktree();
    let path = worktree.to_str().unwrap();
    world.git(&["-C", path, "reset", "-q", "--hard", "HEAD~1"]);
    let asked = world.server.requests().len();
    let missed = world.amelia(&["answer", &world.run_id(), "--message", "green", "--follow"]);
    assert_eq!(missed.status.code(), Some(1), "{}\n{}", text(&missed.stderr), logs(&world));
    let said = text(&missed.stderr);
    assert!(said.contains(&tip) && said.contains("is no longer on branch amelia/s-1"), "{said}");
    assert!(said.contains(&format!("git -C {path} merge {tip}")), "{said}");
    assert_eq!(world.run().unwrap()["view"]["failure"]["code"], "commit_lost");
    assert_eq!(world.server.requests().len(), asked, "no model was asked");
    world.git(&["-C", path, "merge", "-q", "--ff-only", &tip]);
    let done = world.amelia(&["resume", &world.run_id(), "--follow"]);
    assert!(done.status.success(), "{}\n{}", text(&done.stderr), logs(&world));
    assert_eq!(commits(&world).len(), 2);
}

#[test]
fn a_commit_that_an_agent_took_off_the_branch_is_a_question_before_the_next_one() {
    let resets = r#####"
  - when: { model: developer, text: "### Task 2:", turn: 0 }
    reply: { tool_calls: [{ name: shell, args: { command: "git reset -q --hard HEAD~1; echo calc > README.md" } }] }
"#####;
    let world = world(&[ARCHITECT, resets, DEVELOPER, CONTENT], "");
    let asked = start(&world, &["--auto"]);
    assert_eq!(asked.status.code(), Some(6), "{}\n{}", text(&asked.stderr), logs(&world));
    assert!(text(&asked.stderr).contains("is no longer on branch amelia/s-1"), "{}", text(&asked.stderr));
    assert_eq!(commits(&world), Vec::<String>::new());
    let worktree = world.worktree();
    let path = worktree.to_str().unwrap();
    // A person who wants the branch as it is now says so to git.
    let lost = world.git(&["reflog", "--format=%H", "amelia/s-1"]);
    let lost = lost.lines().nth(1).unwrap();
    world.git(&["-C", path, "merge", "-q", "--no-edit", "--strategy=ours", lost]);
    let done = world.amelia(&["resume", &world.run_id(), "--approve", "--follow"]);
    assert!(done.status.success(), "{}\n{}", text(&done.stderr), logs(&world));
    assert!(status(&world).contains("completed") && commits(&world).len() == 3, "{:?}", commits(&world));
}

#[test]
fn in_place_a_commit_that_was_taken_off_the_branch_is_missed_too() {
    let world = world(&[ARCHITECT, ASKS, DEVELOPER, CONTENT], "");
    start(&world, &["--auto", "--in-place"]);
    let tip = tip(&world, "HEAD");
    world.git(&["reset", "-q", "--soft", "HEAD~1"]);
    let missed = world.amelia(&["answer", &world.run_id(), "--message", "green", "--follow"]);
    assert_eq!(missed.status.code(), Some(1), "{}\n{}", text(&missed.stderr), logs(&world));
    assert!(text(&missed.stderr).contains(&tip), "{}", text(&missed.stderr));
}

/// Two tasks beside each other: the first is committed, the second has written and asks.
const BESIDE: &str = r#####"
  - when: { model: developer, text: "### Task 2:", turn: 0 }
    reply: { tool_calls: [{ name: write_file, args: { path: README.md, content: "calc.sh A B\n" } }] }
  - when: { model: developer, text: "### Task 2:", turn: 1 }
    reply: { tool_calls: [{ name: ask_human, args: { question: Which size? } }] }
  - when: { model: developer, text: "### Task 1:", turn: 0 }
    reply: { tool_calls: [{ name: shell, args: { command: "sed -i 's/-/+/' calc.sh" } }] }
  - when: { model: developer, text: "### Task 3:", turn: 0 }
    reply: { tool_calls: [{ name: shell, args: { command: "echo 'It adds.' >> README.md" } }] }
  - when: { model: developer }
    reply: { text: Done. }
"#####;

#[test]
fn a_worktree_of_a_parallel_task_is_missed_by_name_and_made_anew() {
    for is_whole in [false, true] {
        let world = world(
            &[parallel::ARCHITECT, BESIDE, CONTENT],
            "parallel_tasks: 2\nworktree_setup: ['touch runs.log']",
        );
        let output = start(&world, &["--auto"]);
        assert_eq!(output.status.code(), Some(6), "{}", text(&output.stderr));
        let run = world.run_id();
        let worktrees = world.home().join("worktrees");
        let part = worktrees.join(format!("{run}-task-2"));
        // The run waits a moment before its files are kept.
        let kept = ["-C", part.to_str().unwrap(), "for-each-ref", "refs/worktree/amelia"];
        until("the files of the part are kept", || !world.git(&kept).is_empty());
        for entry in std::fs::read_dir(&worktrees).unwrap().flatten() {
            if entry.path() == part || (is_whole && entry.path().is_dir()) {
                std::fs::remove_dir_all(entry.path()).unwrap();
            }
        }
        if is_whole {
            let shown = world.amelia(&["diff", &run]);
            assert!(text(&shown.stdout).contains("+echo $(($1 + $2))"), "{}", text(&shown.stderr));
        }
        let gone = world.amelia(&["answer", &run, "--message", "green", "--follow"]);
        assert_eq!(gone.status.code(), Some(1), "{}", text(&gone.stderr));
        let why = text(&world.amelia(&["why", &run]).stdout);
        assert!(why.contains("is gone") && why.contains("worktree restore r1; then"), "{why}");
        let restored = world.amelia(&["worktree", "restore", &run]);
        assert!(restored.status.success(), "{}", text(&restored.stderr));
        assert!(text(&restored.stdout).contains("on amelia/s-1-task-2\n"), "{}", text(&restored.stdout));
        assert!(part.join("README.md").exists(), "as its last snapshot has it");
        let twice = world.amelia(&["worktree", "restore", &run]);
        assert_eq!(twice.status.code(), Some(5), "{}", text(&twice.stdout));
        let done = world.amelia(&["resume", &run, "--follow"]);
        assert!(done.status.success(), "{}\n{}", text(&done.stderr), logs(&world));
        assert_eq!(world.git(&["show", "amelia/s-1:README.md"]), "calc.sh A B\nIt adds.\n");
        parallel::assert_tidy(&world);
        let remembered = std::fs::read_dir(world.home().join("worktrees.made")).unwrap().count();
        assert_eq!(remembered, 1, "of the parts nothing is left to be missed");
    }
}

#[test]
fn a_worktree_without_its_git_file_is_repaired_not_made_a_repository() {
    let removes = r#####"
  - when: { model: developer, text: "### Task 1:", turn: 0 }
    reply: { tool_calls: [{ name: shell, args: { command: "rm .git; sed -i 's/-/+/' calc.sh" } }] }
"#####;
    let world = world(&[ARCHITECT, removes, DEVELOPER, CONTENT], "");
    let failed = start(&world, &["--auto"]);
    let said = text(&failed.stderr);
    assert!(said.contains("`git worktree repair`") && !said.contains("git init"), "{said}\n{}", logs(&world));
    world.git(&["worktree", "repair"]);
    let done = world.amelia(&["resume", &world.run_id(), "--follow"]);
    assert!(done.status.success(), "{}\n{}", text(&done.stderr), logs(&world));
    assert_eq!(commits(&world).len(), 2);
}
