//! Tasks beside each other, each in a worktree of its own.

use crate::crew::{CONTENT, logs, start, status, world};
use crate::world::{World, text};

/// Two tasks that can be done at the same time, and one that needs both.
pub(crate) const ARCHITECT: &str = r#####"
  - when: { model: architect }
    reply:
      tool_calls:
        - name: write_plan
          args:
            goal: The sample adds its two numbers and says how it is used, as the issue asks for it.
            architecture: It stays one shell script with one test beside it, nothing is added to that.
            tasks:
              - { number: "1", title: Add, files: [{ operation: modify, path: calc.sh }], steps: [{ description: Replace the minus }] }
              - { number: "2", title: Say how, files: [{ operation: create, path: README.md }], steps: [{ description: Write it }] }
              - { number: "3", title: Say more, depends_on: ["1", "2"], files: [{ operation: modify, path: README.md }], steps: [{ description: Write it }] }
"#####;

/// Each of the first two waits for the other one: one after the other they would never end.
const MEETING: &str = r#####"
  - when: { model: developer, text: "### Task 1:", turn: 0 }
    reply: { tool_calls: [{ name: shell, args: { command: "touch ../met-1; until [ -e ../met-2 ]; do :; done; sed -i 's/-/+/' calc.sh" } }] }
  - when: { model: developer, text: "### Task 2:", turn: 0 }
    reply: { tool_calls: [{ name: shell, args: { command: "touch ../met-2; until [ -e ../met-1 ]; do :; done; echo 'calc.sh A B' > README.md" } }] }
  - when: { model: developer, text: "### Task 3:", turn: 0 }
    reply: { tool_calls: [{ name: shell, args: { command: "echo 'It adds.' >> README.md" } }] }
  - when: { model: developer }
    reply: { text: Done. }
"#####;

/// Subjects on the run's branch alone, oldest first.
pub(crate) fn line(world: &World) -> Vec<String> {
    let log = world.git(&["log", "--first-parent", "--format=%s", "--reverse", "main..amelia/s-1"]);
    log.lines().map(str::to_owned).collect()
}

fn show(world: &World, file: &str) -> String {
    world.git(&["show", &format!("amelia/s-1:{file}")])
}

/// Neither worktrees nor branches are left of the parts.
pub(crate) fn assert_tidy(world: &World) {
    let branches = world.git(&["branch", "--list", "--format=%(refname:short)", "amelia/*"]);
    assert_eq!(branches, "amelia/s-1\n", "{}", logs(world));
    let worktrees = world.git(&["worktree", "list", "--porcelain"]);
    assert_eq!(worktrees.matches("worktree ").count(), 2, "{worktrees}");
}

#[test]
fn tasks_that_touch_different_files_are_done_at_the_same_time_and_merged_in_the_order_of_the_plan() {
    let world = world(&[ARCHITECT, MEETING, CONTENT], "parallel_tasks: 3");
    let output = start(&world, &["--auto"]);
    assert!(output.status.success(), "{}\n{}", text(&output.stderr), logs(&world));
    assert_eq!(line(&world), ["Merge task 1: Add", "Merge task 2: Say how", "feat(S-1): Say more"]);
    assert_eq!(show(&world, "calc.sh"), "#!/bin/sh\necho $(($1 + $2))\n");
    assert_eq!(show(&world, "README.md"), "calc.sh A B\nIt adds.\n");
    let log = logs(&world);
    for task in 1..=3 {
        assert!(log.contains(&format!("task {task}: review round 1: approved")), "{log}");
        assert!(log.contains(&format!("task {task} of 3 completed")), "{log}");
    }
    assert_tidy(&world);
}

#[test]
fn one_after_the_other_is_what_happens_when_nobody_asks_for_more() {
    let alone = MEETING
        .replace("until [ -e ../met-1 ]; do :; done; ", "")
        .replace("until [ -e ../met-2 ]; do :; done; ", "");
    let world = world(&[ARCHITECT, &alone, CONTENT], "");
    let output = start(&world, &["--auto"]);
    assert!(output.status.success(), "{}\n{}", text(&output.stderr), logs(&world));
    assert_eq!(line(&world), ["feat(S-1): Add", "feat(S-1): Say how", "feat(S-1): Say more"]);
    assert!(!logs(&world).contains("divide"), "{}", logs(&world));
}

/// The second task also writes the file of the first, against the plan.
const COLLIDING: &str = r#####"
  - when: { model: developer, text: "### Task 1:", turn: 0 }
    reply: { tool_calls: [{ name: write_file, args: { path: calc.sh, content: "#!/bin/sh\necho $(($1 + $2))\n" } }] }
  - when: { model: developer, text: "### Task 2:", turn: 0 }
    reply: { tool_calls: [{ name: write_file, args: { path: calc.sh, content: "#!/bin/sh\n# calc.sh A B\necho $(($2 + $1))\n" } }] }
  - when: { model: developer, text: "### Task 3:", turn: 0 }
    reply: { tool_calls: [{ name: write_file, args: { path: README.md, content: "It adds.\n" } }] }
  - when: { model: developer }
    reply: { text: Done. }
"#####;

#[test]
fn a_merge_conflict_between_parallel_tasks_goes_to_the_developer_of_the_later_one() {
    let mending = r#####"
  - when: { model: developer, last: "does not fit with theirs" }
    reply: { tool_calls: [{ name: write_file, args: { path: calc.sh, content: "#!/bin/sh\n# calc.sh A B\necho $(($1 + $2))\n" } }] }
"#####;
    let world = world(&[ARCHITECT, mending, COLLIDING, CONTENT], "parallel_tasks: 2");
    let output = start(&world, &["--auto"]);
    assert!(output.status.success(), "{}\n{}", text(&output.stderr), logs(&world));
    assert_eq!(show(&world, "calc.sh"), "#!/bin/sh\n# calc.sh A B\necho $(($1 + $2))\n");
    assert_eq!(line(&world)[..2], ["Merge task 1: Add", "Merge task 2: Say how"]);
    let log = logs(&world);
    assert!(log.contains("task 2 conflicts with a parallel task: calc.sh"), "{log}");
    assert!(log.contains("task 2: checks: conflicts passed"), "{log}");
    let asked: Vec<String> = world.server.requests().iter().map(|request| format!("{request:?}")).collect();
    let told = asked.iter().find(|request| request.contains("does not fit with theirs")).unwrap();
    assert!(told.contains("<<<<<<<") && told.contains("echo $(($2 + $1))"), "the conflict is shown: {told}");
    assert_tidy(&world);
}

#[test]
fn a_conflict_that_nobody_mends_is_a_question_and_nothing_is_lost_or_half_merged() {
    let stubborn = r#####"
  - when: { model: developer, last_regex: "does not fit with theirs|Not all passed" }
    reply: { text: I like it as it is. }
"#####;
    let profile = "parallel_tasks: 2\nmax_review_rounds: 2";
    let world = world(&[ARCHITECT, stubborn, COLLIDING, CONTENT], profile);
    let output = start(&world, &["--auto"]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(6), "{message}\n{}", logs(&world));
    assert!(message.contains("task 2: its changes conflict with a parallel task (calc.sh)"), "{message}");
    assert!(status(&world).contains("rounds"), "{}", status(&world));
    assert_eq!(line(&world), ["Merge task 1: Add"], "what fits is merged, the rest waits");
    let again = world.amelia(&["resume", "--follow", &world.run_id(), "--approve"]);
    assert_eq!(again.status.code(), Some(6), "tried again, then asked again: {}", text(&again.stderr));
    let alone = world.amelia(&["resume", "--follow", &world.run_id(), "--accept"]);
    assert!(alone.status.success(), "{}\n{}", text(&alone.stderr), logs(&world));
    assert_eq!(
        line(&world),
        ["Merge task 1: Add", "feat(S-1): Say how", "feat(S-1): Say more"],
        "given up that way, it is done again by itself"
    );
    assert_eq!(show(&world, "calc.sh"), "#!/bin/sh\n# calc.sh A B\necho $(($2 + $1))\n");
    let kept = world.git(&["log", "-1", "--format=%s", "amelia/s-1-task-2"]);
    assert_eq!(kept.trim(), "feat(S-1): Say how", "what was given up is still there on its branch");
}

#[test]
fn tasks_beside_each_other_ask_at_the_same_time_and_say_which_one_asks() {
    let asking = r#####"
  - when: { model: developer, text: "### Task 1:", turn: 0 }
    reply: { tool_calls: [{ name: ask_human, args: { question: Which colour? } }] }
  - when: { model: developer, text: "### Task 2:", turn: 0 }
    reply: { tool_calls: [{ name: ask_human, args: { question: Which size? } }] }
  - when: { model: developer, last: "as you like", text: "### Task 1:" }
    reply: { tool_calls: [{ name: shell, args: { command: "sed -i 's/-/+/' calc.sh" } }] }
  - when: { model: developer, last: "as you like", text: "### Task 2:" }
    reply: { tool_calls: [{ name: shell, args: { command: "echo 'calc.sh A B' > README.md" } }] }
  - when: { model: developer }
    reply: { text: Done. }
"#####;
    let world = world(&[ARCHITECT, asking, CONTENT], "parallel_tasks: 2");
    let output = start(&world, &["--auto"]);
    assert_eq!(output.status.code(), Some(6), "{}\n{}", text(&output.stderr), logs(&world));
    let pending = world.run().unwrap()["view"]["pending"].clone();
    let mut prompts: Vec<&str> =
        pending.as_array().unwrap().iter().map(|asked| asked["prompt"].as_str().unwrap()).collect();
    prompts.sort_unstable();
    assert_eq!(prompts, ["task 1: Which colour?", "task 2: Which size?"]);
    let list = text(&world.amelia(&["checkpoints", &world.run_id(), "--json"]).stdout);
    let list: serde_json::Value = serde_json::from_str(&list).unwrap();
    let last = list.as_array().unwrap().last().unwrap()["number"].to_string();
    let forked = text(&world.amelia(&["fork", &world.run_id(), "--at", &last]).stderr);
    assert!(forked.contains("several tasks were in progress"), "{forked}");
    let done =
        world.amelia(&["resume", "--follow", &world.run_id(), "--approve", "--message", "as you like"]);
    assert!(done.status.success(), "{}\n{}", text(&done.stderr), logs(&world));
    assert_eq!(show(&world, "README.md"), "calc.sh A B\n");
    assert_tidy(&world);
}

#[test]
fn work_in_place_is_never_divided() {
    let alone = MEETING.replace("until [ -e ../met-1 ]; do :; done; ", "");
    let alone = alone.replace("until [ -e ../met-2 ]; do :; done; ", "").replace("touch ../met-", ": ");
    let world = world(&[ARCHITECT, &alone, CONTENT], "parallel_tasks: 2");
    let output = start(&world, &["--auto", "--in-place"]);
    assert!(output.status.success(), "{}\n{}", text(&output.stderr), logs(&world));
    let log = world.git(&["log", "--format=%s", "--reverse"]);
    let subjects: Vec<&str> = log.lines().skip(1).collect();
    assert_eq!(subjects, ["feat(S-1): Add", "feat(S-1): Say how", "feat(S-1): Say more"]);
}
