//! One command from start to end: streamed, bounded in memory, and gone with all its children when it is over.
//!
//! Knows nothing of shells, git or tools. Whoever drops the future kills the command.

pub(crate) mod environment;
pub(crate) mod family;
mod harmless;
mod kept;

#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use amelia_core::tool::ToolCx;
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe::Receiver;
use tokio::process::{Child, Command};

use environment::Environment;
use family::Family;
use harmless::Harmless;
use kept::Kept;

/// How long a command may tidy up after it was asked to stop.
const GRACE: Duration = Duration::from_secs(2);
/// How long to listen for the last words of what has been killed.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// What to run.
pub(crate) struct Job<'a> {
    pub(crate) program: OsString,
    pub(crate) args: Vec<OsString>,
    pub(crate) dir: PathBuf,
    pub(crate) environment: &'a Environment,
    /// On top of the environment.
    pub(crate) vars: Vec<(&'static str, OsString)>,
    pub(crate) stdin: Stdin,
    pub(crate) group: Group,
    /// Bytes of output that are kept, from the beginning and the end.
    pub(crate) keep: usize,
    pub(crate) timeout: Duration,
}

/// What a command reads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stdin {
    Nothing,
    /// A pipe that says nothing and ends when this process does: a supervisor's sign of life.
    Lifeline,
}

/// Who makes the command the leader of a group of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    /// We do, before the program starts.
    Ours,
    /// The program itself, by making a session; it could not if it were a leader already.
    Theirs,
}

/// What came of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Finished {
    /// Standard output and error as they came, harmless.
    pub(crate) output: String,
    pub(crate) end: End,
    /// Processes that were still there when the command itself was over, and were killed.
    pub(crate) leftovers: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Exited(i32),
    Killed(i32),
    TimedOut,
    Cancelled,
}

/// Runs a command. `Err` means that it could not be started.
pub(crate) async fn run(cx: &ToolCx, job: Job<'_>) -> io::Result<Finished> {
    let timeout = job.timeout;
    let mut running = Running::start(cx, &job)?;
    let stopped = tokio::select! {
        biased;
        () = cx.cancel.cancelled() => End::Cancelled,
        () = tokio::time::sleep(timeout) => End::TimedOut,
        status = running.listen() => return running.finish(end_of(status?)).await,
    };
    running.family.ask_to_stop();
    // Whether it obeys or not, what is left is killed next.
    tokio::time::timeout(GRACE, running.listen()).await.ok();
    running.finish(stopped).await
}

fn end_of(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Exited(code),
        (None, signal) => End::Killed(signal.unwrap_or(0)),
    }
}

struct Running<'a> {
    cx: &'a ToolCx,
    /// Dropped first: the guard kills the family before the child is given up.
    family: Family,
    child: Child,
    pipe: Receiver,
    is_open: bool,
    text: Harmless,
    kept: Kept,
    _lifeline: Option<OwnedFd>,
}

impl<'a> Running<'a> {
    fn start(cx: &'a ToolCx, job: &Job<'_>) -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        let reader = OwnedFd::from(reader);
        let pipe = rustix::fs::fstat(&reader)?.st_ino;
        let mark = job.environment.new_mark();
        let mut command = Command::new(&job.program);
        command.args(&job.args).current_dir(&job.dir).env_clear().envs(job.environment.vars());
        command.envs(job.vars.iter().map(|(name, value)| (name, value))).env(environment::MARK, &mark);
        command.stdout(writer.try_clone()?).stderr(writer).kill_on_drop(true);
        match job.group {
            Group::Ours => command.process_group(0),
            Group::Theirs => &mut command,
        };
        let lifeline = match job.stdin {
            Stdin::Nothing => {
                command.stdin(Stdio::null());
                None
            }
            Stdin::Lifeline => {
                let (theirs, ours) = io::pipe()?;
                command.stdin(theirs);
                Some(OwnedFd::from(ours))
            }
        };
        let child = command.spawn()?;
        // Our copies of the pipe's writing end must go, or it never ends.
        drop(command);
        let family = Family::new(child.id(), &mark, pipe);
        let pipe = Receiver::from_owned_fd(reader)?;
        let (text, kept) = (Harmless::default(), Kept::new(job.keep));
        Ok(Self { cx, family, child, pipe, is_open: true, text, kept, _lifeline: lifeline })
    }

    /// Takes output until the command itself ends; its children may hold the pipe for ever.
    async fn listen(&mut self) -> io::Result<ExitStatus> {
        let mut buffer = vec![0; 64 * 1024];
        loop {
            tokio::select! {
                status = self.child.wait() => return status,
                read = self.pipe.read(&mut buffer), if self.is_open => self.take(&buffer, read.unwrap_or(0)),
            }
        }
    }

    async fn finish(mut self, end: End) -> io::Result<Finished> {
        let mut buffer = vec![0; 64 * 1024];
        // What is in the pipe now was written before the end. Bounded: a leftover may write without end.
        for _ in 0..64 {
            match self.pipe.try_read(&mut buffer) {
                Ok(read) if read > 0 => self.take(&buffer, read),
                _ => break,
            }
        }
        let leftovers = self.family.end().await;
        let last_words = async {
            while self.is_open {
                let read = self.pipe.read(&mut buffer).await.unwrap_or(0);
                self.take(&buffer, read);
            }
        };
        tokio::time::timeout(LAST_WORDS, last_words).await.ok();
        // Already over, or killed just now: this only collects it.
        self.child.wait().await?;
        let rest = self.text.finish();
        self.say(&rest);
        Ok(Finished { output: self.kept.finish(), end, leftovers })
    }

    fn take(&mut self, buffer: &[u8], read: usize) {
        self.is_open &= read > 0;
        let text = self.text.push(buffer.get(..read).unwrap_or_default());
        self.say(&text);
    }

    fn say(&mut self, text: &str) {
        if !text.is_empty() {
            (self.cx.progress)(text);
            self.kept.push(text);
        }
    }
}
