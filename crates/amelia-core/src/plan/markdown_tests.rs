use proptest::prelude::*;

use super::check::{check, key_files};
use super::markdown::{read, section, write};
use super::{FileOp, FileOperation, Plan, PlanStep, PlanTask};

const PLAN: &str = "\
# Sums

**Goal:** calc.sh adds its
two numbers

**Architecture:** one script

**Tech stack:** sh, git

### Task 1: Add

**Files:**
- Modify: `calc.sh:2-2`
- Test: `test.sh`

**Step 1: Write the failing test**

```markdown
### Task 9: this is an example, not a task
**Goal:** neither is this
```

Run: `./test.sh`
Expected: ok

### Task 1.1: Subtract

**Depends on:** Task 1

- [ ] Write it down

**Done when:**
- it is there

**Commit:** `feat: subtract`
";

#[test]
fn a_plan_is_read_as_people_write_it() {
    let (plan, verdict) = check(PLAN);
    assert_eq!(verdict.issues, Vec::<String>::new());
    assert_eq!(plan.goal, "calc.sh adds its two numbers");
    assert_eq!(plan.tech_stack, ["sh", "git"]);
    let ids: Vec<&str> = plan.tasks.iter().map(|task| task.id.as_str()).collect();
    assert_eq!(ids, ["1", "1.1"]);
    assert_eq!(key_files(&plan), ["calc.sh", "test.sh"]);
    let step = &plan.tasks[0].steps[0];
    assert_eq!(step.command.as_deref(), Some("./test.sh"));
    assert_eq!(step.expected_output.as_deref(), Some("ok"));
    assert!(step.code.as_deref().unwrap().contains("### Task 9"));
    assert_eq!(plan.tasks[0].files[0].line_range.as_deref(), Some("2-2"));
    assert_eq!(plan.tasks[1].dependencies, ["1"]);
    assert_eq!(plan.tasks[1].acceptance, ["it is there"]);
    assert_eq!(plan.tasks[1].commit_message.as_deref(), Some("feat: subtract"));
    assert!(section(PLAN, "1.1").unwrap().starts_with("### Task 1.1: Subtract"));
    assert!(section(PLAN, "1").unwrap().contains("Task 9"));
    assert_eq!(section(PLAN, "9"), None);
}

#[test]
fn a_task_heading_in_a_code_fence_is_not_counted_as_a_task() {
    for fence in ["```", "~~~", "````", "   ```rust"] {
        let close = fence.trim_start().trim_end_matches("rust");
        let text = format!("**Goal:** g\n{fence}\n### Task 1: a\n{close}\n### Task 2: b\n");
        let ids: Vec<String> = read(&text).tasks.into_iter().map(|task| task.id).collect();
        assert_eq!(ids, ["2"], "{fence}");
    }
    assert!(read("```\n### Task 1: never closed\n").tasks.is_empty());
}

#[test]
fn what_is_wrong_with_a_plan_is_said_all_at_once() {
    for (text, expected) in [
        ("", vec!["0 characters", "no goal", "no tasks"]),
        ("**Goal:** TBD\n### Task 1: x\n", vec!["characters", "no goal"]),
        (
            "**Goal:** g\n### Task 1: a\n**Depends on:** Task 2\n### Task 2: b\n**Depends on:** 1\n",
            vec!["each other"],
        ),
        ("**Goal:** g\n### Task 1: a\n**Depends on:** Task 7\n", vec!["`7`, which is not in the plan"]),
        ("**Goal:** g\n### Task 1: a\n### Task 1: b\n", vec!["two tasks have the id `1`"]),
        (
            "**Goal:** g\n### Task 1: a\n**Files:**\n- Create: `../x`\n- Modify: `/etc/passwd`\n",
            vec!["`../x`", "`/etc/passwd`"],
        ),
        ("**Goal:** g\n### Task 1:\n", vec!["task 1 has no title"]),
    ] {
        let issues = check(text).1.issues.join("; ");
        for part in expected {
            assert!(issues.contains(part), "{text:?}: {part} is not in {issues}");
        }
    }
    let huge = "x".repeat(5_000_000);
    assert!(check(&huge).1.issues[0].contains("5000000 bytes"));
}

#[test]
fn a_task_whose_number_cannot_be_read_is_named_and_not_left_out_silently() {
    for bad in
        ["### Task 2a: x", "### Task 1.1.1: x", "### Task A: x", "### Task 3 - x", "### Task 1234567890: x"]
    {
        let text = format!("**Goal:** g\n### Task 1: a\n{bad}\n");
        let issues = check(&text).1.issues.join("; ");
        assert!(issues.contains(&format!("the heading `{bad}` is not read as a task")), "{bad}: {issues}");
    }
    for good in
        ["### Task list", "### Tasks: all of them", "```\n### Task 2a: x\n```", "### Task breakdown: b"]
    {
        let issues = check(&format!("**Goal:** g\n### Task 1: a\n{good}\n")).1.issues.join("; ");
        assert!(!issues.contains("is not read as a task"), "{good}: {issues}");
    }
}

#[test]
fn code_with_any_fence_inside_stays_code() {
    for length in [3, 6, 7, 20] {
        let marks = "`".repeat(length);
        let code = format!("{marks}\n### Task 9: inside\n{marks}\nend");
        let step = PlanStep { description: "s".to_owned(), code: Some(code), ..PlanStep::default() };
        let task =
            PlanTask { id: "1".to_owned(), title: "t".to_owned(), steps: vec![step], ..PlanTask::default() };
        let plan = Plan { goal: "g".to_owned(), tasks: vec![task], ..Plan::default() };
        assert_eq!(read(&write(&plan, "p")), plan, "{length} backticks");
    }
}

fn with_command(command: &str) -> Plan {
    let step = PlanStep {
        description: "s".to_owned(),
        command: Some(command.to_owned()),
        expected_output: Some("ok".to_owned()),
        ..PlanStep::default()
    };
    let task =
        PlanTask { id: "1".to_owned(), title: "t".to_owned(), steps: vec![step], ..PlanTask::default() };
    Plan { goal: "g".to_owned(), tasks: vec![task], ..Plan::default() }
}

#[test]
fn a_command_comes_back_exactly_as_it_was_written() {
    for command in [
        "./test.sh",
        "# run the tests\n./test.sh",
        "cat <<'EOF' > a\n  x\n\n### Task 2: no task\nEOF\n",
        "echo `date`",
        "`x`",
        "echo 'a  b'",
        " x ",
        "a\tb",
        "a\r\nb\r",
        "printf '```\\n'\n```\n````",
        "~~~\nx",
        "",
        " ",
        "\n",
    ] {
        let plan = with_command(command);
        let text = write(&plan, "p");
        assert_eq!(read(&text), plan, "{command:?}: {text}");
    }
    assert!(write(&with_command("./test.sh"), "p").contains("Run: `./test.sh`\n"));
}

#[test]
fn a_command_is_read_in_every_form_in_which_people_write_it() {
    for (written, command) in [
        ("Run: ./test.sh", "./test.sh"),
        ("Run: `./test.sh`", "./test.sh"),
        ("Run: `` echo `date` ``", "echo `date`"),
        ("Run: echo `date`", "echo `date`"),
        ("Run:\n```bash\n# all\n./test.sh\n```", "# all\n./test.sh"),
        ("Run:\r\n\r\n```sh\r\na\r\nb\r\n```", "a\nb"),
        ("Run:\nExpected: ok\n```\nthis is code\n```", ""),
    ] {
        let plan = read(&format!("**Goal:** g\n### Task 1: t\n**Step 1:** s\n{written}\nExpected: ok\n"));
        let step = &plan.tasks[0].steps[0];
        assert_eq!(step.command.as_deref(), Some(command), "{written}");
        assert_eq!(step.expected_output.as_deref(), Some("ok"), "{written}");
    }
}

/// Inputs that the fuzzer found, or that are like them.
#[test]
fn what_was_read_is_written_the_same_for_ever() {
    for text in [
        "### Task 1: t\n**Files:**\n- Create: a`b\n- Create: `c\n- Modify: ``\n- Test: ` d `\n",
        "### Task 1: t\n**Step 1:** s\nRun: ` `x`\n**Commit:** `   `feat: subtract`\n",
        "### Task 1: t # ##\n### Task 2: ##\n### Task 3: Speak C#\n",
        "### Task 1: t\n**Step 1:** s\nRun:\n```\n\n a `b`\r\n```\nRun: ``x` y\n**Step 2:** s\nRun:\n```\nz",
        "**Goal:**\n### Task 1:\n**Step 1:** ``\n```\n`````\n```\nRun: ```\nExpected: `\n",
    ] {
        let written = write(&read(text), "p");
        assert_eq!(write(&read(&written), "p"), written, "{text:?}");
    }
}

#[test]
fn a_heading_loses_its_closing_signs_and_nothing_else() {
    let titles = |text: &str| read(text).tasks.into_iter().map(|task| task.title).collect::<Vec<_>>();
    assert_eq!(titles("### Task 1: Speak C#\n### Task 2: Add ###\n### Task 3: #\n"), ["Speak C#", "Add", ""]);
}

fn text() -> impl Strategy<Value = String> {
    "[a-z][a-z ,()]{0,20}[a-z]".prop_map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn tasks() -> impl Strategy<Value = Vec<PlanTask>> {
    let file = (
        "[a-z]{1,8}/[a-z]{1,8}\\.rs",
        prop_oneof![Just(FileOperation::Create), Just(FileOperation::Modify), Just(FileOperation::Test)],
    )
        .prop_map(|(path, operation)| FileOp { operation, path, line_range: None });
    let code = proptest::option::of("[a-z#` ]{1,10}(\n[a-z#` ]{0,10}[a-z]){0,3}");
    let command = prop_oneof![text(), any::<String>(), "(`|~|\\n|\\r|\\t| |#|Run:|### Task 1: |[a-z]){0,30}"];
    let step = (text(), code, proptest::option::of(command)).prop_map(|(description, code, command)| {
        PlanStep { description, code, command, expected_output: None }
    });
    let task = (text(), prop::collection::vec(file, 0..3), prop::collection::vec(step, 0..3))
        .prop_map(|(title, files, steps)| PlanTask { title, files, steps, ..PlanTask::default() });
    prop::collection::vec(task, 1..5).prop_map(|mut tasks| {
        for (number, task) in (1..).zip(&mut tasks) {
            task.id = format!("{number}");
            if number > 1 {
                task.dependencies = vec![format!("{}", number - 1)];
            }
        }
        tasks
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(goal in text(), tasks in tasks()) {
        let plan = Plan { goal, tasks, ..Plan::default() };
        let text = write(&plan, "a plan");
        prop_assert_eq!(read(&text), plan, "{}", text);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "(### Task [0-9.]{0,3}:?|```|\\*\\*|Goal:|- Create: `|[a-z\n é]){0,40}") {
        let (plan, _) = check(&text);
        for task in &plan.tasks {
            prop_assert!(section(&text, &task.id).is_some());
        }
    }
}
