//! The port: where processes are started. On this machine today ([`HostSpawner`](crate::HostSpawner)); a sandbox
//! implements the same two traits and gets timeouts, caps and cancellation from [`run`](crate::run()).

use std::io;

use async_trait::async_trait;
use tokio::net::unix::pipe::{Receiver, Sender};

use crate::command::CommandSpec;

/// Starts processes.
pub trait ProcessSpawner: Send + Sync {
    /// `Err` means that nothing was started.
    fn spawn(&self, command: CommandSpec) -> io::Result<SpawnedProcess>;
}

/// A process that is running. Dropping it ends it as its [`Descendants`](crate::Descendants) say.
pub struct SpawnedProcess {
    /// Only with [`StdinSource::Piped`](crate::StdinSource) or `Bytes`.
    pub stdin: Option<Sender>,
    /// Both streams, when they are merged.
    pub stdout: Receiver,
    pub stderr: Option<Receiver>,
    pub control: Box<dyn ProcessControl>,
}

/// The life of one process and of what it has started.
#[async_trait]
pub trait ProcessControl: Send {
    /// Waits for the end of the process itself. May be dropped and called again.
    async fn exited(&mut self) -> io::Result<ProcessEnd>;

    /// Asks it and its descendants to stop.
    fn terminate(&self);

    /// Kills it and its descendants, until none is left; says how many there were.
    async fn kill(&mut self) -> usize;
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessEnd {
    Exited(i32),
    Killed(i32),
    TimedOut,
    Cancelled,
    /// The reader of its output had enough.
    Stopped,
}

/// Which stream a piece of output came from; all of it from `Stdout` when they are merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputStream {
    Stdout,
    Stderr,
}
