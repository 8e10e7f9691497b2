//! SIGKILL of the server at random moments between an issue and its commits. `AMELIA_KILLS` says how many.

use std::process::Child;
use std::time::{Duration, Instant};

use crate::crew::{ARCHITECT, CHECKED, CONTENT, commits, world};
use crate::parallel::{self, assert_tidy};
use crate::world::{World, orphans, random, text, until};

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

/// Two tasks at the same time that collide, and one after them.
const BESIDE: &str = r#####"
  - when: { model: developer, last_regex: "created `|replaced `" }
    reply: { delay_ms: 10, text: It is written. }
  - when: { model: developer, text: "does not fit with theirs" }
    reply: { delay_ms: 10, tool_calls: [{ name: write_file, args: { path: calc.sh, content: "#!/bin/sh\n# calc.sh A B\necho $(($1 + $2))\n" } }] }
  - when: { model: developer, text: "### Task 1:" }
    reply: { delay_ms: 10, tool_calls: [{ name: write_file, args: { path: calc.sh, content: "#!/bin/sh\necho $(($1 + $2))\n" } }] }
  - when: { model: developer, text: "### Task 2:" }
    reply: { delay_ms: 10, tool_calls: [{ name: write_file, args: { path: calc.sh, content: "#!/bin/sh\n# calc.sh A B\necho $(($2 + $1))\n" } }] }
  - when: { model: developer, text: "### Task 3:" }
    reply: { delay_ms: 10, tool_calls: [{ name: write_file, args: { path: README.md, content: "calc.sh A B\n" } }] }
"#####;

#[test]
fn whatever_the_moment_of_the_kill_there_is_one_set_of_commits_and_the_same_tree() {
    killed(&|| world(&[ARCHITECT, CAREFUL, REVIEWER], CHECKED), check);
}

#[test]
fn whatever_the_moment_of_the_kill_tasks_beside_each_other_become_one_tree() {
    let profile = format!("parallel_tasks: 2\n{CHECKED}");
    killed(&|| world(&[parallel::ARCHITECT, BESIDE, CONTENT], &profile), check_beside);
}

/// Runs until there were enough kills, and looks at what came of every run.
fn killed(made: &dyn Fn() -> World, check: fn(&World)) {
    let kills = std::env::var("AMELIA_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(KILLS);
    let mut seed = 0x0123_4567_89AB_CDEF_u64;
    let mut done = 0;
    while done < kills {
        let world = made();
        done += one_run(&world, kills - done, &mut seed);
        check(&world);
    }
}

/// One order. The server is killed again and again while it is carried out; nobody helps but to approve the plan.
fn one_run(world: &World, most: u32, seed: &mut u64) -> u32 {
    let order = ["start", "S-1", "--title", "It does not add", "--idempotency-key", "once", "--no-autostart"];
    let mut kills = 0;
    let mut is_ordered = false;
    loop {
        let mut server = serving(world);
        let died_at = Instant::now() + Duration::from_millis(random(seed) % 500);
        loop {
            if kills < most && Instant::now() > died_at {
                break;
            }
            // Whatever is not answered in time is asked again.
            is_ordered = is_ordered || world.amelia(&order).status.success();
            let Some(row) = world.run() else { continue };
            let status = row["view"]["status"].clone();
            assert_ne!(status, "failed", "{}", row["view"]["failure"]);
            if status == "completed" {
                server.kill().unwrap();
                server.wait().unwrap();
                return kills.max(1);
            }
            if status["waiting"] == "approval" {
                world.amelia(&["approve", "--no-autostart"]);
            }
        }
        server.kill().unwrap();
        server.wait().unwrap();
        kills += 1;
    }
}

/// A server that listens.
pub(crate) fn serving(world: &World) -> Child {
    let mut server = world.start(&["server"]);
    until("it listens", || {
        let said = || std::fs::read_to_string(world.said()).unwrap_or_default();
        assert!(server.try_wait().unwrap().is_none(), "it ended by itself: {}", said());
        let told = std::fs::read_to_string(world.home().join("server.json")).unwrap_or_default();
        told.contains(&format!("\"pid\":{},", server.id()))
    });
    server
}

fn check(world: &World) {
    assert_eq!(commits(world), ["feat(S-1): Add instead of subtract", "docs: say how it is used"]);
    assert_eq!(world.git(&["show", "amelia/s-1:calc.sh"]), "#!/bin/sh\necho $(($1 + $2))\n");
    assert_eq!(world.git(&["show", "amelia/s-1:README.md"]), "calc.sh A B\n");
    assert_clean(world);
}

fn check_beside(world: &World) {
    let line = ["Merge task 1: Add", "Merge task 2: Say how", "feat(S-1): Say more"];
    assert_eq!(parallel::line(world), line);
    let all = world.git(&["log", "--format=%s", "main..amelia/s-1"]);
    assert_eq!(all.matches("feat(S-1): Add\n").count(), 1, "{all}");
    assert_eq!(
        all.matches("feat(S-1): Say how\n").count(),
        2,
        "as it was done, and as it was made fit: {all}"
    );
    assert_eq!(all.lines().count(), 6, "{all}");
    let script = "#!/bin/sh\n# calc.sh A B\necho $(($1 + $2))\n";
    assert_eq!(world.git(&["show", "amelia/s-1:calc.sh"]), script);
    assert_eq!(world.git(&["show", "amelia/s-1:README.md"]), "calc.sh A B\n");
    assert_clean(world);
}

/// Nothing is left of the work but its branch.
fn assert_clean(world: &World) {
    assert_tidy(world);
    let run = world.run_id();
    until("nobody is left", || orphans(&run).is_empty());
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    // Every life of it is in the recording, and none is lived otherwise.
    let asked = world.server.requests().len();
    let played = world.amelia(&["replay", &run]);
    let shown = text(&played.stdout) + &text(&played.stderr);
    assert!(played.status.success() && shown.contains("the same tree"), "{shown}");
    assert_eq!(world.server.requests().len(), asked, "nobody was asked");
}
