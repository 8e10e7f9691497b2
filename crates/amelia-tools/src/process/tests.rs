//! Commands that misbehave, through the `shell` tool: each ends with a clear result and leaves no process.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use amelia_core::message::Object;
use amelia_core::tool::{Tool as _, ToolCx, ToolOutput};
use amelia_process::environment::MARK;
use amelia_process::{Environment, end_leftovers};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::builtin::shell::Shell;
use crate::confine::Root;

struct Bench {
    dir: TempDir,
    owner: String,
    shell: Shell,
}

impl Bench {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let owner = format!("test-{}", uuid::Uuid::new_v4());
        let root = Arc::new(Root::open(dir.path()).unwrap());
        let planted = [("ANTHROPIC_API_KEY".into(), "sk-planted".into())];
        let environment = Environment::new(std::env::vars_os().chain(planted), &[], owner.clone());
        let shell = Shell::new(root, Arc::new(environment));
        Self { dir, owner, shell }
    }

    async fn call(&self, cx: &ToolCx, args: Value) -> ToolOutput {
        let args: Object = serde_json::from_value(args).unwrap();
        self.shell.call(cx, &args).await
    }

    async fn run(&self, command: &str) -> ToolOutput {
        self.call(&ToolCx::default(), json!({"command": command})).await
    }

    /// Processes of this test that live, by mark or by the name of a file only it uses.
    fn alive(&self) -> usize {
        let mark = format!("{MARK}={}/", self.owner);
        let place = self.dir.path().display().to_string();
        let holds = |path: String, text: &str| {
            std::fs::read(path).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(text))
        };
        std::fs::read_dir("/proc")
            .unwrap()
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
            .filter(|pid| *pid != std::process::id())
            .filter(|pid| {
                holds(format!("/proc/{pid}/environ"), &mark) || holds(format!("/proc/{pid}/cmdline"), &place)
            })
            .count()
    }

    fn path(&self, name: &str) -> String {
        self.dir.path().join(name).display().to_string()
    }
}

async fn until(what: &str, is_true: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_true() {
        assert!(start.elapsed() < Duration::from_secs(20), "never happened: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn output_and_errors_come_in_order_with_the_exit_code() {
    let bench = Bench::new();
    let seen = Arc::new(Mutex::new(String::new()));
    let copy = Arc::clone(&seen);
    let cx =
        ToolCx { progress: Arc::new(move |text| copy.lock().unwrap().push_str(text)), ..ToolCx::default() };
    let done = bench.call(&cx, json!({"command": "echo one; echo two >&2; echo three; exit 3"})).await;
    let expected = ToolOutput {
        output: "one\ntwo\nthree\n".to_owned(),
        error: Some("exit code 3".to_owned()),
        exit_code: Some(3),
        ..ToolOutput::default()
    };
    assert_eq!(done, expected);
    assert_eq!(*seen.lock().unwrap(), "one\ntwo\nthree\n");
}

#[tokio::test]
async fn there_is_no_input_no_terminal_no_key_and_a_directory() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("sub dir")).unwrap();
    let done = bench.run("cat; tty; env; (: </dev/tty) 2>&1 || echo no terminal").await;
    assert!(done.output.contains("not a tty") && done.output.contains("no terminal"), "{}", done.output);
    assert!(done.output.contains("GIT_TERMINAL_PROMPT=0") && done.output.contains("TERM=dumb"));
    assert!(!done.output.contains("sk-planted"));
    let done = bench.call(&ToolCx::default(), json!({"command": "pwd", "directory": "sub dir"})).await;
    assert!(done.output.ends_with("/sub dir\n"), "{done:?}");
    let done = bench.call(&ToolCx::default(), json!({"command": "pwd", "directory": ".."})).await;
    assert!(done.error.unwrap().contains("leads outside"));
}

#[tokio::test]
async fn a_command_that_never_ends_is_killed_with_its_children_and_keeps_its_output() {
    let bench = Bench::new();
    let command = "trap '' TERM; echo begun; sleep 1000 & (trap '' TERM; setsid sleep 1001) & sleep 1002";
    let done = bench.call(&ToolCx::default(), json!({"command": command, "timeout_seconds": 1})).await;
    assert_eq!(done.output, "begun\n");
    assert_eq!(done.error.as_deref(), Some("timed out after 1 s and was killed"));
    assert_eq!(bench.alive(), 0);
}

#[tokio::test]
async fn cancelling_ends_it() {
    let bench = Bench::new();
    let cx = ToolCx::default();
    let cancel = cx.cancel.clone();
    let work = bench.call(&cx, json!({"command": "echo begun > flag; sleep 1000"}));
    let stop = async {
        until("it began", || std::fs::exists(bench.path("flag")).unwrap()).await;
        cancel.cancel();
    };
    let (done, ()) = tokio::join!(work, stop);
    assert_eq!(done.error.as_deref(), Some("cancelled and killed"));
    assert_eq!(bench.alive(), 0);
}

#[tokio::test]
async fn dropping_the_call_ends_it() {
    let bench = Bench::new();
    let cx = ToolCx::default();
    let work = bench.call(&cx, json!({"command": "setsid sleep 1000 & echo begun > flag; sleep 1000"}));
    let started = until("it began", || std::fs::exists(bench.path("flag")).unwrap());
    tokio::select! {
        _ = work => panic!("it cannot end"),
        () = started => {}
    }
    until("nobody is left", || bench.alive() == 0).await;
}

#[tokio::test]
async fn what_goes_into_the_background_does_not_hang_the_call() {
    let bench = Bench::new();
    let name = bench.path("daemon");
    std::os::unix::fs::symlink("/bin/sleep", &name).unwrap();
    // One plain, one in a session of its own, one that also forgot its environment and its parent.
    let command = format!(
        "{name} 1000 & setsid {name} 1001 & (env -i setsid {name} 1002 &) ; nohup {name} 1003 & echo done"
    );
    let done = bench.run(&command).await;
    assert!(done.output.starts_with("done\n"), "{}", done.output);
    assert!(done.output.contains("still running in the background and were killed"), "{}", done.output);
    assert_eq!((done.exit_code, done.error), (Some(0), None));
    assert_eq!(bench.alive(), 0);
}

#[tokio::test]
async fn a_command_that_kills_its_parent_or_its_group_is_reported() {
    let bench = Bench::new();
    let done = bench.run("kill -9 $PPID; sleep 1000").await;
    assert_eq!(done.error.as_deref(), Some("killed by signal 9"));
    let done = bench.run("kill -9 0; sleep 1000").await;
    assert_eq!(done.error.as_deref(), Some("killed by signal 9"));
    let done = bench.run("kill -SEGV $$").await;
    assert_eq!((done.output.as_str(), done.exit_code), ("", Some(139)));
    assert_eq!(bench.alive(), 0);
}

#[tokio::test]
async fn endless_output_costs_bounded_memory_and_control_sequences_are_dead() {
    let bench = Bench::new();
    let done =
        bench.run("printf 'first\\033[31m\\007'; head -c 1000000000 /dev/zero | tr '\\0' x; echo last").await;
    assert!(done.output.starts_with("first␛[31m␇xxx"), "{}", &done.output[..40]);
    assert!(done.output.ends_with("xxxlast\n") && done.output.len() < 30_000);
    assert!(done.output.contains("bytes left out"));
    assert_eq!(done.exit_code, Some(0));
}

#[tokio::test]
async fn a_command_that_cannot_be_started_says_why() {
    let bench = Bench::new();
    let done = bench.run(&"x".repeat(1 << 20)).await;
    assert_eq!(done.error.unwrap(), "the command is too long to be started: write it to a file and run that");
    assert!(bench.run("echo a\0b").await.error.unwrap().starts_with("bash could not be started"));
}

#[tokio::test]
async fn after_a_crash_the_leftovers_of_a_run_are_found_by_its_name() {
    let bench = Bench::new();
    let mut orphan = std::process::Command::new("sleep")
        .arg("1000")
        .env(MARK, format!("{}/call", bench.owner))
        .spawn()
        .unwrap();
    assert_eq!(end_leftovers("somebody else"), 0);
    until("it is found", || end_leftovers(&bench.owner) == 1).await;
    assert!(!orphan.wait().unwrap().success());
}

/// The supervisor's sign of life is a pipe that only this process holds: closing it is what dying does.
#[tokio::test]
async fn the_supervisor_ends_the_command_when_this_process_dies() {
    let bench = Bench::new();
    let (theirs, ours) = std::io::pipe().unwrap();
    let mark = format!("{}/call", bench.owner);
    let mut supervisor = std::process::Command::new("setsid")
        .args(["bash", "-c", crate::builtin::shell::SUPERVISOR, "bash", "sleep 1000 & sleep 1001"])
        .env(MARK, mark)
        .stdin(theirs)
        .spawn()
        .unwrap();
    // Supervisor, watch, bash and two sleeps; some versions of bash become the last command.
    until("all have started", || bench.alive() >= 4).await;
    drop(ours);
    assert!(!supervisor.wait().unwrap().success());
    until("nobody is left", || bench.alive() == 0).await;
}
