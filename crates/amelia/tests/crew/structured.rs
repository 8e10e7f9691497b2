//! Step by step: the commands of a plan are run by the orchestrator, and compared.

use crate::crew::{CONTENT, commits, logs, start, status, world};
use crate::kills::serving;
use crate::world::{orphans, text, until};

const STRUCTURED: &str = "execution_mode: structured";

/// A plan in the usual order: see it fail, mend it, see it pass.
const ARCHITECT: &str = r#####"
  - when: { model: architect }
    reply:
      tool_calls:
        - name: write_plan
          args:
            goal: The sample adds its two numbers and says how it is used, as the issue asks for it.
            architecture: It stays one shell script with one test beside it, nothing is added to that.
            tasks:
              - number: "1"
                title: Add
                steps:
                  - { description: See that it fails, command: ./test.sh, expected: FAIL with "expected 5" }
                  - { description: Replace the minus }
                  - { description: See that it passes, command: "./test.sh", expected: ok }
                  - { description: Commit, command: "git commit -am wrong" }
"#####;

fn asked(world: &crate::world::World) -> Vec<String> {
    let all = world.server.requests().iter().map(|request| format!("{request:?}")).collect::<Vec<_>>();
    all.into_iter().filter(|request| request.contains("You are the Developer")).collect()
}

#[test]
fn commands_of_a_plan_are_run_and_the_developer_does_the_other_steps() {
    let developer = r#####"
  - when: { model: developer, last: "Step 2: Replace the minus" }
    reply: { tool_calls: [{ name: edit_file, args: { path: calc.sh, edits: [{ old: '$1 - $2', new: '$1 + $2' }] } }] }
  - when: { model: developer, last: "Step 4: Commit" }
    reply: { text: That is not for me to do. }
  - when: { model: developer }
    reply: { text: Replaced. }
"#####;
    let world = world(&[ARCHITECT, developer, CONTENT], STRUCTURED);
    let output = start(&world, &["--auto"]);
    assert!(output.status.success(), "{}\n{}", text(&output.stderr), logs(&world));
    assert_eq!(commits(&world), ["feat(S-1): Add"]);
    let log = logs(&world);
    let (fails, token_registry) =
        (log.find("checks: step 1 passed").unwrap(), log.find("checks: step 3 passed").unwrap());
    assert!(fails < token_registry, "{log}");
    let asked = asked(&world);
    assert!(asked[0].contains("### Task 1:") && asked[0].contains("The task has 4 steps"), "{}", asked[0]);
    assert_eq!(asked.len(), 3, "once for the minus and its result, once for the last step");
}

#[test]
fn a_step_that_does_not_come_out_as_expected_goes_to_the_developer_then_to_a_person() {
    let lazy = r#####"
  - when: { model: developer, last_regex: "did not come out|Step 2|Step 4" }
    reply: { text: I believe it is right. }
"#####;
    let counted = ARCHITECT.replace(r#"command: "./test.sh""#, r#"command: "echo x >> tries; ./test.sh""#);
    let world = world(&[&counted, lazy, CONTENT], &format!("{STRUCTURED}\nmax_review_rounds: 3"));
    let output = start(&world, &["--auto"]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(6), "{message}\n{}", logs(&world));
    assert!(
        message.contains("step 3 (`echo x >> tries; ./test.sh`) did not give the expected result 3 times"),
        "{message}"
    );
    assert!(status(&world).contains("rounds"), "{}", status(&world));
    let told = asked(&world)
        .iter()
        .filter(|request| request.contains("did not come out as the plan expects"))
        .count();
    assert_eq!(told, 2, "it was to mend it twice");
    assert_eq!(commits(&world), Vec::<String>::new());
    let taken = world.amelia(&["resume", "--follow", &world.run_id(), "--accept"]);
    assert!(taken.status.success(), "{}\n{}", text(&taken.stderr), logs(&world));
    assert_eq!(world.git(&["show", "amelia/s-1:tries"]), "x\nx\nx\n", "not once more to accept it");
}

#[test]
fn a_person_who_lets_a_step_go_on_sends_it_to_the_developer_before_it_is_tried_again() {
    let late = r#####"
  - when: { model: developer, last: "Replace it, says the person" }
    reply: { tool_calls: [{ name: edit_file, args: { path: calc.sh, edits: [{ old: '$1 - $2', new: '$1 + $2' }] } }] }
  - when: { model: developer }
    reply: { text: I believe it is right. }
"#####;
    let counted = ARCHITECT.replace(r#"command: "./test.sh""#, r#"command: "echo x >> tries; ./test.sh""#);
    let world = world(&[&counted, late, CONTENT], &format!("{STRUCTURED}\nmax_review_rounds: 1"));
    assert_eq!(start(&world, &["--auto"]).status.code(), Some(6), "{}", logs(&world));
    let run = world.run_id();
    let more =
        world.amelia(&["resume", "--follow", &run, "--approve", "--message", "Replace it, says the person"]);
    assert!(more.status.success(), "{}\n{}", text(&more.stderr), logs(&world));
    assert_eq!(world.git(&["show", "amelia/s-1:tries"]), "x\nx\n");
}

#[test]
fn every_line_of_a_command_is_run() {
    let comment = ARCHITECT.replace(
        r#"command: "./test.sh""#,
        r##"command: "# run the tests\n./test.sh  \n\necho `echo a  b` > c""##,
    );
    let developer = r#####"
  - when: { model: developer, last: "Step 2: Replace the minus" }
    reply: { tool_calls: [{ name: edit_file, args: { path: calc.sh, edits: [{ old: '$1 - $2', new: '$1 + $2' }] } }] }
  - when: { model: developer }
    reply: { text: Replaced. }
"#####;
    let world = world(&[&comment, developer, CONTENT], STRUCTURED);
    let output = start(&world, &["--auto"]);
    assert!(output.status.success(), "{}\n{}", text(&output.stderr), logs(&world));
    assert_eq!(world.git(&["show", "amelia/s-1:c"]), "a b\n");
}

#[test]
fn a_command_that_was_interrupted_is_not_repeated_and_the_developer_finishes_the_step() {
    let slow = ARCHITECT.replace(
        r#"command: ./test.sh, expected: FAIL with "expected 5""#,
        r#"command: "echo ran >> ran; [ $(wc -l < ran) -gt 1 ] || sleep 1000", expected: ran"#,
    );
    let developer = r#####"
  - when: { model: developer, last: "The outcome is unknown" }
    reply: { tool_calls: [{ name: write_file, args: { path: finished, content: "yes\n" } }] }
  - when: { model: developer, last: "Step 2: Replace the minus" }
    reply: { tool_calls: [{ name: edit_file, args: { path: calc.sh, edits: [{ old: '$1 - $2', new: '$1 + $2' }] } }] }
  - when: { model: developer }
    reply: { text: Done. }
"#####;
    let world = world(&[&slow, developer, CONTENT], STRUCTURED);
    let mut server = serving(&world);
    // It follows the run, so it does not end before the server does.
    let mut order = world.start(&["start", "S-1", "--title", "It does not add", "--auto", "--no-autostart"]);
    until("the command runs", || {
        let worktrees = std::fs::read_dir(world.home().join("worktrees"));
        worktrees.is_ok_and(|mut all| all.any(|tree| tree.is_ok_and(|tree| tree.path().join("ran").exists())))
    });
    server.kill().unwrap();
    server.wait().unwrap();
    order.kill().unwrap();
    order.wait().unwrap();
    let mut server = serving(&world);
    until("it is done", || {
        let status = status(&world);
        assert!(!status.contains("failed"), "{}", logs(&world));
        status.contains("completed")
    });
    server.kill().unwrap();
    server.wait().unwrap();
    assert_eq!(world.git(&["show", "amelia/s-1:ran"]), "ran\n", "once");
    assert_eq!(world.git(&["show", "amelia/s-1:finished"]), "yes\n");
    assert!(logs(&world).contains("step 1 was interrupted, its outcome is unknown"), "{}", logs(&world));
    until("nobody is left", || orphans(&world.run_id()).is_empty());
}
