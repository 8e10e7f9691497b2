//! One call of the `git` program: a fixed environment, nobody to ask, bounded output. Knows no meaning of what it runs.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use amelia_core::text::capped;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Command;

use crate::error::SandboxError;

/// Variables for child processes, chosen by whoever assembles the program.
pub type Vars = Arc<[(OsString, OsString)]>;

/// Bytes of an answer; lists of files of large repositories fit.
const LARGEST: u64 = 64 * 1024 * 1024;

/// How long to listen for what git has said when it has ended.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Git in one directory.
#[derive(Debug, Clone)]
pub(crate) struct Git {
    dir: PathBuf,
    vars: Vars,
    index: Option<PathBuf>,
    held: Option<Arc<File>>,
}

/// What git printed, and whether that was all.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) bytes: Vec<u8>,
    pub(crate) is_cut: bool,
}

impl Git {
    pub(crate) fn new(dir: impl Into<PathBuf>, vars: Vars) -> Self {
        Self { dir: dir.into(), vars, index: None, held: None }
    }

    pub(crate) fn at(&self, dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into(), index: None, ..self.clone() }
    }

    /// With another file in the place of the index.
    pub(crate) fn with_index(&self, index: impl Into<PathBuf>) -> Self {
        Self { index: Some(index.into()), ..self.clone() }
    }

    /// The same with a file that it holds open for as long as it runs.
    pub(crate) fn holding(&self, file: Arc<File>) -> Self {
        Self { held: Some(file), ..self.clone() }
    }

    /// Nothing to read; but an open file is held by whoever has it as its input.
    fn input(&self) -> Stdio {
        let held = self.held.as_ref().and_then(|file| file.try_clone().ok());
        held.map_or_else(Stdio::null, Stdio::from)
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    pub(crate) fn vars(&self) -> &Vars {
        &self.vars
    }

    /// The answer as text, without the last line end.
    pub(crate) async fn text<S: AsRef<OsStr>>(&self, args: &[S]) -> Result<String, SandboxError> {
        let answer = self.run(args, LARGEST).await?;
        let text = String::from_utf8_lossy(&answer.bytes);
        Ok(text.strip_suffix('\n').unwrap_or(&text).to_owned())
    }

    /// The answer as a path, which need not be text.
    pub(crate) async fn path<S: AsRef<OsStr>>(&self, args: &[S]) -> Result<PathBuf, SandboxError> {
        use std::os::unix::ffi::OsStringExt as _;
        let mut bytes = self.run(args, LARGEST).await?.bytes;
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
        }
        Ok(OsString::from_vec(bytes).into())
    }

    /// Pieces that git separates by NUL: names may hold anything else.
    pub(crate) async fn pieces<S: AsRef<OsStr>>(&self, args: &[S]) -> Result<Vec<OsString>, SandboxError> {
        use std::os::unix::ffi::OsStringExt as _;
        let answer = self.run(args, LARGEST).await?;
        let pieces = answer.bytes.split(|byte| *byte == 0).filter(|piece| !piece.is_empty());
        Ok(pieces.map(|piece| OsString::from_vec(piece.to_vec())).collect())
    }

    pub(crate) async fn run<S: AsRef<OsStr>>(&self, args: &[S], limit: u64) -> Result<Answer, SandboxError> {
        let mut child = self.command(args).spawn().map_err(|error| self.not_started(error))?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let (mut answer, mut message) = (Answer::default(), Answer::default());
        let broken = SandboxError::io(&self.dir);
        {
            let reading = async {
                tokio::try_join!(read(stdout, limit, &mut answer), read(stderr, 64 * 1024, &mut message))
                    .map(drop)
            };
            let mut reading = std::pin::pin!(reading);
            let read = tokio::select! {
                read = &mut reading => read,
                // A hook may leave something behind that holds the pipes open.
                ended = child.wait() => match ended {
                    Ok(_) => tokio::time::timeout(LAST_WORDS, reading).await.unwrap_or(Ok(())),
                    Err(error) => Err(error),
                },
            };
            if let Err(error) = read {
                return Err(broken(error));
            }
        }
        if answer.is_cut {
            // It has more to say than anybody wants to hear.
            child.kill().await.map_err(broken)?;
            return Ok(answer);
        }
        let status = child.wait().await.map_err(broken)?;
        if status.success() { Ok(answer) } else { Err(self.failed(args, &message.bytes)) }
    }

    fn command<S: AsRef<OsStr>>(&self, args: &[S]) -> Command {
        let mut command = Command::new("git");
        command.args(["--no-pager", "-c", "core.quotepath=off", "-c", "color.ui=never"]);
        // A program that an agent may have written into the configuration is not run because we look.
        command.args(["-c", "core.fsmonitor=false"]).args(args);
        command.current_dir(&self.dir).env_clear().envs(self.vars.iter().map(|(name, value)| (name, value)));
        command.envs([
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_EDITOR", "true"),
            ("LC_ALL", "C"),
        ]);
        if let Some(index) = &self.index {
            command.env("GIT_INDEX_FILE", index);
        }
        command.stdin(self.input()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.kill_on_drop(true).process_group(0);
        command
    }

    fn not_started(&self, error: io::Error) -> SandboxError {
        if error.kind() != io::ErrorKind::NotFound {
            return SandboxError::Io { path: self.dir.clone(), source: error };
        }
        // The system says the same of a missing program and of a missing directory.
        if self.dir.is_dir() {
            SandboxError::GitMissing
        } else {
            SandboxError::NoDirectory { path: self.dir.clone() }
        }
    }

    fn failed<S: AsRef<OsStr>>(&self, args: &[S], message: &[u8]) -> SandboxError {
        let message = String::from_utf8_lossy(message);
        if message.contains("not a git repository") {
            return SandboxError::NotARepository { path: self.dir.clone() };
        }
        let command =
            args.first().map(|name| name.as_ref().to_string_lossy().into_owned()).unwrap_or_default();
        SandboxError::Git { command, message: capped(message.trim(), 2000) }
    }
}

async fn read(source: Option<impl AsyncRead + Unpin>, limit: u64, into: &mut Answer) -> io::Result<()> {
    if let Some(source) = source {
        source.take(limit.saturating_add(1)).read_to_end(&mut into.bytes).await?;
    }
    into.is_cut = into.bytes.len() as u64 > limit;
    into.bytes.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(())
}
