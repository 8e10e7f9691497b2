//! Step by step: the commands of a plan are run by the orchestrator, and compared.

use crate::crew::{CONTENT, commits, logs, start, status, world};
use crate::world::text;

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
    let (fails, passes) =
        (log.find("checks: step 1 passed").unwrap(), log.find("checks: step 3 passed").unwrap());
    assert!(fails < passes, "{log}");
    let asked = asked(&world);
    assert!(asked[0].contains("### Task 1:") && asked[0].contains("Do these steps of 4 now"), "{}", asked[0]);
    assert_eq!(asked.len(), 3, "once for the minus and its result, once for the last step");
}

#[test]
fn a_step_that_does_not_come_out_as_expected_goes_to_the_developer_then_to_a_person() {
    let lazy = r#####"
  - when: { model: developer, last_regex: "did not come out|Step 2|Step 4" }
    reply: { text: I believe it is right. }
"#####;
    let world = world(&[ARCHITECT, lazy, CONTENT], &format!("{STRUCTURED}\nmax_review_rounds: 3"));
    let output = start(&world, &["--auto"]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(6), "{message}\n{}", logs(&world));
    assert!(message.contains("step 3 (`./test.sh`) did not come out as expected 3 times"), "{message}");
    assert!(status(&world).contains("rounds"), "{}", status(&world));
    let told = asked(&world)
        .iter()
        .filter(|request| request.contains("did not come out as the plan expects"))
        .count();
    assert_eq!(told, 2, "it was to mend it twice");
    assert_eq!(commits(&world), Vec::<String>::new());
    let taken = world.amelia(&["resume", "--follow", &world.run_id(), "--accept"]);
    assert!(taken.status.success(), "{}\n{}", text(&taken.stderr), logs(&world));
}
