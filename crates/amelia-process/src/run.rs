//! A process from start to end: its output handed on piece by piece, its time bounded, its descendants gone.
//!
//! Output is always read to its end, whether it is wanted or not: a process must never meet a closed or a full pipe.
//! Dropping the future ends the process.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio_util::sync::CancellationToken;

use crate::command::{CommandSpec, Descendants, StdinSource};
use crate::spawner::{OutputStream, ProcessControl, ProcessEnd, ProcessSpawner, SpawnedProcess};

/// How long a process may tidy up after it was asked to stop.
pub(crate) const GRACE: Duration = Duration::from_secs(2);
/// How long to read what is in the pipes when the process has ended: a descendant may hold them open.
const LAST_OUTPUT: Duration = Duration::from_millis(500);
/// Pieces that are read of what was written before the end, before leftovers are killed.
const LAST_PIECES: usize = 64;

/// Whether more output is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    More,
    /// The process is killed: nothing of what it does next matters.
    Stop,
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessOutcome {
    pub end: ProcessEnd,
    /// Descendants that were still there when the process itself was over, and were killed.
    pub leftovers: usize,
}

/// Runs a process. `Err` means that it could not be started.
pub async fn run(
    spawner: &dyn ProcessSpawner,
    mut command: CommandSpec,
    timeout: Option<Duration>,
    cancel: &CancellationToken,
    sink: &mut (dyn FnMut(OutputStream, &[u8]) -> Flow + Send),
) -> io::Result<ProcessOutcome> {
    let descendants = command.descendants;
    let input = match &mut command.stdin {
        StdinSource::Bytes(bytes) => std::mem::take(bytes),
        _ => Vec::new(),
    };
    let SpawnedProcess { stdin, stdout, stderr, mut control } = spawner.spawn(command)?;
    let feeding = Some(Box::pin(feed(stdin, input)));
    let mut pipes = Pipes { stdout: Some(stdout), stderr, feeding, sink, has_enough: false };
    let end = tokio::select! {
        biased;
        () = cancel.cancelled() => ProcessEnd::Cancelled,
        () = expired(timeout) => ProcessEnd::TimedOut,
        end = pipes.listen(control.as_mut()) => end?,
    };
    if matches!(end, ProcessEnd::Cancelled | ProcessEnd::TimedOut) {
        control.terminate();
        // Whether it obeys or not, what is left is killed next.
        tokio::time::timeout(GRACE, pipes.listen(control.as_mut())).await.ok();
    }
    let is_its_own_end = matches!(end, ProcessEnd::Exited(_) | ProcessEnd::Killed(_));
    let leftovers = match descendants {
        Descendants::MayStay if is_its_own_end => 0,
        Descendants::MayStay | Descendants::EndWithIt => {
            pipes.take_ready();
            control.kill().await
        }
    };
    tokio::time::timeout(LAST_OUTPUT, pipes.read_rest()).await.ok();
    Ok(ProcessOutcome { end, leftovers })
}

async fn expired(timeout: Option<Duration>) {
    match timeout {
        Some(timeout) => tokio::time::sleep(timeout).await,
        None => std::future::pending().await,
    }
}

/// A process that failed early does not read; what it says then is what counts.
async fn feed(stdin: Option<Sender>, input: Vec<u8>) {
    if let Some(mut stdin) = stdin {
        stdin.write_all(&input).await.ok();
    }
}

struct Pipes<'a, F> {
    stdout: Option<Receiver>,
    stderr: Option<Receiver>,
    /// What writes its input; nothing when that is done.
    feeding: Option<Pin<Box<F>>>,
    sink: &'a mut (dyn FnMut(OutputStream, &[u8]) -> Flow + Send),
    has_enough: bool,
}

impl<F: Future<Output = ()> + Send> Pipes<'_, F> {
    /// Takes output until the process itself ends; its descendants may hold the pipes for ever.
    async fn listen(&mut self, control: &mut dyn ProcessControl) -> io::Result<ProcessEnd> {
        let (mut out, mut err) = (vec![0; 64 * 1024], vec![0; 16 * 1024]);
        while !self.has_enough {
            tokio::select! {
                end = control.exited() => return end,
                read = read(&mut self.stdout, &mut out) => self.take(OutputStream::Stdout, &out, read),
                read = read(&mut self.stderr, &mut err) => self.take(OutputStream::Stderr, &err, read),
                () = fed(&mut self.feeding) => self.feeding = None,
            }
        }
        Ok(ProcessEnd::Stopped)
    }

    /// What is in the pipes now was written before the end. Bounded: a leftover may write without end.
    fn take_ready(&mut self) {
        let mut buffer = vec![0; 64 * 1024];
        for stream in [OutputStream::Stdout, OutputStream::Stderr] {
            for _ in 0..LAST_PIECES {
                let pipe = match stream {
                    OutputStream::Stdout => &mut self.stdout,
                    OutputStream::Stderr => &mut self.stderr,
                };
                match pipe.as_ref().map(|pipe| pipe.try_read(&mut buffer)) {
                    Some(Ok(read)) if read > 0 => self.take(stream, &buffer, read),
                    _ => break,
                }
            }
        }
    }

    async fn read_rest(&mut self) {
        let (mut out, mut err) = (vec![0; 64 * 1024], vec![0; 16 * 1024]);
        while self.stdout.is_some() || self.stderr.is_some() {
            tokio::select! {
                read = read(&mut self.stdout, &mut out) => self.take(OutputStream::Stdout, &out, read),
                read = read(&mut self.stderr, &mut err) => self.take(OutputStream::Stderr, &err, read),
            }
        }
    }

    fn take(&mut self, stream: OutputStream, buffer: &[u8], read: usize) {
        match (stream, buffer.get(..read).filter(|piece| !piece.is_empty())) {
            (OutputStream::Stdout, None) => self.stdout = None,
            (OutputStream::Stderr, None) => self.stderr = None,
            (stream, Some(piece)) => self.has_enough |= (self.sink)(stream, piece) == Flow::Stop,
        }
    }
}

async fn fed<F: Future<Output = ()>>(feeding: &mut Option<Pin<Box<F>>>) {
    match feeding {
        Some(feeding) => feeding.await,
        None => std::future::pending().await,
    }
}

/// Nothing more comes of a pipe that has ended.
async fn read(pipe: &mut Option<Receiver>, buffer: &mut [u8]) -> usize {
    match pipe {
        Some(pipe) => pipe.read(buffer).await.unwrap_or(0),
        None => std::future::pending().await,
    }
}
