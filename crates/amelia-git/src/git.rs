//! One call of the `git` program: a fixed environment and configuration, no questions, bounded output. Knows no meaning of
//! what it runs. Dropping a call asks git and its hooks to stop, so that git removes its locks.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use amelia_core::text::capped;
use amelia_process::{
    Captured, CollectLimits, Collected, CommandSpec, Descendants, HostSpawner, OnExcess, ProcessEnd,
    StdinSource, collect, git as fixed,
};
use tokio_util::sync::CancellationToken;

use crate::error::GitError;
use crate::lock::WorktreeLock;

/// Variables for child processes, chosen where the program is assembled.
pub type Vars = Arc<[(OsString, OsString)]>;

/// Bytes of an answer; lists of files of large repositories fit.
pub(crate) const LARGEST: u64 = 64 * 1024 * 1024;

/// Not a run's: a git that outlives us is left to finish, and the next one waits for it.
const OWNER: &str = "git";

/// Bytes of what git and its hooks say about a failure.
const LARGEST_MESSAGE: u64 = 64 * 1024;

/// Git in one directory.
#[derive(Debug, Clone)]
pub(crate) struct Git {
    dir: PathBuf,
    vars: Vars,
    index: Option<PathBuf>,
    /// Variables that keep a repository's own configuration from running anything; nothing where it may.
    looking: Option<Vars>,
    held: Option<Arc<WorktreeLock>>,
}

impl Git {
    /// Variables that tie git to another repository are left out of `vars`: a hook may have started us.
    pub(crate) fn new(dir: impl Into<PathBuf>, vars: &Vars) -> Self {
        let vars = fixed::without_local(vars.iter().cloned()).collect();
        Self { dir: dir.into(), vars, index: None, looking: None, held: None }
    }

    pub(crate) fn at(&self, dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into(), index: None, ..self.clone() }
    }

    /// The same for looking only, with these variables.
    pub(crate) fn looking(&self, vars: Vec<(OsString, OsString)>) -> Self {
        Self { looking: Some(vars.into()), ..self.clone() }
    }

    /// How submodules are compared. Their files are looked at by another git, which does not know that we only look.
    pub(crate) fn submodules(&self) -> &'static str {
        if self.looking.is_some() { "--ignore-submodules=dirty" } else { "--ignore-submodules=none" }
    }

    /// With these variables in the place of others of the same names.
    pub(crate) fn with_vars(&self, vars: Vec<(OsString, OsString)>) -> Self {
        let is_new = |name: &OsString| vars.iter().any(|(new, _)| new == name);
        let kept: Vec<_> = self.vars.iter().filter(|(name, _)| !is_new(name)).cloned().collect();
        Self { vars: kept.into_iter().chain(vars).collect(), ..self.clone() }
    }

    /// With another file in the place of the index.
    pub(crate) fn with_index(&self, index: impl Into<PathBuf>) -> Self {
        Self { index: Some(index.into()), ..self.clone() }
    }

    /// The same with a lock that it holds for as long as it runs.
    pub(crate) fn holding(&self, lock: Arc<WorktreeLock>) -> Self {
        Self { held: Some(lock), ..self.clone() }
    }

    /// Nothing to read; but an open file is held by the process that has it as its input.
    fn input(&self) -> StdinSource {
        let held = self.held.as_ref().and_then(|lock| lock.begin().ok());
        held.map_or(StdinSource::Nothing, StdinSource::File)
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    pub(crate) fn vars(&self) -> &Vars {
        &self.vars
    }

    /// The answer as text, without the last line end.
    pub(crate) async fn text<S: AsRef<OsStr>>(&self, args: &[S]) -> Result<String, GitError> {
        let answer = self.run(args, LARGEST).await?;
        let text = String::from_utf8_lossy(&answer.bytes);
        Ok(text.strip_suffix('\n').unwrap_or(&text).to_owned())
    }

    /// Whether `commit` is `descendant`, or an ancestor of it.
    pub(crate) async fn is_ancestor(&self, commit: &str, descendant: &str) -> Result<bool, GitError> {
        let (code, _) = self.exit(&["merge-base", "--is-ancestor", commit, descendant], &[1]).await?;
        Ok(code == 0)
    }

    /// The answer as a path, which need not be text.
    pub(crate) async fn path<S: AsRef<OsStr>>(&self, args: &[S]) -> Result<PathBuf, GitError> {
        use std::os::unix::ffi::OsStringExt as _;
        let mut bytes = self.run(args, LARGEST).await?.bytes;
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
        }
        Ok(OsString::from_vec(bytes).into())
    }

    /// Pieces that git separates by NUL: names may hold anything else.
    pub(crate) async fn pieces<S: AsRef<OsStr>>(&self, args: &[S]) -> Result<Vec<OsString>, GitError> {
        Ok(pieces_of(&self.run(args, LARGEST).await?.bytes))
    }

    /// At most `limit` bytes of an answer. A git that says more is killed: only for one that changes nothing.
    pub(crate) async fn run<S: AsRef<OsStr>>(&self, args: &[S], limit: u64) -> Result<Captured, GitError> {
        self.answer(args, self.input(), limit).await
    }

    /// The same to a git that reads `input`.
    pub(crate) async fn answer<S: AsRef<OsStr>>(
        &self,
        args: &[S],
        input: StdinSource,
        limit: u64,
    ) -> Result<Captured, GitError> {
        self.ended(args, input, limit, &[]).await.map(|(_, stdout)| stdout)
    }

    /// The exit code, where `fine` lists those that are answers besides 0, and what was printed.
    pub(crate) async fn exit<S: AsRef<OsStr>>(
        &self,
        args: &[S],
        fine: &[i32],
    ) -> Result<(i32, Vec<u8>), GitError> {
        let (code, stdout) = self.ended(args, self.input(), LARGEST, fine).await?;
        Ok((code, stdout.bytes))
    }

    async fn ended<S: AsRef<OsStr>>(
        &self,
        args: &[S],
        input: StdinSource,
        limit: u64,
        fine: &[i32],
    ) -> Result<(i32, Captured), GitError> {
        let limits = CollectLimits {
            stdout: limit,
            stderr: LARGEST_MESSAGE,
            on_excess: OnExcess::Stop,
            timeout: None,
        };
        let done = collect(&HostSpawner, self.command(args, input), limits, &CancellationToken::new()).await;
        if let Some(lock) = &self.held
            && matches!(done, Ok(Collected { end: ProcessEnd::Exited(_), .. }) | Err(_))
        {
            lock.finish();
        }
        let done = done.map_err(|error| self.not_started(error))?;
        match done.end {
            ProcessEnd::Exited(0) | ProcessEnd::Stopped => Ok((0, done.stdout)),
            ProcessEnd::Exited(code) if fine.contains(&code) => Ok((code, done.stdout)),
            ProcessEnd::Exited(_) => Err(self.failed(args, &done.stderr.bytes)),
            ProcessEnd::Killed(signal) => {
                let message = format!("killed by signal {signal}");
                Err(GitError::Git { command: name_of(args), message })
            }
            ProcessEnd::TimedOut | ProcessEnd::Cancelled => {
                Err(GitError::Git { command: name_of(args), message: "cancelled".to_owned() })
            }
        }
    }

    fn command<S: AsRef<OsStr>>(&self, args: &[S], input: StdinSource) -> CommandSpec {
        let all = fixed::first_args().into_iter().chain(args.iter().map(|arg| arg.as_ref().to_owned()));
        let mut command = CommandSpec::new("git", all, OWNER);
        command.directory = Some(self.dir.clone());
        command.vars = self.vars.to_vec();
        command.vars.extend(fixed::fixed_vars());
        command.vars.extend(self.looking.iter().flat_map(|vars| vars.iter().cloned()));
        command.vars.extend(self.index.iter().map(|index| ("GIT_INDEX_FILE".into(), index.into())));
        (command.stdin, command.descendants) = (input, Descendants::MayStay);
        command
    }

    fn not_started(&self, error: io::Error) -> GitError {
        if error.kind() != io::ErrorKind::NotFound {
            return GitError::Io { path: self.dir.clone(), source: error };
        }
        // The system says the same of a missing program and of a missing directory.
        if self.dir.is_dir() {
            GitError::GitMissing
        } else {
            GitError::NoDirectory { path: self.dir.clone() }
        }
    }

    fn failed<S: AsRef<OsStr>>(&self, args: &[S], message: &[u8]) -> GitError {
        let message = String::from_utf8_lossy(message);
        if message.contains("not a git repository") {
            return GitError::NotARepository { path: self.dir.clone() };
        }
        GitError::Git { command: name_of(args), message: capped(message.trim(), 2000) }
    }
}

/// What is between NUL bytes.
pub(crate) fn pieces_of(bytes: &[u8]) -> Vec<OsString> {
    use std::os::unix::ffi::OsStringExt as _;
    let pieces = bytes.split(|byte| *byte == 0).filter(|piece| !piece.is_empty());
    pieces.map(|piece| OsString::from_vec(piece.to_vec())).collect()
}

fn name_of<S: AsRef<OsStr>>(args: &[S]) -> String {
    args.first().map(|name| name.as_ref().to_string_lossy().into_owned()).unwrap_or_default()
}
