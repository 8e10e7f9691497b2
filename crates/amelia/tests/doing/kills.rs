//! SIGKILL at random moments of a run that edits files and runs commands. `AMELIA_KILLS` says how many; the default is
//! small enough for every test run.

use std::time::{Duration, Instant};

use crate::world::{World, orphans, random, until};

/// Kills of a whole test run when nobody says otherwise.
const KILLS: u32 = 12;

/// A model that looks before it repeats what was interrupted. Slow enough that a kill lands inside the work.
const CAREFUL: &str = r#"
rules:
  - when: { turn: 0 }
    reply: { delay_ms: 15, tool_calls: [{ name: read_file, args: { path: calc.sh } }] }
  - when: { last: 'interrupted, outcome unknown' }
    reply:
      delay_ms: 15
      tool_calls:
        - { name: read_file, args: { path: calc.sh } }
        - { name: read_file, args: { path: runs.log } }
  - name: the edit has just been made
    when: { last: '@@' }
    reply: { delay_ms: 15, tool_calls: [{ name: shell, args: { command: "echo ran >> runs.log; ./test.sh" } }] }
  - name: not edited yet
    when: { last: '$1 - $2' }
    reply:
      delay_ms: 15
      tool_calls: [{ name: edit_file, args: { path: calc.sh, edits: [{ old: '$1 - $2', new: '$1 + $2' }] } }]
  - name: edited and run
    when: { last_regex: '(?s)\$1 \+ \$2.*ran' }
    reply: { text: It was done already. }
  - name: edited, not run
    when: { last: '$1 + $2' }
    reply: { delay_ms: 15, tool_calls: [{ name: shell, args: { command: "echo ran >> runs.log; ./test.sh" } }] }
  - when: { last: ok }
    reply: { text: The test passes. }
"#;

#[test]
fn whatever_the_moment_of_the_kill_the_tree_is_the_same_in_the_end() {
    let kills = std::env::var("AMELIA_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(KILLS);
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    let mut done = 0;
    while done < kills {
        done += one_run(kills - done, &mut seed);
    }
}

/// One run, killed until it has ended; says how often.
fn one_run(most: u32, seed: &mut u64) -> u32 {
    let world = World::new(CAREFUL);
    let first = world.doing("chat", &["--quiet"]);
    let mut arguments: Vec<String> = first;
    let mut kills = 0;
    loop {
        let started = Instant::now();
        let mut child = world.start(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        let delay = Duration::from_millis(random(seed) % 250);
        let is_last = kills >= most;
        let ended = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break Some(status);
            }
            if !is_last && started.elapsed() > delay {
                child.kill().unwrap();
                child.wait().unwrap();
                break None;
            }
            std::thread::yield_now();
        };
        if ended.is_none() {
            kills += 1;
        }
        let Some(row) = world.run() else { continue };
        if row["view"]["status"] == "completed" {
            break;
        }
        assert!(ended.is_none_or(|status| status.success()), "{row}");
        arguments = ["resume", row["run"]["id"].as_str().unwrap(), "--quiet"].map(str::to_owned).to_vec();
    }
    check(&world);
    kills.max(1)
}

fn check(world: &World) {
    let worktree = world.worktree();
    let fixed = std::fs::read_to_string(worktree.join("calc.sh")).unwrap();
    assert!(fixed.contains("$1 + $2"), "{fixed}");
    let ran = std::fs::read_to_string(worktree.join("runs.log")).unwrap_or_default();
    assert!(ran.lines().count() <= 1, "a command ran twice: {ran}");
    let worktrees = world.git(&["worktree", "list", "--porcelain"]);
    assert_eq!(worktrees.matches("worktree ").count(), 2, "{worktrees}");
    let run = world.run_id();
    until("nobody is left", || orphans(&run).is_empty());
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}
