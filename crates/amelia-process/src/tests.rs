//! Real processes, through the runner.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::*;

fn bash(script: &str, dir: &Path) -> CommandSpec {
    let mut spec = CommandSpec::new("bash", ["-c", script], format!("test-{}", uuid::Uuid::new_v4()));
    spec.vars = vec![("PATH".into(), std::env::var_os("PATH").unwrap())];
    spec.directory = Some(dir.to_path_buf());
    spec
}

fn limits(stdout: u64, on_excess: OnExcess) -> CollectLimits {
    CollectLimits { stdout, stderr: 100, on_excess, timeout: Some(Duration::from_secs(60)) }
}

async fn collected(spec: CommandSpec, limits: CollectLimits) -> Collected {
    collect(&HostSpawner, spec, limits, &CancellationToken::new()).await.unwrap()
}

async fn until(what: &str, is_true: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_true() {
        assert!(start.elapsed() < Duration::from_secs(20), "never happened: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

fn read(dir: &TempDir, name: &str) -> String {
    std::fs::read_to_string(dir.path().join(name)).unwrap_or_default()
}

#[tokio::test]
async fn streams_are_kept_apart_and_bounded_and_the_rest_is_drained() {
    let dir = tempfile::tempdir().unwrap();
    let script = "head -c 300000 /dev/zero >&2; head -c 300000 /dev/zero; echo end > done; exit 7";
    let found = collected(bash(script, dir.path()), limits(200, OnExcess::Drain)).await;
    let zeros = |count| Captured { bytes: vec![0; count], is_cut: true };
    assert_eq!(found, Collected { end: ProcessEnd::Exited(7), stdout: zeros(200), stderr: zeros(100) });
    assert_eq!(read(&dir, "done"), "end\n");
}

#[tokio::test]
async fn a_process_that_says_too_much_is_stopped_when_asked() {
    let dir = tempfile::tempdir().unwrap();
    let found = collected(bash("yes", dir.path()), limits(10, OnExcess::Stop)).await;
    assert_eq!((found.end, found.stdout.bytes.len()), (ProcessEnd::Stopped, 10));
}

#[tokio::test]
async fn bytes_are_its_input_and_a_process_that_does_not_read_them_ends_all_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let mut cat = bash("cat | wc -c", dir.path());
    cat.stdin = StdinSource::Bytes(vec![b'x'; 1_000_000]);
    assert_eq!(collected(cat, limits(100, OnExcess::Drain)).await.stdout.bytes, b"1000000\n");
    let mut deaf = bash("exit 3", dir.path());
    deaf.stdin = StdinSource::Bytes(vec![b'x'; 1_000_000]);
    assert_eq!(collected(deaf, limits(100, OnExcess::Drain)).await.end, ProcessEnd::Exited(3));
}

/// What another process of ours looks like between its fork and its exec: it holds a copy of our end of the pipe.
#[tokio::test]
async fn a_process_that_only_holds_a_copy_of_our_end_of_the_pipe_is_not_killed() {
    let dir = tempfile::tempdir().unwrap();
    let script = "echo $$ > pid; until [ -e go ]; do sleep 0.01; done";
    let cancel = CancellationToken::new();
    let mut sink = |_: OutputStream, _: &[u8]| Flow::More;
    let work = run(&HostSpawner, bash(script, dir.path()), None, &cancel, &mut sink);
    let meanwhile = async {
        until("the command began", || !read(&dir, "pid").is_empty()).await;
        let ours = format!("/proc/{}/fd/1", read(&dir, "pid").trim());
        let open = format!("open(F, '>', '{ours}') or die; sleep 1000");
        // Perl opens files so that they close on exec.
        let unrelated = std::process::Command::new("perl").args(["-e", &open]).spawn().unwrap();
        let (fds, pipe) = (format!("/proc/{}/fd", unrelated.id()), std::fs::read_link(ours).unwrap());
        let holds_pipe = || {
            let mut handles = std::fs::read_dir(&fds).into_iter().flatten().flatten();
            handles.any(|entry| std::fs::read_link(entry.path()).is_ok_and(|target| target == pipe))
        };
        until("it holds the pipe", holds_pipe).await;
        std::fs::write(dir.path().join("go"), "").unwrap();
        unrelated
    };
    let (outcome, mut unrelated) = tokio::join!(work, meanwhile);
    let is_alive = unrelated.try_wait().unwrap().is_none();
    unrelated.kill().unwrap();
    unrelated.wait().unwrap();
    assert_eq!(outcome.unwrap(), ProcessOutcome { end: ProcessEnd::Exited(0), leftovers: 0 });
    assert!(is_alive);
}

/// Processes are started by several threads while others are ended: none is taken for a descendant of another.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_at_once_do_not_end_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let work = (0..16).map(|number| {
        let dir = dir.path().to_path_buf();
        tokio::spawn(async move {
            for round in 0..15 {
                let script = format!("sleep 0.0{number} & echo {round}; exit 3");
                let found = collected(bash(&script, &dir), limits(100, OnExcess::Drain)).await;
                let said = String::from_utf8(found.stdout.bytes).unwrap();
                assert_eq!((found.end, said), (ProcessEnd::Exited(3), format!("{round}\n")));
            }
        })
    });
    for task in work.collect::<Vec<_>>() {
        task.await.unwrap();
    }
}

#[tokio::test]
async fn a_process_gets_no_pipe_of_another() {
    let dir = tempfile::tempdir().unwrap();
    let other = HostSpawner.spawn(bash("sleep 1000", dir.path())).unwrap();
    let pipe = rustix::fs::fstat(&other.stdout).unwrap().st_ino;
    let found = collected(bash("readlink /proc/self/fd/*", dir.path()), limits(5000, OnExcess::Drain)).await;
    drop(other);
    let listed = String::from_utf8_lossy(&found.stdout.bytes).into_owned();
    assert!(listed.contains("pipe:[") && !listed.contains(&format!("pipe:[{pipe}]")), "{listed}");
}

#[tokio::test]
async fn a_gentle_process_that_is_dropped_may_tidy_up_and_takes_its_children_along() {
    let dir = tempfile::tempdir().unwrap();
    let script =
        "touch lock; trap 'rm lock; exit' TERM; (trap '' TERM; echo $BASHPID > stubborn; sleep 1000) & wait";
    let mut spec = bash(script, dir.path());
    spec.descendants = Descendants::MayStay;
    let running = HostSpawner.spawn(spec).unwrap();
    until("it began", || !read(&dir, "stubborn").is_empty()).await;
    let stubborn = read(&dir, "stubborn");
    drop(running);
    until("it tidied up", || !dir.path().join("lock").exists()).await;
    until("its child is gone", || !is_alive(&stubborn)).await;
}

#[tokio::test]
async fn what_may_stay_outlives_the_end_and_not_the_timeout() {
    let dir = tempfile::tempdir().unwrap();
    let mut spec = bash("sleep 1000 >/dev/null 2>&1 & echo $!", dir.path());
    spec.descendants = Descendants::MayStay;
    let found = collected(spec, limits(100, OnExcess::Drain)).await;
    let stayed = String::from_utf8(found.stdout.bytes).unwrap();
    assert!(is_alive(&stayed));
    assert!(std::process::Command::new("kill").args(["-9", stayed.trim()]).status().unwrap().success());

    let mut spec = bash("sleep 1000 >/dev/null 2>&1 & echo $!; wait", dir.path());
    spec.descendants = Descendants::MayStay;
    let short = CollectLimits { timeout: Some(Duration::from_millis(300)), ..limits(100, OnExcess::Drain) };
    let found = collected(spec, short).await;
    assert_eq!(found.end, ProcessEnd::TimedOut);
    assert!(!is_alive(&String::from_utf8(found.stdout.bytes).unwrap()));
}

#[tokio::test]
async fn the_end_is_known_again_and_by_its_signal() {
    let dir = tempfile::tempdir().unwrap();
    let mut running = HostSpawner.spawn(bash("kill -SEGV $$", dir.path())).unwrap();
    for _ in 0..2 {
        assert_eq!(running.control.exited().await.unwrap(), ProcessEnd::Killed(11));
    }
}

#[test]
fn without_a_runtime_a_dropped_process_is_killed_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("program");
    std::fs::write(&file, "#!/bin/sh\nsleep 1000\n").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut spec = CommandSpec::new(&file, [] as [&str; 0], "test");
    spec.descendants = Descendants::MayStay;
    let running = runtime.block_on(async { HostSpawner.spawn(spec).unwrap() });
    let name = file.display().to_string();
    let count = || {
        let pids = std::fs::read_dir("/proc").unwrap().flatten();
        pids.filter(|entry| {
            std::fs::read_to_string(entry.path().join("cmdline")).is_ok_and(|line| line.contains(&name))
        })
        .count()
    };
    // A process that is being started, or has just been killed, is shown with another name, or still shown.
    let until = |is_there: bool| {
        let since = std::time::Instant::now();
        while (count() > 0) != is_there {
            assert!(since.elapsed() < std::time::Duration::from_secs(20), "is there: {}", !is_there);
            std::thread::yield_now();
        }
    };
    until(true);
    drop(running);
    drop(runtime);
    until(false);
}
