//! SIGKILL at random moments between an issue and its commits. `AMELIA_KILLS` says how many.

use std::time::{Duration, Instant};

use crate::crew::{ARCHITECT, CHECKED, commits, world};
use crate::world::{World, orphans, random, until};

/// Kills when nobody says otherwise.
const KILLS: u32 = 10;

/// Writes whole files, so that what was interrupted can be done again.
const CAREFUL: &str = r#####"
  - when: { model: developer, last_regex: "created `|replaced `" }
    reply: { delay_ms: 10, text: It is written. }
  - when: { model: developer, text: "### Task 1:" }
    reply: { delay_ms: 10, tool_calls: [{ name: write_file, args: { path: calc.sh, content: "#!/bin/sh\necho $(($1 + $2))\n" } }] }
  - when: { model: developer, text: "### Task 2:" }
    reply: { delay_ms: 10, tool_calls: [{ name: write_file, args: { path: README.md, content: "calc.sh A B\n" } }] }
"#####;

/// Asks for one change in the first task, and gets it.
const REVIEWER: &str = r#####"
  - when: { model: reviewer, text: "later: rejected" }
    reply: { delay_ms: 10, tool_calls: [{ name: submit_review, args: { approved: true, severity: none, comments: [] } }] }
  - when: { model: reviewer, text: "Add instead of subtract" }
    reply: { delay_ms: 10, tool_calls: [{ name: submit_review, args: { approved: false, severity: minor, comments: [{ text: No comment in it. }] } }] }
  - when: { model: reviewer }
    reply: { delay_ms: 10, tool_calls: [{ name: submit_review, args: { approved: true, severity: none, comments: [] } }] }
  - when: { model: evaluator }
    reply: { delay_ms: 10, tool_calls: [{ name: submit_evaluation, args: { decisions: [{ number: 1, title: Comment, disposition: reject, reason: it is two lines }] } }] }
"#####;

#[test]
fn whatever_the_moment_of_the_kill_there_is_one_set_of_commits_and_the_same_tree() {
    let kills = std::env::var("AMELIA_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(KILLS);
    let mut seed = 0x0123_4567_89AB_CDEF_u64;
    let mut done = 0;
    while done < kills {
        done += one_run(kills - done, &mut seed);
    }
}

fn one_run(most: u32, seed: &mut u64) -> u32 {
    let world = world(&[ARCHITECT, CAREFUL, REVIEWER], CHECKED);
    let mut arguments: Vec<String> =
        ["start", "S-1", "--title", "It does not add", "--auto", "--quiet"].map(str::to_owned).to_vec();
    let mut kills = 0;
    loop {
        let started = Instant::now();
        let mut child = world.start(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        let delay = Duration::from_millis(random(seed) % 400);
        loop {
            if child.try_wait().unwrap().is_some() {
                break;
            }
            if kills < most && started.elapsed() > delay {
                child.kill().unwrap();
                child.wait().unwrap();
                kills += 1;
                break;
            }
            std::thread::yield_now();
        }
        let Some(row) = world.run() else { continue };
        let status = row["view"]["status"].clone();
        if status == "completed" {
            break;
        }
        assert_ne!(status, "failed", "{row}");
        let id = row["run"]["id"].as_str().unwrap();
        arguments = ["resume", id, "--quiet"].map(str::to_owned).to_vec();
        if status["waiting"] == "approval" {
            arguments.push("--approve".to_owned());
        }
    }
    check(&world);
    kills.max(1)
}

fn check(world: &World) {
    assert_eq!(commits(world), ["feat(S-1): Add instead of subtract", "docs: say how it is used"]);
    assert_eq!(world.git(&["show", "amelia/s-1:calc.sh"]), "#!/bin/sh\necho $(($1 + $2))\n");
    assert_eq!(world.git(&["show", "amelia/s-1:README.md"]), "calc.sh A B\n");
    let worktrees = world.git(&["worktree", "list", "--porcelain"]);
    assert_eq!(worktrees.matches("worktree ").count(), 2, "{worktrees}");
    let run = world.run_id();
    until("nobody is left", || orphans(&run).is_empty());
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}
