//! Plans that cannot be carried out are refused with what is wrong with them, whoever wrote them.

use crate::crew::{CONTENT, logs, start, world};
use crate::world::text;

/// A plan that would do, but for what is added to it.
fn plan(rest: &str) -> String {
    let goal = "The sample adds its two numbers, which is all that the issue asks for, and nothing else is changed by it, \
                because the issue does not say that anything else is wrong with it, and because one thing at a time is enough.";
    format!("**Goal:** {goal}\n\n{rest}\n")
}

#[test]
fn a_plan_that_cannot_be_carried_out_is_refused_and_no_run_is_made() {
    let world = world(&[CONTENT], "");
    let file = world.repository().join("../plan.md");
    for (text_of_plan, expected) in [
        (String::new(), "0 characters"),
        ("### Task 1: x\n".repeat(360_000), "at most"),
        (plan("Just do it."), "no tasks"),
        (plan("```\n### Task 1: only an example\n```"), "no tasks"),
        (
            plan("### Task 1: a\n**Depends on:** 2\n### Task 2: b\n**Depends on:** 1"),
            "depend on each other: 1 → 2 → 1",
        ),
        (plan("### Task 1: a\n**Depends on:** 7"), "`7`, which is not in the plan"),
        (plan("### Task 1: a\n**Files:**\n- Create: `../../etc/passwd`"), "outside the repository"),
        (plan("### Task 1: a\n**Files:**\n- Modify: `.git/hooks/pre-commit`"), "outside the repository"),
        (plan("### Task 1: a\n### Task 2a: b"), "`### Task 2a: b` is not read as a task"),
    ] {
        std::fs::write(&file, &text_of_plan).unwrap();
        let output = start(&world, &["--plan-file", file.to_str().unwrap()]);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{expected}: {message}");
        assert!(message.contains(expected) && message.len() < 20_000, "{expected}: {message}");
    }
    assert_eq!(world.run(), None);
}

#[test]
fn a_number_that_cannot_be_read_goes_back_to_the_architect() {
    let architect = r#####"
  - when: { model: architect, last: "is not the number of a task" }
    reply: { tool_calls: [{ name: write_plan, args: { goal: The sample adds its two numbers as the issue asks for it and says how., architecture: It stays one shell script with one test beside it and nothing is added to that., tasks: [{ number: "1", title: First, steps: [{ description: Do it }] }, { number: "2", title: Second, steps: [{ description: Do it }] }] } }] }
  - when: { model: architect }
    reply: { tool_calls: [{ name: write_plan, args: { goal: The sample adds its two numbers as the issue asks for it and says how., architecture: It stays one shell script with one test beside it and nothing is added to that., tasks: [{ number: "1", title: First, steps: [{ description: Do it }] }, { number: "1.1.1", title: Second, steps: [{ description: Do it }] }] } }] }
"#####;
    let world = world(&[architect], "");
    let output = start(&world, &[]);
    assert_eq!(output.status.code(), Some(6), "{}", text(&output.stderr));
    assert!(logs(&world).contains("`1.1.1` is not the number of a task"), "{}", logs(&world));
    let plan = text(&world.amelia(&["plan"]).stdout);
    assert!(plan.contains("### Task 2: Second"), "no task is left out: {plan}");
}

#[test]
fn a_plan_that_modifies_a_file_that_is_not_there_goes_back_to_the_architect() {
    let plan = |operation: &str| {
        format!(
            "{{ tool_calls: [{{ name: write_plan, args: {{ goal: The sample adds its two numbers as the issue asks for it and \
             says how., architecture: It stays one shell script with one test beside it and nothing is added to that., tasks: \
             [{{ number: \"1\", title: First, files: [{{ operation: create, path: new.sh }}], steps: [{{ description: Do it }}] \
             }}, {{ number: \"2\", title: Second, files: [{{ operation: modify, path: new.sh }}, {{ operation: {operation}, \
             path: other.sh }}], steps: [{{ description: Do it }}] }}] }} }}] }}"
        )
    };
    let architect = format!(
        "\n  - when: {{ model: architect, last: \"which does not exist\" }}\n    reply: {}\n  - when: {{ model: architect }}\n    \
         reply: {}\n",
        plan("create"),
        plan("modify")
    );
    let world = world(&[&architect], "");
    let output = start(&world, &[]);
    assert_eq!(output.status.code(), Some(6), "{}", text(&output.stderr));
    let logs = logs(&world);
    assert!(logs.contains("task 2 modifies `other.sh`, which does not exist"), "{logs}");
    assert!(!logs.contains("`new.sh`, which does not exist"), "an earlier task creates it: {logs}");
}

#[test]
fn a_short_plan_that_says_everything_is_not_sent_back() {
    let architect = r#####"
  - when: { model: architect }
    reply: { text: "**Goal:** Add.\n\n### Task 1: Add\n\n**Step 1:** Use + in calc.sh.\n" }
"#####;
    let world = world(&[architect], "");
    let output = start(&world, &[]);
    assert_eq!(output.status.code(), Some(6), "{}", text(&output.stderr));
    let logs = logs(&world);
    assert!(!logs.contains("plan rejected") && logs.contains("approve the plan (1 task)?"), "{logs}");
}
