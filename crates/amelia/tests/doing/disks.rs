//! Places that cannot be written: read-only directories, and a disk that is full. Said, and nothing is lost.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::programs::skipped;
use crate::world::{World, text};

const WRITE: &str = "
rules:
  - when: { turn: 0 }
    reply: { tool_calls: [{ name: write_file, args: { path: new, content: x } }] }
  - when: { turn: 1 }
    reply: { text: done }
";

/// The command fills the disk, so what came of it cannot be written down; the model is asked again when it can.
const FILL: &str = "
rules:
  - when: { turn: 0 }
    reply: { tool_calls: [{ name: shell, args: { command: 'cat /dev/zero > fill' } }] }
  - when: { turn: 1, last: 'interrupted, outcome unknown' }
    reply: { text: there is room again }
";

/// Root may write everywhere; without this right it is a user like any other.
fn as_a_user(world: &World, arguments: &[&str]) -> Option<Command> {
    let is_root =
        std::fs::metadata("/proc/self").is_ok_and(|me| std::os::unix::fs::MetadataExt::uid(&me) == 0);
    if !is_root {
        return Some(world.command(arguments));
    }
    let limits = ["--bounding-set", "-dac_override,-dac_read_search"];
    if !Command::new("setpriv").args(limits).arg("true").status().is_ok_and(|status| status.success()) {
        skipped("root may write everywhere, and setpriv cannot take that right away here");
        return None;
    }
    let wrapper: Vec<&str> = ["setpriv"].into_iter().chain(limits).chain(["--"]).collect();
    Some(world.wrapped(&wrapper, arguments))
}

#[test]
fn what_may_not_be_written_is_said() {
    let world = World::new(WRITE);
    let set = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let shut = tempfile::tempdir().unwrap();
    set(shut.path(), 0o555);
    let work = world.doing("chat", &[]);
    let work: Vec<&str> = work.iter().map(String::as_str).collect();
    let Some(mut command) = as_a_user(&world, &work) else { return };
    let output = command.env("AMELIA_HOME", shut.path().join("home")).output().unwrap();
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("Permission denied"), "the home: {message}");

    // Git cannot make a worktree.
    let refs = world.repository().join(".git/refs/heads");
    set(&refs, 0o555);
    let output = as_a_user(&world, &work).unwrap().output().unwrap();
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("git worktree add: fatal: "), "the repository: {message}");
    assert_eq!(world.server.requests().len(), 0, "no model was asked for nothing");
    set(&refs, 0o755);

    // The agent cannot write: the model is told, and the run goes on.
    set(&world.repository(), 0o555);
    let work = world.doing("chat", &["--in-place"]);
    let work: Vec<&str> = work.iter().map(String::as_str).collect();
    let output = as_a_user(&world, &work).unwrap().output().unwrap();
    set(&world.repository(), 0o755);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let told = world.told(1);
    assert!(told[0].contains("error: ") && told[0].contains("ermission denied"), "{}", told[0]);
}

#[test]
fn a_full_disk_behind_the_output_stops_the_run_and_it_goes_on() {
    let world = World::new(WRITE);
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    for more in [&[][..], &["--json"]] {
        let work = world.doing("chat", more);
        let work: Vec<&str> = work.iter().map(String::as_str).collect();
        let output = world.command(&work).stdout(full()).output().unwrap();
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.starts_with("error: the output cannot be written: No space left"), "{message}");
        let output = world.amelia(&["resume", &world.run_id()]);
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
}

/// In a mount namespace of its own, with a small disk for the home. `$1` is the program, the rest its arguments.
const SMALL_DISK: &str = r#"
mount -t tmpfs -o size=4m tmpfs "$AMELIA_HOME" || exit 99
"$@"
echo "do $?"
run=$("$1" runs --json | sed 's/.*"short_id":"\([^"]*\)".*/\1/')
rm "$AMELIA_HOME"/worktrees/*/fill || exit 98
"$1" resume "$run" --quiet
echo "resume $?"
"#;

#[test]
fn a_full_disk_stops_the_run_and_room_lets_it_go_on() {
    let is_possible = Command::new("unshare").args(["-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).output();
    if !is_possible.is_ok_and(|output| output.status.success()) {
        skipped("no small disk can be mounted here");
        return;
    }
    let world = World::new(FILL);
    std::fs::create_dir(world.home()).unwrap();
    let work = world.doing("chat", &["--quiet"]);
    let work: Vec<&str> = work.iter().map(String::as_str).collect();
    let mut command = world.wrapped(&["unshare", "-rm", "sh", "-c", SMALL_DISK, "sh"], &work);
    let output = command.output().unwrap();
    let (shown, message) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(shown, "do 1\nthere is room again\nresume 0\n", "{message}");
    assert!(message.contains("no space left for"), "{message}");
    assert_eq!(world.server.requests().len(), 2);
}
