//! What `approve`, `reject`, `answer` and `resume` show of the run: nothing, how it came out, or all of it.

use crate::crew::{ARCHITECT, CONTENT, DEVELOPER, start, status, world};
use crate::serving::Server;
use crate::world::{World, text, until};

const WAITS: &str = r#####"
  - when: { model: developer, text: "### Task 1:", turn: 0 }
    reply: { tool_calls: [{ name: shell, args: { command: "while [ ! -e ../go-on ]; do sleep 0.02; done" } }] }
"#####;

const ASKS: &str = r#"
rules:
  - when: { turn: 0 }
    reply: { tool_calls: [{ name: ask_human, args: { question: "Sum or product?" } }] }
  - when: { turn: 1 }
    reply: { tool_calls: [{ name: ask_human, args: { question: "Really?" } }] }
  - when: { turn: 2 }
    reply: { text: "It is a sum." }
"#;

/// A mark of progress: someone works on it.
const PROGRESS: &str = "Developer";

#[test]
fn without_a_flag_a_command_returns_while_the_run_is_at_work() {
    let world = world(&[ARCHITECT, WAITS, DEVELOPER, CONTENT], "");
    start(&world, &[]);
    let told = world.amelia(&["approve"]);
    let shown = text(&told.stdout);
    assert!(told.status.success(), "{}", text(&told.stderr));
    assert!(shown.contains("follow it:") && !shown.contains(PROGRESS), "{shown}");
    assert!(status(&world).contains("running"), "{}", status(&world));
    // Paused and resumed, it is the same.
    let run = world.run_id();
    assert!(world.amelia(&["pause", &run]).status.success());
    std::fs::write(world.home().join("worktrees/go-on"), "").unwrap();
    until("it is paused", || status(&world).contains("pause"));
    let told = world.amelia(&["resume", &run]);
    let shown = text(&told.stdout);
    assert!(told.status.success(), "{}", text(&told.stderr));
    assert!(shown.contains("follow it:") && !shown.contains(PROGRESS), "{shown}");
}

#[test]
fn wait_prints_only_how_it_came_out() {
    // The second plan is the first one, and is written at once.
    let again = ARCHITECT.replace("turn: 0", "turn: 9").replace("turn: 1", "turn: 2");
    let world = world(&[ARCHITECT, &again, DEVELOPER, CONTENT], "");
    start(&world, &[]);
    let told = world.amelia(&["reject", "--feedback", "Again, please", "--wait"]);
    assert_eq!(told.status.code(), Some(6), "{}", text(&told.stderr));
    assert_eq!(text(&told.stdout), "");
    assert!(text(&told.stderr).contains("the plan is waiting for you"), "{}", text(&told.stderr));
    let told = world.amelia(&["approve", "--wait"]);
    assert!(told.status.success(), "{}", text(&told.stderr));
    let told = text(&told.stdout);
    assert!(
        told.starts_with("r1 completed\n") && told.ends_with("\nbranch amelia/s-1, 2 commits\n"),
        "{told}"
    );
}

#[test]
fn follow_shows_progress() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    start(&world, &[]);
    let told = world.amelia(&["approve", "--follow"]);
    assert!(told.status.success(), "{}", text(&told.stderr));
    let shown = format!("{}{}", text(&told.stdout), text(&told.stderr));
    assert!(shown.contains(PROGRESS), "{shown}");
}

#[test]
fn a_run_of_one_agent_is_shown_in_the_command_that_answers_it_unless_it_only_waits() {
    let world = World::new(ASKS);
    assert_eq!(world.run_do("chat", &[]).status.code(), Some(6));
    let run = world.run_id();
    let refused = world.amelia(&["approve", "r1"]);
    assert_eq!(refused.status.code(), Some(5));
    assert!(text(&refused.stderr).contains("answer r1 'YOUR ANSWER'"), "{}", text(&refused.stderr));
    let told = world.amelia(&["answer", &run, "a sum"]);
    assert_eq!(told.status.code(), Some(6), "{}", text(&told.stderr));
    assert!(world.told(1).concat().contains("a sum"), "{:?}", world.told(1));
    assert!(text(&told.stderr).contains("Really?"), "{}", text(&told.stderr));
    let told = world.amelia(&["answer", &run, "--message", "yes", "--wait"]);
    assert!(told.status.success(), "{}", text(&told.stderr));
    assert_eq!(text(&told.stdout), "r1 completed\nIt is a sum.\nbranch amelia/make-the-failing-test-pass\n");
}

#[test]
fn a_quiet_command_prints_the_answer_and_nothing_else() {
    let world = World::new("rules: [{ reply: { text: It is a sum. } }]");
    let told = world.run_do("chat", &["--quiet"]);
    assert!(told.status.success(), "{}", text(&told.stderr));
    assert_eq!(text(&told.stdout), "It is a sum.\n");
}

#[test]
fn a_run_of_one_agent_that_a_server_works_on_is_left_to_it() {
    let world = World::new(ASKS);
    assert_eq!(world.run_do("chat", &[]).status.code(), Some(6));
    let run = world.run_id();
    let _server = Server::start(&world);
    let told = world.amelia(&["answer", &run, "--message", "a sum"]);
    let shown = text(&told.stdout);
    assert!(told.status.success(), "{}", text(&told.stderr));
    assert!(shown.contains("follow it:") && !shown.contains(PROGRESS), "{shown}");
    until("it asks again", || text(&world.amelia(&["inbox"]).stdout).contains("Really?"));
    let told = world.amelia(&["answer", &run, "--message", "yes", "--wait"]);
    assert!(told.status.success(), "{}", text(&told.stderr));
    assert_eq!(text(&told.stdout), "r1 completed\nIt is a sum.\nbranch amelia/make-the-failing-test-pass\n");
}
