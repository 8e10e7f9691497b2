//! Ctrl-C, as a terminal sends it: once pauses with the way to go on, again stops. Nothing is lost, nobody is left.

use std::io::Read as _;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::world::{World, orphans, text, until};

/// A command that never ends, and a model that looks before it repeats.
const COMMAND: &str = r#"
rules:
  - when: { turn: 0 }
    reply: { tool_calls: [{ name: shell, args: { command: "touch started; sleep 1000 & sleep 1000" } }] }
  - when: { turn: 1, last: 'interrupted, outcome unknown' }
    reply: { text: It was interrupted. Nothing more to do. }
"#;

fn press(child: &Child) {
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    // Gone already is fine: then it has been pressed often enough.
    kill_process(pid, Signal::INT).ok();
}

/// The program at work, with what it says kept.
fn at_work(world: &World) -> Child {
    let arguments = world.doing("chat", &[]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    world.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn in_the_middle_of_a_command(world: &World) -> Child {
    let child = at_work(world);
    until("the command runs", || world.home().join("worktrees").exists() && has_started(world));
    child
}

fn has_started(world: &World) -> bool {
    let worktrees = std::fs::read_dir(world.home().join("worktrees")).into_iter().flatten().flatten();
    worktrees.into_iter().any(|entry| entry.path().join("started").exists())
}

fn ended(child: Child) -> (ExitStatus, String, String) {
    let output = child.wait_with_output().unwrap();
    (output.status, text(&output.stdout), text(&output.stderr))
}

#[test]
fn once_pauses_a_command_and_the_run_goes_on_when_told_to() {
    let world = World::new(COMMAND);
    let child = in_the_middle_of_a_command(&world);
    press(&child);
    let (status, _, message) = ended(child);
    assert_eq!(status.code(), Some(130), "{message}");
    let run = world.run_id();
    assert!(message.contains("paused") && message.contains("resume r1"), "{message}");
    until("the command is gone", || orphans(&run).is_empty());
    assert_eq!(world.run().unwrap()["view"]["status"]["waiting"], "pause");

    let output = world.amelia(&["resume", &run, "--approve"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("It was interrupted."));
    assert_eq!(world.run().unwrap()["view"]["status"], "completed");
}

#[test]
fn a_run_in_the_foreground_is_controlled_from_another_terminal() {
    let world = World::new(COMMAND);
    let child = in_the_middle_of_a_command(&world);
    let run = world.run_id();
    let said = world.amelia(&["say", &run, "Look twice."]);
    assert!(text(&said.stdout).contains("gets the message as soon as"), "{}", text(&said.stderr));
    let second = world.amelia(&["fork", &run, "--at", "1"]);
    assert_eq!(second.status.code(), Some(5), "a run of its own would end with the command");
    assert!(text(&second.stderr).contains("only that run can be controlled"), "{}", text(&second.stderr));
    let start = world.amelia(&["server", "start"]);
    assert_eq!(start.status.code(), Some(5), "{}", text(&start.stderr));
    let paused = world.amelia(&["pause", &run]);
    assert!(paused.status.success(), "{}", text(&paused.stderr));
    let (status, _, message) = ended(child);
    assert_eq!(status.code(), Some(6), "it was not interrupted here: {message}");
    assert!(message.contains("the run is paused") && message.contains("resume r1"), "{message}");
    assert_eq!(world.run().unwrap()["view"]["status"]["waiting"], "pause");
    let logs = text(&world.amelia(&["logs", &run]).stdout);
    assert!(logs.contains("Look twice."), "{logs}");
}

#[test]
fn a_message_to_a_run_that_was_interrupted_starts_a_server() {
    let world = World::new(COMMAND);
    let mut child = in_the_middle_of_a_command(&world);
    child.kill().unwrap();
    child.wait().unwrap();
    let run = world.run_id();
    let kept = world.amelia(&["say", &run, "Look twice.", "--no-autostart"]);
    assert!(text(&kept.stdout).contains("gets the message when it resumes"), "{}", text(&kept.stderr));
    let heard = world.amelia(&["say", &run, "Look again."]);
    assert!(text(&heard.stderr).contains("a server was started"), "{}", text(&heard.stderr));
    until("it has continued", || world.run().is_some_and(|run| run["view"]["status"] != "running"));
    let logs = text(&world.amelia(&["logs", &run]).stdout);
    assert!(logs.contains("Look twice.") && logs.contains("Look again."), "{logs}");
    assert!(world.amelia(&["server", "stop"]).status.success());
    until("the command is gone", || orphans(&run).is_empty());
}

#[test]
fn once_pauses_while_the_model_is_silent() {
    let world = World::new(
        "rules: [{ when: { times: 1 }, reply: { text: half of, stall_after: { chunks: 2 } } }, \
         { reply: { text: all of it } }]",
    );
    let child = at_work(&world);
    until("the model is asked", || world.server.requests().len() == 1);
    press(&child);
    let (status, _, message) = ended(child);
    assert_eq!(status.code(), Some(130), "{message}");
    let output = world.amelia(&["resume", &world.run_id(), "--approve"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("all of it"));
}

#[test]
fn a_run_that_was_paused_in_the_middle_of_an_answer_is_replayed() {
    let world = World::new(
        "rules: [{ when: { times: 1 }, reply: { text: one two three four, chunk: 4, stall_after: { chunks: 3 } } }, \
         { reply: { text: all of it } }]",
    );
    let mut child = at_work(&world);
    let (mut shown, mut words) = (child.stdout.take().unwrap(), String::new());
    while !words.contains("one") {
        let mut piece = [0; 256];
        let read = shown.read(&mut piece).unwrap();
        assert!(read > 0, "it ended: {words}");
        words.push_str(&String::from_utf8_lossy(&piece[..read]));
    }
    press(&child);
    ended(child);
    let output = world.amelia(&["resume", &world.run_id(), "--approve"]);
    assert!(text(&output.stdout).contains("all of it"), "{}", text(&output.stderr));
    let logs = text(&world.amelia(&["logs", &world.run_id()]).stdout);
    assert!(logs.contains("(estimated)"), "the answer was cut: {logs}");
    let replayed = world.amelia(&["replay", &world.run_id()]);
    assert!(
        text(&replayed.stdout).contains("the same"),
        "{}{}",
        text(&replayed.stdout),
        text(&replayed.stderr)
    );
}

#[test]
fn again_and_again_stops_at_any_moment_and_keeps_what_was_done() {
    let world = World::new(COMMAND);
    let mut child = in_the_middle_of_a_command(&world);
    until("it has ended", || {
        press(&child);
        child.try_wait().unwrap().is_some()
    });
    let (status, _, message) = ended(child);
    assert_eq!(status.code(), Some(130), "{message}");
    let run = world.run_id();
    until("the command is gone", || orphans(&run).is_empty());
    assert!(world.worktree().join("started").exists());
    // Which of the two it is depends on how fast the program was.
    let status = world.run().unwrap()["view"]["status"].clone();
    assert!(status == "cancelled" || status["waiting"] == "pause", "{status}");
}

/// A git that hangs when it is asked what has changed.
const SLOW_GIT: &str = r#"#!/bin/sh
case "$*" in
  *numstat*) touch "$(dirname "$0")/asked"; exec sleep 1000 ;;
  *) PATH=${PATH#*:}; exec git "$@" ;;
esac
"#;

#[test]
fn nobody_has_to_wait_for_the_summary() {
    let world = World::new("rules: [{ reply: { text: all done } }]");
    let bin = tempfile::tempdir().unwrap();
    let git = bin.path().join("git");
    std::fs::write(&git, SLOW_GIT).unwrap();
    std::fs::set_permissions(&git, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", bin.path().display(), std::env::var("PATH").unwrap());
    let arguments = world.doing("chat", &[]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut command = world.command(&arguments);
    let child = command.env("PATH", path).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    until("git hangs", || bin.path().join("asked").exists());
    press(&child);
    let (status, shown, message) = ended(child);
    assert_eq!(status.code(), Some(0), "{message}");
    assert!(shown.contains("all done"), "{shown}");
}
