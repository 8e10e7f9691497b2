//! What came from outside, as it came: kept beside a run's log, so that the run can be played again without the outside.
//!
//! A frame is durable together with the first facts that are written after it: for everything in the log, the frames that
//! it came from are there.

mod playback;
mod splice;
pub mod wording;

use std::fmt;
use std::sync::Arc;

use crate::id::Seq;

pub use playback::{
    Difference, FrameTime, NextFrame, Playback, RecordedFrame, WaitForTurn, first_difference,
};
pub use splice::Splice;

/// Something that the outside said, or was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Whose it is. Frames of one channel are played in their order; channels among each other have none.
    pub channel: Arc<str>,
    pub source: FrameSource,
    pub body: Vec<u8>,
}

/// A frame as it was written: between these two ends of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFrame {
    /// Where the log ended before the commit that took it along.
    pub after: Seq,
    /// Where it ended then.
    pub end: Seq,
    pub frame: Frame,
}

/// Who spoke.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FrameSource {
    /// A model over HTTP, asked by our own agent loop.
    Model,
    /// A program that is an agent: its lines, and ours to it.
    Program,
    /// The place of work: git, files, checks.
    Place,
    Tracker,
    /// A model over HTTP, asked by a program through our proxy.
    Proxy,
}

impl FrameSource {
    /// All of them; their places are their numbers in storage.
    pub const ALL: [Self; 5] = [Self::Model, Self::Program, Self::Place, Self::Tracker, Self::Proxy];
}

impl fmt::Display for FrameSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Model => "model",
            Self::Program => "program",
            Self::Place => "place",
            Self::Tracker => "tracker",
            Self::Proxy => "proxy",
        })
    }
}

/// Where frames of a run go. Never blocks.
pub trait Tape: Send + Sync {
    /// Keeps a frame. It has no secrets in it: the caller has removed them.
    fn add(&self, frame: Frame);

    /// So much waits to be written that producers should not begin anything new.
    fn is_behind(&self) -> bool {
        false
    }
}

/// Records nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoTape;

impl Tape for NoTape {
    fn add(&self, _: Frame) {}
}

/// One channel of a tape: one conversation, one place of work.
#[derive(Clone)]
pub struct Channel {
    pub name: Arc<str>,
    pub tape: Arc<dyn Tape>,
}

impl Channel {
    /// A channel of `tape`.
    pub fn new(tape: Arc<dyn Tape>, name: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), tape }
    }

    /// Keeps a frame of this channel.
    pub fn add(&self, source: FrameSource, body: impl Into<Vec<u8>>) {
        self.tape.add(Frame { channel: Arc::clone(&self.name), source, body: body.into() });
    }
}

impl Default for Channel {
    fn default() -> Self {
        Self::new(Arc::new(NoTape), "")
    }
}

impl fmt::Debug for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Strand({})", self.name)
    }
}

impl PartialEq for Channel {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}
