//! What to start, and how: data only.

use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;

/// A process that is to be started.
#[derive(Debug)]
pub struct CommandSpec {
    pub program: OsString,
    pub args: Vec<OsString>,
    /// That of this process when not given.
    pub directory: Option<PathBuf>,
    /// The whole environment; nothing is inherited.
    pub vars: Vec<(OsString, OsString)>,
    /// Who the process belongs to: after a crash, [`end_leftovers`](crate::end_leftovers) finds it by this name.
    pub owner: String,
    pub stdin: StdinSource,
    pub streams: OutputStreams,
    pub group: ProcessGroup,
    pub descendants: Descendants,
}

/// What a process reads.
#[derive(Debug)]
pub enum StdinSource {
    Nothing,
    /// These bytes, then the end.
    Bytes(Vec<u8>),
    /// An open file, which the process holds for as long as it lives.
    File(File),
    /// A pipe that says nothing and ends when this process does: a supervisor's sign of life.
    Lifeline,
    /// A pipe for [`SpawnedProcess::stdin`](crate::SpawnedProcess).
    Piped,
}

/// Where a process writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputStreams {
    /// Both streams into one pipe, in the sequence in which they are written.
    Merged,
    Separate,
}

/// Who makes the process the leader of a group of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessGroup {
    /// We do, before the program starts.
    Ours,
    /// The program itself, by making a session; it could not if it were a leader already.
    Theirs,
}

/// What happens to processes that the process has started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Descendants {
    /// They are killed when the process ends, and with it when it is dropped.
    EndWithIt,
    /// They may outlive a process that ended by itself, as the daemon of a git hook does. When it is dropped, all are
    /// asked to stop first: git removes its locks then.
    MayStay,
}

impl CommandSpec {
    /// Reads nothing, writes two streams, and ends with all that it has started.
    pub fn new<S: Into<OsString>>(
        program: impl Into<OsString>,
        args: impl IntoIterator<Item = S>,
        owner: impl Into<String>,
    ) -> Self {
        Self {
            program: program.into(),
            args: args.into_iter().map(Into::into).collect(),
            directory: None,
            vars: Vec::new(),
            owner: owner.into(),
            stdin: StdinSource::Nothing,
            streams: OutputStreams::Separate,
            group: ProcessGroup::Ours,
            descendants: Descendants::EndWithIt,
        }
    }
}
