//! Questions answered in place, in a real terminal, while a run is followed. What a person types is looked for where it
//! counts: in the worktree, in the request to the model, in the profile.

use crate::crew::{ARCHITECT, CONTENT, DEVELOPER, cast_profile, commits, logs, start, world};
use crate::terminal::{PROMPT, START, Session};
use crate::world::{World, text};

/// One command that is allowed once, one that comes again, and one for always.
const COMMANDS: &str = r#"
rules:
  - when: { turn: 0 }
    reply: { tool_calls: [{ name: shell, args: { command: "echo once >> n.txt" } }] }
  - when: { turn: 1 }
    reply: { tool_calls: [{ name: shell, args: { command: "echo refused >> n.txt" } }] }
  - when: { turn: 2 }
    reply: { tool_calls: [{ name: shell, args: { command: "echo run >> n.txt" } }] }
  - when: { turn: 3 }
    reply: { tool_calls: [{ name: shell, args: { command: "echo run >> n.txt" } }] }
  - when: { turn: 4 }
    reply: { tool_calls: [{ name: shell, args: { command: "echo always >> n.txt" } }] }
  - when: { turn: 5 }
    reply: { text: It is made. }
"#;

#[test]
fn a_call_is_allowed_once_for_the_run_or_always_in_place() {
    let world = World::new(COMMANDS);
    let options = format!("base_url: '{}/v1', permissions: commands", world.server.url());
    let developer = format!("    developer: {{ driver: api, model: developer, options: {{ {options} }} }}\n");
    cast_profile(&world, &["architect", "reviewer", "evaluator"], "repo_root", &developer);
    let mut session = Session::start(&world, &["do", "'make it'"]);
    for (command, answer) in
        [("echo once", "y"), ("echo refused", "not this one"), ("echo run", "r"), ("echo always", "a")]
    {
        session.until(command);
        session.until("[y]es allows it once");
        session.until(PROMPT);
        session.type_line(answer);
    }
    let shown = session.finish();
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    for told in [
        "developer may use shell(echo run >> n.txt) in this run",
        "developer may always use shell(echo always >> n.txt)",
    ] {
        assert!(words.contains(told), "{told:?} is not in:\n{shown}");
    }
    let made = std::fs::read_to_string(world.worktree().join("n.txt")).unwrap();
    assert_eq!(made, "once\nrun\nrun\nalways\n");
    assert!(world.told(2).concat().contains("not this one"), "{:?}", world.told(2));
    let kept = text(&world.amelia(&["permission", "list"]).stdout);
    assert!(kept.contains("shell(echo always >> n.txt)"), "{kept}");
    assert!(!kept.contains("echo once") && !kept.contains("echo run"), "{kept}");
}

/// A question with options, which a person can name by their numbers.
const ASKS: &str = r#"
  - when: { model: developer, turn: 0 }
    reply: { tool_calls: [{ name: ask_human, args: { question: "Which port?", options: ["8420", "eighty"] } }] }
  - when: { model: developer, turn: 1 }
    reply: { text: "It listens there." }
"#;

#[test]
fn a_question_of_an_agent_is_answered_by_the_number_of_an_option_in_place() {
    let world = world(&[ASKS], "");
    let mut session = Session::start(&world, &["do", "'choose a port'"]);
    for line in ["Which port?", "1. 8420", "2. eighty", PROMPT] {
        session.until(line);
    }
    session.type_line("2");
    let shown = session.finish();
    assert!(shown.contains("you         answered: eighty\n"), "{shown}");
    assert!(world.told(1).concat().contains("eighty"), "{:?}", world.told(1));
}

#[test]
fn a_check_that_cannot_run_is_replaced_in_the_profile_and_runs_in_place() {
    let missing = "checks: [{ name: tests, command: no-such-test-runner --all, timeout: 30 }]";
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], missing);
    let mut session = Session::start(&world, &[&START[..], &["'2 and 3 give -1'", "--auto"]].concat());
    session.until("[y]es runs the checks that the profile has now");
    session.until(PROMPT);
    session.type_line("perhaps");
    session.until("write y to run the checks again, or s to cancel the run");
    session.until(PROMPT);
    let file = world.repository().join("../crew.yaml");
    let profile = std::fs::read_to_string(&file).unwrap().replace("no-such-test-runner --all", "./test.sh");
    std::fs::write(&file, profile).unwrap();
    let kept = world.amelia(&["config", "profile", "apply", "-f", file.to_str().unwrap()]);
    assert!(kept.status.success(), "{}", text(&kept.stderr));
    session.type_line("y");
    session.finish();
    assert!(logs(&world).contains("runs these checks from now on: tests"), "{}", logs(&world));
    assert_eq!(commits(&world).len(), 2);
}

#[test]
fn a_run_is_stepped_through_and_resumed_at_a_breakpoint_in_place() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    assert_eq!(start(&world, &[]).status.code(), Some(6), "the plan waits");
    assert!(world.amelia(&["breakpoint", "r1", "check"]).status.success());
    let mut session = Session::start(&world, &["approve", "r1", "--follow"]);
    session.until("[y]es resumes");
    session.until(PROMPT);
    session.type_line("");
    session.end();
    let visits = |node: &str| world.run().unwrap()["view"]["nodes"][node]["visits"].as_u64();
    assert_eq!(visits("check"), None, "an empty line decides later");

    let mut session = Session::start(&world, &["step", "r1", "--follow"]);
    session.until("[y]es runs the next step");
    session.until(PROMPT);
    assert_eq!((visits("check"), visits("review")), (Some(1), None));
    session.type_line("y");
    session.until("[y]es runs the next step");
    session.until(PROMPT);
    assert_eq!((visits("review"), commits(&world).len()), (Some(1), 0));
    session.type_line("c");
    session.until("[y]es resumes");
    session.until(PROMPT);
    assert_eq!(commits(&world).len(), 1, "up to the breakpoint in the second task");
    session.type_line("y");
    session.finish();
    assert_eq!(commits(&world).len(), 2);
}
