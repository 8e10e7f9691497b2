use crate::world::{FIX, KEY, World, text};

fn fixes_the_sample(wire: &str) {
    let world = World::new(FIX);
    let before = (world.git(&["status", "--porcelain"]), world.git(&["rev-parse", "HEAD"]));
    let output = world.run_do(wire, &[]);
    let shown = text(&output.stdout);
    assert!(output.status.success(), "{shown}{}", text(&output.stderr));
    assert!(shown.contains("The sum was a difference."), "{shown}");
    assert!(shown.contains("✓ edit "), "{shown}");
    assert!(shown.contains("calc.sh +1 -1"), "{shown}");
    assert!(shown.contains("not committed: ") && shown.contains(" merge r1` commits "), "{shown}");
    assert!(shown.contains("4 model calls, ") && shown.contains(" tokens, cost unknown"), "{shown}");

    let fixed = std::fs::read_to_string(world.worktree().join("calc.sh")).unwrap();
    assert!(fixed.contains("$1 + $2"), "{fixed}");
    let diff = text(&world.amelia(&["diff", &world.run_id()]).stdout);
    assert!(diff.contains("+echo $(($1 + $2))"), "{diff}");
    let after = (world.git(&["status", "--porcelain"]), world.git(&["rev-parse", "HEAD"]));
    assert_eq!(after, before, "the user's checkout is not touched");
    let branches = world.git(&["branch", "--list", "amelia/*"]);
    assert!(branches.contains("amelia/make-the-failing-test-pass"), "{branches}");
}

#[test]
fn one_agent_fixes_a_failing_test_over_chat() {
    fixes_the_sample("chat");
}

#[test]
fn one_agent_fixes_a_failing_test_over_responses() {
    fixes_the_sample("responses");
}

#[test]
fn one_agent_fixes_a_failing_test_over_messages() {
    fixes_the_sample("messages");
}

#[test]
fn in_place_works_in_the_checkout_itself() {
    let world = World::new(FIX);
    let output = world.run_do("chat", &["--in-place"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(!text(&output.stdout).contains("not committed"), "{}", text(&output.stdout));
    assert_eq!(world.git(&["status", "--porcelain"]).trim(), "M calc.sh");
}

#[test]
fn a_key_shows_up_nowhere() {
    let world = World::new(
        r#"
rules:
  - when: { turn: 0 }
    reply: { tool_calls: [{ name: shell, args: { command: "env; cat /proc/$PPID/environ | tr '\\0' '\\n' | grep -c nothing" } }] }
  - when: { turn: 1 }
    reply: { text: done }
"#,
    );
    let output = world.run_do("chat", &["--json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let events = text(&output.stdout);
    assert!(events.contains("agent"), "{events}");
    for (what, bytes) in [("output", output.stdout), ("errors", output.stderr)] {
        assert!(!text(&bytes).contains(KEY), "the key is in the {what}");
    }
    for entry in std::fs::read_dir(world.home()).unwrap().flatten().filter(|entry| entry.path().is_file()) {
        let bytes = std::fs::read(entry.path()).unwrap();
        let found = bytes.windows(KEY.len()).any(|window| window == KEY.as_bytes());
        assert!(!found, "the key is in {}", entry.path().display());
    }
}

#[test]
fn a_read_only_agent_is_offered_nothing_that_writes() {
    let world = World::new("rules: [{ when: { turn: 0 }, reply: { text: I looked. } }]");
    let output = world.run_do("chat", &["--read-only"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let body = world.server.requests()[0].body.clone();
    let mut names: Vec<&str> = body["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["function"]["name"].as_str().unwrap())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["ask_human", "git_diff", "git_log", "list_files", "read_file", "search"]);
}

#[test]
fn a_run_that_changed_nothing_offers_no_diff() {
    let world = World::new("rules: [{ reply: { text: hello } }]");
    let output = world.run_do("chat", &[]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    assert!(shown.contains("nothing was changed") && !shown.contains(" diff "), "{shown}");
    for (command, end) in [("status", "  completed\n"), ("why", "It is completed")] {
        let shown = text(&world.amelia(&[command, "r1"]).stdout);
        assert!(shown.contains(end) && !shown.contains(" diff "), "{shown}");
    }
}

#[test]
fn a_worktree_is_listed_and_removed_only_when_nothing_is_lost() {
    let world = World::new(FIX);
    assert!(world.run_do("chat", &[]).status.success());
    let listed = text(&world.amelia(&["worktree", "list"]).stdout);
    assert!(listed.contains("amelia/make-the-failing-test-pass") && listed.starts_with("r1 "), "{listed}");
    let run = world.run_id();
    let refused = world.amelia(&["worktree", "remove", &run]);
    assert_eq!(refused.status.code(), Some(5), "{}", text(&refused.stderr));
    assert!(text(&refused.stderr).contains("calc.sh"), "{}", text(&refused.stderr));
    let stray = world.home().join("worktrees/stray");
    std::fs::create_dir(&stray).unwrap();
    let removed = world.amelia(&["worktree", "remove", &run, "--discard"]);
    assert!(removed.status.success(), "{}", text(&removed.stderr));
    let listed = text(&world.amelia(&["worktree", "list"]).stdout);
    assert!(listed.contains("stray") && listed.contains("left over"), "{listed}");
    assert!(!listed.contains("failing-test"), "{listed}");
    assert!(world.git(&["branch", "--list", "amelia/*"]).contains("failing-test"), "the branch is kept");
}
