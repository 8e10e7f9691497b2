//! Each of these was wrong in the programs that this one takes after. The tests are named after what must not come back.
//! About the server (cancel after approval, restarts) they are in its own crate, about plans and trackers in theirs.

use crate::approving::REVISED;
use crate::crew::{ARCHITECT, CHECKED, CONTENT, DEVELOPER, commits, start, status, world};
use crate::reviewing::{ALWAYS_WORKS, CRITICAL, IMPLEMENT};
use crate::world::text;

#[test]
fn the_last_task_is_committed_like_the_others() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], CHECKED);
    let output = start(&world, &["--auto"]);
    assert!(output.status.success(), "{}\n{}", text(&output.stdout), text(&output.stderr));
    assert_eq!(commits(&world), ["feat(S-1): Add instead of subtract", "docs: say how it is used"]);
    let author = world.git(&["log", "-1", "--format=%an <%ae>", "amelia/s-1"]);
    assert_eq!(author.trim(), "Sample <sample@example.org>", "the user's own identity");
    let files = world.git(&["ls-tree", "-r", "--name-only", "amelia/s-1"]);
    assert!(files.contains("README.md") && !files.contains("docs/plans/"), "{files}");
    let left = world.git(&["-C", world.worktree().to_str().unwrap(), "status", "--porcelain"]);
    assert_eq!(left, "", "nothing is left that is in no commit");
}

#[test]
fn work_does_not_happen_on_the_users_branch() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    let seen = || {
        let index = std::fs::read(world.repository().join(".git/index")).unwrap();
        let names = ["rev-parse HEAD", "branch --show-current", "status --porcelain --ignored"];
        let asked = names.map(|words| world.git(&words.split(' ').collect::<Vec<_>>()));
        (asked, index, std::fs::read_to_string(world.repository().join("calc.sh")).unwrap())
    };
    let before = seen();
    let output = start(&world, &["--auto"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(seen(), before, "commit, branch, files and index are the user's");
}

#[test]
fn the_reviewer_does_not_see_an_empty_diff_because_nothing_was_committed() {
    let world = world(&[ARCHITECT, ALWAYS_WORKS, DEVELOPER, CRITICAL, IMPLEMENT], "max_review_rounds: 1");
    start(&world, &["--auto"]);
    let asked: Vec<String> = world.server.requests().iter().map(|request| format!("{request:?}")).collect();
    let review = asked.iter().find(|request| request.contains("You are the Reviewer")).unwrap();
    assert!(review.contains("+echo $(($1 + $2))"), "{review}");
    assert!(!review.contains("It adds now."), "never the Developer's own words");
    assert!(!review.contains("b/docs/plans"), "the plan is not part of the change: {review}");
}

#[test]
fn the_review_cap_does_not_end_as_success() {
    let world = world(&[ARCHITECT, ALWAYS_WORKS, DEVELOPER, CRITICAL, IMPLEMENT], "max_review_rounds: 2");
    let output = start(&world, &["--auto"]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(6), "{message}");
    assert!(message.contains("2 review rounds are used up and 1 finding is open"), "{message}");
    assert!(status(&world).contains("rounds"), "{}", status(&world));
    assert_eq!(commits(&world), Vec::<String>::new());
    let more = world.amelia(&["resume", "--follow", &world.run_id(), "--approve", "--message", "go on"]);
    assert_eq!(more.status.code(), Some(6), "two more rounds, then it asks again: {}", text(&more.stderr));
    assert!(text(&more.stderr).contains("4 review rounds are used up"), "{}", text(&more.stderr));
}

#[test]
fn silence_of_the_person_does_not_count_as_approval() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    let output = start(&world, &[]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(6), "{message}");
    assert!(message.contains("the plan is waiting for you") && message.contains("approve"), "{message}");
    assert!(status(&world).contains("approval"), "{}", status(&world));
    let again = world.amelia(&["resume", "--follow", &world.run_id()]);
    assert_eq!(again.status.code(), Some(6));
    assert_eq!(commits(&world), Vec::<String>::new());
    let plan = text(&world.amelia(&["plan"]).stdout);
    assert!(plan.contains("### Task 2: Say how it is used"), "{plan}");
    let done = world.amelia(&["approve", "--follow"]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert_eq!(commits(&world).len(), 2);
    let twice = world.amelia(&["approve", "--follow", &world.run_id()]);
    assert_eq!(twice.status.code(), Some(5), "{}", text(&twice.stderr));
    let late = world.amelia(&["reject", "--follow", &world.run_id(), "--feedback", "no"]);
    assert_eq!(late.status.code(), Some(5), "{}", text(&late.stderr));
}

#[test]
fn silence_of_the_reviewer_does_not_count_as_approval() {
    let silent = r#####"
  - when: { model: reviewer }
    reply: { text: Looks good to me! }
"#####;
    let world = world(&[ARCHITECT, DEVELOPER, silent], "");
    let output = start(&world, &["--auto"]);
    assert_eq!(output.status.code(), Some(6), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("the reviewer gave no verdict"), "{}", text(&output.stderr));
    assert_eq!(commits(&world), Vec::<String>::new());
    let asked = world
        .server
        .requests()
        .iter()
        .filter(|request| format!("{request:?}").contains("You are the Reviewer"))
        .count();
    assert_eq!(asked, 3, "asked again, then a person decides");
}

#[test]
fn reject_feedback_reaches_the_architect() {
    let world = world(&[ARCHITECT, REVISED, DEVELOPER, CONTENT], "");
    start(&world, &[]);
    let sent_back = world.amelia(&["reject", "--follow", "--feedback", "call it sum.sh"]);
    assert_eq!(sent_back.status.code(), Some(6), "{}", text(&sent_back.stderr));
    let plan = text(&world.amelia(&["plan"]).stdout);
    assert!(plan.contains("### Task 1: Add as sum.sh") && !plan.contains("Task 2"), "{plan}");
    assert!(world.amelia(&["approve", "--follow", "--feedback", "mind the tabs"]).status.success());
    assert_eq!(commits(&world), ["feat(S-1): Add as sum.sh"]);
    let told = world.server.requests().iter().any(|request| format!("{request:?}").contains("mind the tabs"));
    assert!(told, "what was said with the approval reaches the Developer");
}

#[test]
fn an_unknown_model_price_is_not_shown_as_nothing() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    let output = start(&world, &["--auto"]);
    let shown = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success(), "{shown}");
    assert!(shown.contains("cost unknown"), "{shown}");
    assert!(!shown.contains("0.0000 USD") && !shown.contains("$0"), "{shown}");
}
