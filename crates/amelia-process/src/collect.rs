//! A process whose output is an answer: bytes, at most so many of them.

use std::io;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::command::CommandSpec;
use crate::run::{Flow, ProcessOutcome, run};
use crate::spawner::{OutputStream, ProcessEnd, ProcessSpawner};

/// What is kept of an answer.
#[derive(Debug, Clone, Copy)]
pub struct CollectLimits {
    /// Bytes of standard output, or of both streams when they are merged.
    pub stdout: u64,
    pub stderr: u64,
    pub on_excess: OnExcess,
    pub timeout: Option<Duration>,
}

/// What happens when there is more on standard output than is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnExcess {
    /// It is read and dropped: the process runs to its end.
    Drain,
    /// The process is killed. Only for one that changes nothing.
    Stop,
}

/// The beginning of what a process wrote.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    pub bytes: Vec<u8>,
    /// There was more.
    pub is_cut: bool,
}

impl Captured {
    fn push(&mut self, piece: &[u8], limit: u64) {
        let room = usize::try_from(limit).unwrap_or(usize::MAX).saturating_sub(self.bytes.len());
        let kept = piece.get(..room).unwrap_or(piece);
        self.bytes.extend_from_slice(kept);
        self.is_cut |= kept.len() < piece.len();
    }
}

/// What a process answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collected {
    pub end: ProcessEnd,
    pub stdout: Captured,
    pub stderr: Captured,
}

/// Runs a process and keeps what it writes. `Err` means that it could not be started.
pub async fn collect(
    spawner: &dyn ProcessSpawner,
    command: CommandSpec,
    limits: CollectLimits,
    cancel: &CancellationToken,
) -> io::Result<Collected> {
    let (mut stdout, mut stderr) = (Captured::default(), Captured::default());
    let mut sink = |stream: OutputStream, piece: &[u8]| {
        match stream {
            OutputStream::Stdout => stdout.push(piece, limits.stdout),
            OutputStream::Stderr => stderr.push(piece, limits.stderr),
        }
        if stdout.is_cut && limits.on_excess == OnExcess::Stop { Flow::Stop } else { Flow::More }
    };
    let ProcessOutcome { end, .. } = run(spawner, command, limits.timeout, cancel, &mut sink).await?;
    Ok(Collected { end, stdout, stderr })
}
