use crate::crew::{ARCHITECT, CONTENT, DEVELOPER, commits, logs, start, status, world};
use crate::world::text;

pub(crate) const REVISED: &str = r#####"
  - when: { model: architect, turn: 2, last: "call it sum.sh" }
    reply:
      tool_calls:
        - name: write_plan
          args:
            goal: The sample adds its two numbers, and everything about it is as the person asked for.
            architecture: It stays one shell script with one test beside it, nothing is added to that at all.
            tasks: [{ number: "1", title: Add as sum.sh, steps: [{ description: Replace the minus }] }]
"#####;

#[test]
fn a_plan_may_be_changed_by_the_person_and_a_bad_one_is_not_taken() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    start(&world, &[]);
    let file = world.repository().join("../mine.md");
    std::fs::write(&file, "no plan at all").unwrap();
    let refused = world.amelia(&["approve", "--follow", "--plan", file.to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
    assert!(text(&refused.stderr).contains("the plan cannot be used"), "{}", text(&refused.stderr));
    assert!(status(&world).contains("approval"), "it waits as before: {}", status(&world));
    let mine = "# Mine\n\n**Goal:** The sample adds, and nothing else is done about it now, because one thing at a time \
                is enough for a person who has to read all of it afterwards with great care.\n\n### Task 1: Only add\n\nReplace the minus.\n";
    std::fs::write(&file, mine).unwrap();
    let done = world.amelia(&["approve", "--follow", "--plan", file.to_str().unwrap()]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert_eq!(commits(&world), ["feat(S-1): Only add"]);
}

#[test]
fn a_plan_that_somebody_brings_needs_no_architect() {
    let world = world(&[DEVELOPER, CONTENT], "");
    let file = world.repository().join("../mine.md");
    let mine = "**Goal:** The sample adds, as it says in the issue that somebody wrote about it a while ago, when nobody had \
                time for it and everybody thought that it would go away by itself.\n\n### Task 1: Only add\n\nReplace the minus.\n";
    std::fs::write(&file, mine).unwrap();
    let output = start(&world, &["--auto", "--plan-file", file.to_str().unwrap()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(commits(&world), ["feat(S-1): Only add"]);
}

#[test]
fn a_plan_that_stays_bad_is_shown_to_a_person_after_three_revisions() {
    let bad = r#####"
  - when: { model: architect }
    reply: { text: "### Task 1: a\n**Depends on:** 2\n### Task 2: b\n**Depends on:** 1\n### Task 3: c\n**Files:**\n- Create: `../../x`\n" }
"#####;
    let world = world(&[bad], "");
    let output = start(&world, &[]);
    assert_eq!(output.status.code(), Some(6), "{}", text(&output.stderr));
    let log = logs(&world);
    assert_eq!(log.matches("plan rejected at revision").count(), 2, "nothing has changed since: {log}");
    assert!(log.contains("depend on each other") && log.contains("outside the repository"), "{log}");
    assert!(log.contains("the plan is not valid"), "{log}");
    let by_itself = start(&world, &["--auto"]);
    assert_eq!(by_itself.status.code(), Some(6), "nobody approves what is not valid by itself");
}

#[test]
fn a_run_that_was_started_with_auto_is_resumed_with_it_but_a_fork_asks() {
    let refuses = r#####"
  - when: { model: architect, times: 1 }
    reply: { error: { status: 401, message: no such key } }
"#####;
    let world = world(&[refuses, ARCHITECT, DEVELOPER, CONTENT], "");
    let failed = start(&world, &["--auto"]);
    assert_eq!(failed.status.code(), Some(1), "{}", text(&failed.stderr));
    let forked = world.amelia(&["fork", "r1"]);
    assert!(forked.status.success(), "{}", text(&forked.stderr));
    let resumed = world.amelia(&["resume", "r1"]);
    assert!(resumed.status.success(), "{}\n{}", text(&resumed.stderr), text(&resumed.stdout));
    let shown = text(&resumed.stdout);
    assert!(shown.contains(" approved automatically (--auto)"), "{shown}");
    let asks = world.amelia(&["resume", "r2", "--wait"]);
    assert_eq!(asks.status.code(), Some(6), "{}", text(&asks.stderr));
}

#[test]
fn words_do_not_approve_a_plan() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    start(&world, &[]);
    let run = world.run_id();
    for more in [&["--message", "No! Do not do this."][..], &[], &["--reject"]] {
        let words: Vec<&str> = ["answer", run.as_str()].iter().chain(more).copied().collect();
        let refused = world.amelia(&words);
        let message = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{message}");
        assert!(message.contains("approve") && message.contains("reject"), "{message}");
    }
    assert!(status(&world).contains("approval"), "{}", status(&world));
}

#[test]
fn what_was_asked_and_answered_is_history_to_who_follows_later() {
    let slow = r#####"
  - when: { model: developer, text: "### Task 1:", turn: 0 }
    reply: { tool_calls: [{ name: shell, args: { command: "while [ ! -e ../go-on ]; do sleep 0.02; done" } }] }
"#####;
    let world = world(&[ARCHITECT, slow, DEVELOPER, CONTENT], "");
    start(&world, &[]);
    assert!(world.amelia(&["approve"]).status.success());
    let run = world.run_id();
    let follow = |more: &[&str]| {
        let args = [&["logs", &run, "--follow"], more].concat();
        world.command(&args).stdout(std::process::Stdio::piped()).spawn().unwrap()
    };
    let (follower, filtered) = (follow(&[]), follow(&["--type", "task."]));
    std::fs::write(world.home().join("worktrees").join("go-on"), "").unwrap();
    let seen = follower.wait_with_output().unwrap();
    let shown = text(&seen.stdout);
    assert!(seen.status.success(), "{shown}");
    assert!(shown.contains("? approve the plan") && shown.contains("completed"), "{shown}");
    let again = follow(&[]).wait_with_output().unwrap();
    assert_eq!(text(&again.stdout), shown, "a run that has ended looks as it did");
    assert!(world.amelia(&["merge", "r1"]).status.success());
    let merged = text(&follow(&[]).wait_with_output().unwrap().stdout);
    assert!(
        merged.contains("merged amelia/s-1 into main"),
        "the log continues after the end of the run: {merged}"
    );
    assert!(!merged.contains("merge it:"), "there is nothing left to merge: {merged}");
    let filtered = text(&filtered.wait_with_output().unwrap().stdout);
    assert!(
        filtered.contains("completed") && filtered.lines().all(|line| line.contains("task")),
        "{filtered}"
    );
}

#[test]
fn a_run_that_is_cancelled_before_its_plan_is_approved_has_changed_nothing() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    assert_eq!(start(&world, &[]).status.code(), Some(6));
    let cancelled = world.amelia(&["cancel", "r1"]);
    let said = text(&cancelled.stdout);
    assert!(said.starts_with("run r1 is cancelled; it has changed nothing, and "), "{said}");
    assert!(said.ends_with(" cleanup` removes its worktree\n"), "{said}");
    let archived = world.amelia(&["archive"]);
    assert!(text(&archived.stdout).starts_with("run r1 is archived"), "{}", text(&archived.stderr));
    assert_eq!(world.amelia(&["archive"]).status.code(), Some(4), "it is archived already");
    assert!(text(&world.amelia(&["archive", "--undo"]).stdout).starts_with("run r1 is shown"));
}

#[test]
fn runs_that_wait_for_approval_are_listed_where_none_is_named() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    assert_eq!(start(&world, &[]).status.code(), Some(6));
    let other = world.amelia(&["start", "S-2", "--title", "Say how it is used", "--wait"]);
    assert_eq!(other.status.code(), Some(6), "{}", text(&other.stderr));
    for elsewhere in [false, true] {
        let mut command = world.command(&["approve"]);
        if elsewhere {
            command.current_dir("/");
        }
        let refused = command.output().unwrap();
        let message = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{message}");
        for run in ["r1 (It does not add)", "r2 (Say how it is used)"] {
            assert!(message.contains(run), "{message}");
        }
    }
}
