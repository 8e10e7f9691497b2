//! Forks: a new run from a moment of another, with the commits, the files and the questions of that moment.

use serde_json::json;

use crate::committing::hook;
use crate::crew::{ARCHITECT, CHECKED, CONTENT, DEVELOPER, start, world};
use crate::serving::Server;
use crate::world::{KEY, World, text, until};

/// A Developer that asks a person after its first edit.
const ASKS: &str = r#####"
  - when: { model: developer, text: "The answer is: green" }
    reply: { text: It is done. }
  - when: { model: developer, text: "### Task 1:", turn: 0 }
    reply: { tool_calls: [{ name: edit_file, args: { path: calc.sh, edits: [{ old: '$1 - $2', new: '$1 + $2' }] } }] }
  - when: { model: developer, text: "### Task 1:", turn: 1 }
    reply: { tool_calls: [{ name: ask_human, args: { question: "Which colour?" } }] }
  - when: { model: developer, text: "### Task 1:", turn: 2 }
    reply: { text: It is done. }
"#####;

/// Forks `run` at its last checkpoint that fits; the fork, and what was printed.
fn fork(world: &World, run: &str, fits: impl Fn(&str) -> bool) -> (String, String) {
    let list = text(&world.amelia(&["checkpoints", run, "--json"]).stdout);
    let checkpoints: serde_json::Value = serde_json::from_str(&list).unwrap();
    let all = checkpoints.as_array().unwrap();
    let chosen = all.iter().rfind(|checkpoint| fits(&checkpoint.to_string())).unwrap();
    let forked = world.amelia(&["fork", run, "--at", &chosen["number"].to_string()]);
    assert!(forked.status.success(), "{}", text(&forked.stderr));
    let said = text(&forked.stdout);
    let number = said.lines().next().unwrap().trim();
    let fork: serde_json::Value =
        serde_json::from_slice(&world.amelia(&["status", number, "--json", "--stored"]).stdout).unwrap();
    (fork["run"]["id"].as_str().unwrap().to_owned(), said)
}

fn worktree_of(world: &World, run: &str) -> std::path::PathBuf {
    world.worktree().parent().unwrap().join(run)
}

#[test]
fn a_fork_at_the_plan_waits_as_its_run_does_and_the_plan_file_is_no_change() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    assert_eq!(start(&world, &[]).status.code(), Some(6));
    let (fork, _) = fork(&world, "r1", |_| true);
    let started = world.amelia(&["run", &fork]);
    assert_eq!(started.status.code(), Some(5), "{}", text(&started.stderr));
    let said = text(&started.stderr);
    assert!(said.contains("was started already: it is waiting (approval)"), "{said}");
    assert!(said.contains("amelia approve r2"), "{said}");
    for run in ["r1", "r2"] {
        let cancelled = text(&world.amelia(&["cancel", run]).stdout);
        assert!(cancelled.contains("it has changed nothing"), "{cancelled}");
    }
}

#[test]
fn a_fork_of_an_open_question_has_its_files_hears_its_answer_and_is_replayed() {
    let world = world(&[ARCHITECT, ASKS, DEVELOPER, CONTENT], CHECKED);
    start(&world, &["--auto"]);
    let run = world.run_id();
    let (fork, said) = fork(&world, &run, |_| true);
    assert!(said.contains("the files of that checkpoint"), "{said}");
    let done = world.amelia(&["answer", &fork, "--message", "green", "--follow"]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let told = text(&world.amelia(&["logs", &fork, "--json"]).stdout);
    let fenced = r#"You asked:\n\n<untrusted source=\"your question\">\nWhich colour?\n</untrusted>\n\nThe answer is: green"#;
    assert!(told.contains(fenced), "{told}");
    // Its Developer has written nothing: what it committed is what stood in the worktree when it was forked.
    let diff = world.git(&["show", "--format=", "amelia/s-1-2~1"]);
    assert!(diff.contains("+echo $(($1 + $2))"), "{diff}");
    for run in [&fork, &run] {
        let played = world.amelia(&["replay", run]);
        assert!(played.status.success(), "{}{}", text(&played.stdout), text(&played.stderr));
    }
    let file = world.repository().join("../fork.jsonl");
    let exported = world.amelia(&["record", "export", &fork, "-o", file.to_str().unwrap()]);
    assert!(exported.status.success(), "{}", text(&exported.stderr));
    let tested = world.amelia(&["test", file.to_str().unwrap()]);
    assert!(tested.status.success(), "{}", text(&tested.stdout));
}

#[test]
fn a_fork_in_the_middle_of_a_task_has_what_was_not_committed() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], CHECKED);
    assert!(start(&world, &["--auto"]).status.success());
    let (fork, said) = fork(&world, &world.run_id(), |checkpoint| checkpoint.contains("\"review\""));
    let way = |text: &str| text.lines().find_map(|line| Some(line.trim().strip_prefix("next ")?.to_owned()));
    let why = text(&world.amelia(&["why", &fork]).stdout);
    assert!(way(&said).unwrap().ends_with(" run r2"), "{said}");
    assert_eq!(way(&said), way(&why), "one way everywhere");
    let done = world.amelia(&["run", "--follow", &fork]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let log = text(&world.amelia(&["logs", &fork]).stdout);
    assert!(log.contains("started as a fork") && !log.contains("after a restart"), "{log}");
    let branch = world.git(&["log", "--format=%s", "--reverse", "main..amelia/s-1-2"]);
    assert_eq!(branch.lines().count(), 2, "{branch}");
    assert_eq!(
        world.git(&["rev-parse", "amelia/s-1-2^{tree}"]),
        world.git(&["rev-parse", "amelia/s-1^{tree}"]),
    );
}

#[test]
fn a_restored_worktree_has_what_was_not_committed_and_nothing_is_left_elsewhere() {
    let world = world(&[ARCHITECT, ASKS, DEVELOPER, CONTENT], "");
    start(&world, &["--auto"]);
    let run = world.run_id();
    let script = world.worktree().join("calc.sh");
    let edited = std::fs::read_to_string(&script).unwrap();
    std::fs::remove_dir_all(world.worktree()).unwrap();
    let restored = world.amelia(&["worktree", "restore", &run]);
    assert!(restored.status.success(), "{}", text(&restored.stderr));
    assert_eq!(std::fs::read_to_string(&script).unwrap(), edited);
    // In no other checkout, where `--all` and `push --mirror` would find them.
    let worktree = world.worktree();
    let kept = |at: &std::path::Path| {
        world.git(&["-C", at.to_str().unwrap(), "for-each-ref", "refs/worktree", "refs/amelia"])
    };
    assert_eq!(kept(&world.repository()), "");
    world.git(&["gc", "--quiet", "--prune=now"]);
    std::fs::remove_dir_all(&worktree).unwrap();
    assert!(world.amelia(&["worktree", "restore", &run]).status.success());
    assert_eq!(std::fs::read_to_string(&script).unwrap(), edited);
    assert!(world.amelia(&["cancel", &run]).status.success());
    for undo in [&["reset", "--quiet", "--hard"][..], &["clean", "--quiet", "-fd"]] {
        world.git(&[&["-C", worktree.to_str().unwrap()], undo].concat());
    }
    let removed = world.amelia(&["worktree", "remove", &run]);
    assert!(removed.status.success(), "{}", text(&removed.stderr));
    assert_eq!(kept(&world.repository()), "");
}

#[test]
fn a_fork_goes_on_with_the_commits_of_its_moment() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    assert!(start(&world, &["--auto"]).status.success());
    let run = world.run_id();
    let (fork, _) = fork(&world, &run, |checkpoint| checkpoint.contains("finish"));
    let done = world.amelia(&["resume", "--follow", &fork]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let branch = world.git(&["log", "--format=%s", "--reverse", "main..amelia/s-1-2"]);
    assert_eq!(branch.lines().count(), 2, "{branch}");
}

#[test]
fn a_fork_is_prepared_and_its_worktree_is_missed_like_any_other() {
    let helpless = "  - when: { model: developer, last: \"a hook of this repository refused\" }\n    reply: { text: No. }\n";
    let world =
        world(&[ARCHITECT, helpless, DEVELOPER, CONTENT], "worktree_setup: [\"echo ready > .ready\"]");
    start(&world, &[]);
    let run = world.run_id();
    let (fork, _) = fork(&world, &run, |_| true);
    // It rests once more, with a question about its commit.
    hook(&world, "exit 1");
    world.amelia(&["resume", "--follow", &fork, "--approve"]);
    let worktree = worktree_of(&world, &fork);
    assert_eq!(std::fs::read_to_string(worktree.join(".ready")).unwrap(), "ready\n");
    std::fs::remove_dir_all(&worktree).unwrap();
    let refused = world.amelia(&["resume", "--follow", &fork, "--approve"]);
    assert!(text(&refused.stderr).contains("is gone"), "{}", text(&refused.stderr));
}

#[test]
fn a_fork_whose_files_are_gone_does_not_pretend_to_have_them() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], CHECKED);
    assert!(start(&world, &["--auto"]).status.success());
    let run = world.run_id();
    assert!(world.amelia(&["cleanup"]).status.success());
    let number = |fits: &str| {
        let list = text(&world.amelia(&["checkpoints", &run, "--json"]).stdout);
        let checkpoints: serde_json::Value = serde_json::from_str(&list).unwrap();
        let all = checkpoints.as_array().unwrap();
        all.iter().rfind(|checkpoint| checkpoint.to_string().contains(fits)).unwrap()["number"].to_string()
    };
    let refused = world.amelia(&["fork", &run, "--at", &number("\"check\"")]);
    let message = text(&refused.stderr);
    assert!(
        !refused.status.success() && message.contains("the worktree of the run was removed"),
        "{message}"
    );
    assert!(message.contains("where a task starts"), "{message}");
    // A worktree that was made anew does not bring them back.
    assert!(world.amelia(&["worktree", "restore", &run]).status.success());
    let refused = world.amelia(&["fork", &run, "--at", &number("\"check\"")]);
    assert!(text(&refused.stderr).contains("was removed and restored since"), "{}", text(&refused.stderr));
    let forked = world.amelia(&["fork", &run, "--at", &number("finish")]);
    assert!(text(&forked.stdout).contains("the last commit"), "{}", text(&forked.stderr));
}

#[test]
fn what_git_refuses_to_keep_is_not_replaced_by_something_older() {
    let script = r#####"
  - when: { model: developer, text: "### Task 1:", turn: 0 }
    reply: { tool_calls: [{ name: shell, args: { command: "echo one > one.txt" } }] }
  - when: { model: developer, text: "### Task 1:", turn: 1 }
    reply: { tool_calls: [{ name: shell, args: { command: "echo '*.dat filter=broken' > .gitattributes; echo two > two.dat" } }] }
  - when: { model: developer, text: "### Task 1:", turn: 2 }
    reply: { tool_calls: [{ name: ask_human, args: { question: "Which colour?" } }] }
"#####;
    let world = world(&[ARCHITECT, script, CONTENT], "");
    world.git(&["config", "filter.broken.clean", "false"]);
    world.git(&["config", "filter.broken.required", "true"]);
    start(&world, &["--auto"]);
    let (_, said) = fork(&world, &world.run_id(), |_| true);
    assert!(said.contains("the last commit"), "{said}");
}

#[test]
fn a_key_that_is_set_in_a_fork_is_not_kept() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    let config = world.home().join("config");
    std::fs::create_dir_all(&config).unwrap();
    let keys = config.join("keys.env");
    std::fs::write(&keys, format!("DEEPSEEK_API_KEY={KEY}\n")).unwrap();
    std::fs::set_permissions(&keys, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    start(&world, &[]);
    let run = world.run_id();
    let forked = world.amelia(&["fork", &run, "--at", "3", "--set", &format!("feedback=\"{KEY}\"")]);
    assert!(forked.status.success(), "{}", text(&forked.stderr));
    let fork = text(&forked.stdout).lines().next().unwrap().trim().to_owned();
    let kept = text(&world.amelia(&["checkpoints", &fork, "--at", "1"]).stdout);
    assert!(!kept.contains(KEY), "{kept}");
}

#[test]
fn a_fork_of_a_paused_run_is_started_once() {
    let slow = r#####"
  - when: { model: developer, text: "### Task 1:", turn: 0, times: 1 }
    reply: { stall_after: { chunks: 1 }, text: never to its end }
"#####;
    let world = world(&[ARCHITECT, slow, DEVELOPER, CONTENT], "");
    let server = Server::start(&world);
    let run = server.order(&world);
    until("it waits for an approval", || server.status(&run) == "awaiting_approval");
    server.tell(&run, "approve", json!({}));
    // Not only entered: else the stalling answer would be the fork's.
    let is_asked = || world.server.requests().iter().any(|asked| asked.body["model"] == "developer");
    until("the Developer's model is asked", is_asked);
    server.tell(&run, "pause", json!({}));
    until("it is paused", || server.status(&run) == "paused");
    let (fork, _) = fork(&world, &run, |_| true);
    let done = world.amelia(&["resume", &fork, "--wait"]);
    assert!(done.status.success(), "{}{}", text(&done.stdout), text(&done.stderr));
}

#[test]
fn the_worktree_of_a_deleted_run_can_be_removed() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    let server = Server::start(&world);
    let run = server.order(&world);
    until("it waits for an approval", || server.status(&run) == "awaiting_approval");
    let (status, answer) = server.ask("DELETE", &format!("/workflows/{run}"), None);
    assert_eq!(status, 204, "{answer}");
    assert!(worktree_of(&world, &run).exists());
    let removed = world.amelia(&["worktree", "remove", &run, "--discard"]);
    assert!(removed.status.success(), "{}", text(&removed.stderr));
    assert!(!world.home().join("worktrees").join(&run).exists());
}

#[test]
fn a_cancelled_run_names_the_fork_that_continues_it() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], CHECKED);
    start(&world, &[]);
    until("the plan is there", || text(&world.amelia(&["inbox"]).stdout).contains("approve r1"));
    let cancelled = world.amelia(&["cancel"]);
    assert!(cancelled.status.success(), "the only run is meant: {}", text(&cancelled.stderr));
    let why = text(&world.amelia(&["why"]).stdout);
    assert!(why.contains("It was cancelled."), "{why}");
    let checkpoint = why.split("fork r1 --at ").nth(1).unwrap().split(' ').next().unwrap();
    for command in ["resume", "merge"] {
        let refused = world.amelia(&[command, "r1"]);
        assert_eq!(refused.status.code(), Some(5), "{command}: {}", text(&refused.stderr));
        let hint = format!("fork r1 --at {checkpoint}");
        assert!(text(&refused.stderr).contains(&hint), "{command}: {}", text(&refused.stderr));
    }
    let list: serde_json::Value =
        serde_json::from_slice(&world.amelia(&["checkpoints", "r1", "--json"]).stdout).unwrap();
    let last = list.as_array().unwrap().last().unwrap();
    assert_eq!(last["number"].to_string(), checkpoint, "nothing is repeated: {list}");
    let forked = world.amelia(&["fork", "r1", "--at", checkpoint]);
    assert!(forked.status.success(), "{}", text(&forked.stderr));
    let asks = world.amelia(&["resume", "r2", "--wait"]);
    assert_eq!(asks.status.code(), Some(6), "it asks about the plan again: {}", text(&asks.stderr));
    let done = world.amelia(&["approve", "r2", "--wait"]);
    assert!(done.status.success(), "{}", text(&done.stderr));
}
