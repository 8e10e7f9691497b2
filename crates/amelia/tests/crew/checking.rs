//! Checks that fail, and what a person is shown of them.

use crate::crew::{ARCHITECT, CONTENT, DEVELOPER, logs, start, world};
use crate::world::text;

#[test]
fn a_check_whose_program_is_not_installed_is_asked_about_at_once() {
    let world = world(
        &[ARCHITECT, DEVELOPER, CONTENT],
        "checks: [{ name: tests, command: no-such-test-runner --all, timeout: 30 }]",
    );
    let asked = start(&world, &["--auto"]);
    let message = text(&asked.stderr);
    assert_eq!(asked.status.code(), Some(6), "{message}");
    assert!(message.contains("`no-such-test-runner` is not installed"), "{message}");
    let log = logs(&world);
    assert!(!log.contains("review"), "a round was spent on it: {log}");
    assert!(log.contains("waits: a check cannot run") && !log.contains("rounds used up"), "{log}");
    let approved = world.amelia(&["approve", "r1"]);
    assert_eq!(approved.status.code(), Some(5), "{}", text(&approved.stderr));
    let approved = text(&approved.stderr);
    assert!(approved.contains("it is waiting (a check cannot run)"), "{approved}");
    assert!(approved.contains("amelia resume r1 --approve (with the same checks)"), "{approved}");
    assert!(approved.contains("--checks-from-profile (with those that it has now)"), "{approved}");
    let of_developer = world.amelia(&["logs", "r1", "--agent", "Developer"]);
    assert!(text(&of_developer.stdout).contains("Developer"), "{}", text(&of_developer.stdout));
    let of_none = world.amelia(&["logs", "r1", "--agent", "painter"]);
    assert_eq!((of_none.status.code(), text(&of_none.stdout)), (Some(0), String::new()));
    assert!(text(&of_none.stderr).contains("no event of run r1 matches"), "{}", text(&of_none.stderr));
    for command in ["why", "inbox"] {
        let shown = text(&world.amelia(&[command]).stdout);
        assert!(shown.contains("resume r1 --approve (with the same checks)"), "{command}: {shown}");
        assert!(shown.contains("| ") && shown.contains("not found"), "{command}: {shown}");
    }
    // It is asked again as long as it is not there; then the run continues.
    let run = world.run_id();
    let again = world.amelia(&["resume", &run, "--approve", "--wait"]);
    assert_eq!(again.status.code(), Some(6), "{}", text(&again.stderr));
    let refused = world.amelia(&["reject", &run, "--feedback", "not here"]);
    assert_ne!(refused.status.code(), Some(0), "it is not a plan");
}

#[test]
fn a_tool_of_python_that_is_not_installed_is_asked_about_at_once() {
    // This Python sees nothing that is installed beside it.
    let checks = "checks: [{ name: tests, command: python3 -I -S -m pytest -q, timeout: 30 }]";
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], checks);
    let asked = start(&world, &["--auto"]);
    let message = text(&asked.stderr);
    assert_eq!(asked.status.code(), Some(6), "{message}");
    assert!(message.contains("`pytest` is not installed"), "{message}");
    assert!(!logs(&world).contains("review"), "a round was spent on it: {}", logs(&world));
}

#[test]
fn the_end_of_a_failing_check_is_in_the_log_the_reason_and_the_inbox() {
    let failing = "checks: [{ name: tests, command: 'echo E42; exit 1', timeout: 30 }]\nmax_review_rounds: 1";
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], failing);
    let asked = start(&world, &["--auto"]);
    assert_eq!(asked.status.code(), Some(6), "{}", text(&asked.stderr));
    let followed = text(&asked.stdout);
    assert!(followed.contains(" approved automatically (--auto)"), "{followed}");
    assert!(!followed.contains("\nyou "), "{followed}");
    // Each failure that the question counts is shown.
    assert_eq!(logs(&world).matches("checks: tests").count(), 1, "{}", logs(&world));
    for command in ["why", "inbox"] {
        let shown = text(&world.amelia(&[command]).stdout);
        assert!(shown.contains("| E42"), "{command}: {shown}");
        assert!(!shown.contains("has changed nothing so far"), "{command}: {shown}");
    }
    let run = world.run_id();
    let accepted = world.amelia(&["resume", &run, "--accept", "--wait"]);
    let log = logs(&world);
    assert!(log.contains("| E42"), "{}\n{log}", text(&accepted.stderr));
}

#[test]
fn a_run_takes_the_checks_that_its_profile_has_now_and_plays_again() {
    let world = world(
        &[ARCHITECT, DEVELOPER, CONTENT],
        "checks: [{ name: tests, command: no-such-test-runner --all, timeout: 30 }]",
    );
    let asked = start(&world, &["--auto"]);
    assert_eq!(asked.status.code(), Some(6), "{}", text(&asked.stderr));
    assert!(text(&asked.stderr).contains("--checks-from-profile"), "{}", text(&asked.stderr));
    let file = world.repository().join("../crew.yaml");
    let profile = std::fs::read_to_string(&file).unwrap().replace("no-such-test-runner --all", "./test.sh");
    std::fs::write(&file, profile).unwrap();
    let kept = world.amelia(&["config", "profile", "apply", "-f", file.to_str().unwrap()]);
    assert!(kept.status.success(), "{}", text(&kept.stderr));
    let run = world.run_id();
    // The profile alone changes nothing: what a run needs is fixed when it is created.
    let again = world.amelia(&["resume", &run, "--approve", "--wait"]);
    assert_eq!(again.status.code(), Some(6), "{}", text(&again.stderr));
    let resumed = world.amelia(&["resume", &run, "--checks-from-profile", "--wait"]);
    assert!(resumed.status.success(), "{}\n{}", text(&resumed.stderr), logs(&world));
    let log = logs(&world);
    assert!(log.contains("runs these checks from now on: tests"), "{log}");
    let played = world.amelia(&["replay", &run]);
    assert!(played.status.success(), "{}", text(&played.stderr));
    let refused = world.amelia(&["resume", &run, "--checks-from-profile"]);
    assert_eq!(refused.status.code(), Some(5), "{}", text(&refused.stderr));
}
