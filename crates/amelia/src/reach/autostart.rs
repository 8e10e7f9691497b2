//! A server in the background, started by the first command that needs one.

use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use amelia_core::problem::Problem;
use amelia_host::home::Home;
use amelia_host::presence::Presence;
use anyhow::{Context, Result};

use crate::cli::Global;
use crate::cli_error::{CliError, Exit};
use crate::ui;

/// By then it listens, or something is wrong.
const START_TIMEOUT: Duration = Duration::from_secs(20);
/// How much of its log is shown when it did not start.
const LOG_TAIL: usize = 2000;

pub(super) async fn start(home: &Home, global: &Global) -> Result<Presence> {
    let logs = home.path().join("logs");
    std::fs::create_dir_all(&logs).with_context(|| format!("{} cannot be created", logs.display()))?;
    let log = logs.join("server.log");
    let from = std::fs::metadata(&log).map_or(0, |metadata| metadata.len());
    let child = spawn(home, &log)?;
    let started = Instant::now();
    let mut child = tokio::task::spawn_blocking(move || first_line(child)).await?;
    loop {
        if let Some(found) = Presence::of(home) {
            if !global.quiet && !global.json {
                let told =
                    format!("a server was started in the background: {} (pid {})", found.url, found.pid);
                anstream::eprintln!("{}", ui::dim(told));
            }
            return Ok(found);
        }
        // Another command may have been quicker: then its server is the one.
        let has_ended = child.try_wait()?.is_some() && !home.is_busy();
        if has_ended || started.elapsed() > START_TIMEOUT {
            return Err(not_started(&tail(&log, from)).into());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// What the server said, whose last line is its error as JSON if it could tell one.
fn not_started(said: &str) -> CliError {
    let problem = said.lines().last().and_then(|line| serde_json::from_str::<Problem>(line).ok());
    let Problem { message, hint } = problem.unwrap_or_else(|| Problem::new(said));
    let hint = hint.unwrap_or_else(|| "`amelia server` shows more".to_owned());
    CliError::new(Exit::Unreachable, format!("no server could be started: {message}")).with_hint(hint)
}

/// Descriptors that a shell left open for this command are not for a server that outlives it: a pipe would never end, a
/// file system never be unmounted.
fn inherit_nothing() {
    let Ok(open) = std::fs::read_dir("/proc/self/fd") else { return };
    let numbers = open.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    for number in numbers.filter(|number| *number > 2) {
        #[expect(
            unsafe_code,
            reason = "the number was listed just now; one that was closed since is refused"
        )]
        // SAFETY: the descriptor is only borrowed for this call, which keeps nothing of it.
        let descriptor = unsafe { std::os::fd::BorrowedFd::borrow_raw(number) };
        rustix::io::fcntl_setfd(descriptor, rustix::io::FdFlags::CLOEXEC).ok();
    }
}

fn spawn(home: &Home, log: &std::path::Path) -> Result<Child> {
    inherit_nothing();
    let me = std::env::current_exe().context("the path of this program is unknown")?;
    let open = std::fs::File::options().append(true).create(true).mode(0o600).open(log);
    let log = open.with_context(|| format!("{} cannot be written", log.display()))?;
    Command::new(me)
        .args(["server", "--detached", "--json", "--home"])
        .arg(home.path())
        .current_dir(home.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .context("the server cannot be started")
}

/// Waits for its first words, which it says when it listens, or for its end.
fn first_line(mut child: Child) -> Child {
    if let Some(stdout) = child.stdout.take() {
        BufReader::new(stdout).read_line(&mut String::new()).ok();
    }
    child
}

/// What a server that did not start has said since `from`.
fn tail(log: &std::path::Path, from: u64) -> String {
    let mut text = String::new();
    if let Ok(mut file) = std::fs::File::open(log) {
        file.seek(SeekFrom::Start(from)).ok();
        file.take(1024 * 1024).read_to_string(&mut text).ok();
    }
    let text = text.trim().trim_start_matches("error:").trim();
    let start = text.char_indices().rev().nth(LOG_TAIL).map_or(0, |(place, _)| place);
    text.get(start..).unwrap_or_default().to_owned()
}
