//! Processes on this machine.
//!
//! A process that has ended is collected only when its control is dropped: until then its number, its group and its
//! session cannot become those of another process, so what is signalled by them is provably its own.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use async_trait::async_trait;
use rustix::process::{Pid, PidfdFlags, WaitId, WaitIdOptions, pidfd_open, waitid};
use tokio::io::unix::AsyncFd;
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::process::{Child, Command};
use tokio::runtime::Handle;
use uuid::Uuid;

use crate::command::{CommandSpec, Descendants, OutputStreams, ProcessGroup, StdinSource};
use crate::environment::MARK;
use crate::family::Family;
use crate::run::GRACE;
use crate::spawner::{ProcessControl, ProcessEnd, ProcessSpawner, SpawnedProcess};

/// This machine, as the user who runs us.
#[derive(Debug, Clone, Copy, Default)]
pub struct HostSpawner;

impl ProcessSpawner for HostSpawner {
    fn spawn(&self, spec: CommandSpec) -> io::Result<SpawnedProcess> {
        let mark = format!("{}/{}", spec.owner, Uuid::new_v4().simple());
        let mut command = Command::new(&spec.program);
        command.args(&spec.args).env_clear().envs(spec.vars).env(MARK, &mark).kill_on_drop(true);
        if let Some(directory) = &spec.directory {
            command.current_dir(directory);
        }
        match spec.group {
            ProcessGroup::Ours => command.process_group(0),
            ProcessGroup::Theirs => &mut command,
        };
        let (stdin, lifeline) = input(&mut command, spec.stdin)?;
        let (stdout, writer) = pipe()?;
        let mut pipes = vec![inode(&stdout)?];
        let stderr = match spec.streams {
            OutputStreams::Merged => {
                command.stderr(writer.try_clone()?);
                None
            }
            OutputStreams::Separate => {
                let (stderr, writer) = pipe()?;
                command.stderr(writer);
                pipes.push(inode(&stderr)?);
                Some(Receiver::from_owned_fd(stderr)?)
            }
        };
        let child = command.stdout(writer).spawn()?;
        // Our copies of the writing ends must go, or the pipes never end.
        drop(command);
        let control = HostControl::new(child, &mark, &pipes, spec.descendants, lifeline);
        Ok(SpawnedProcess {
            stdin,
            stdout: Receiver::from_owned_fd(stdout)?,
            stderr,
            control: Box::new(control),
        })
    }
}

/// What we write to, and what we only hold open.
fn input(command: &mut Command, source: StdinSource) -> io::Result<(Option<Sender>, Option<OwnedFd>)> {
    match source {
        StdinSource::Nothing => command.stdin(Stdio::null()),
        StdinSource::File(file) => command.stdin(file),
        StdinSource::Bytes(_) | StdinSource::Piped => {
            let (theirs, ours) = pipe()?;
            command.stdin(theirs);
            return Ok((Some(Sender::from_owned_fd(ours)?), None));
        }
        StdinSource::Lifeline => {
            let (theirs, ours) = pipe()?;
            command.stdin(theirs);
            return Ok((None, Some(ours)));
        }
    };
    Ok((None, None))
}

/// Both ends close when another program is started, from the moment they are made.
fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (reader, writer) = io::pipe()?;
    Ok((reader.into(), writer.into()))
}

fn inode(file: &OwnedFd) -> io::Result<u64> {
    Ok(rustix::fs::fstat(file)?.st_ino)
}

/// A child and its family.
struct HostControl {
    /// Taken when the end of it is left to a task.
    life: Option<Life>,
    descendants: Descendants,
    _lifeline: Option<OwnedFd>,
}

struct Life {
    /// Dropped first: members are killed while the child still holds their group's number.
    family: Family,
    child: Child,
    /// Nothing where the system has no such handles.
    handle: Option<AsyncFd<OwnedFd>>,
    is_over: bool,
}

impl HostControl {
    fn new(
        child: Child,
        mark: &str,
        pipes: &[u64],
        descendants: Descendants,
        lifeline: Option<OwnedFd>,
    ) -> Self {
        let pid = child.id().and_then(|id| Pid::from_raw(id.try_into().ok()?));
        let handle = pid.and_then(|pid| pidfd_open(pid, PidfdFlags::NONBLOCK).ok());
        let handle = handle.and_then(|handle| registered(handle).ok());
        let family = Family::new(pid, mark, pipes);
        let life = Life { family, child, handle, is_over: false };
        Self { life: Some(life), descendants, _lifeline: lifeline }
    }
}

#[async_trait]
impl ProcessControl for HostControl {
    async fn exited(&mut self) -> io::Result<ProcessEnd> {
        let Some(life) = &mut self.life else { return Err(io::ErrorKind::NotFound.into()) };
        let end = life.exited().await?;
        life.is_over |= self.descendants == Descendants::MayStay;
        Ok(end)
    }

    fn terminate(&self) {
        if let Some(life) = &self.life {
            life.family.terminate();
        }
    }

    async fn kill(&mut self) -> usize {
        let Some(life) = &mut self.life else { return 0 };
        let killed = life.family.end().await;
        life.is_over = true;
        killed
    }
}

impl Drop for HostControl {
    fn drop(&mut self) {
        let Some(life) = self.life.take().filter(|life| !life.is_over) else { return };
        if self.descendants == Descendants::EndWithIt {
            return;
        }
        life.family.terminate();
        // Dropping cannot wait, so a task does, for a bounded time; it ends at once with its runtime. Without one,
        // leaving this function kills.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(life.end_after_grace());
        }
    }
}

impl Life {
    async fn end_after_grace(mut self) {
        tokio::time::timeout(GRACE, self.exited()).await.ok();
        self.family.end().await;
    }

    async fn exited(&mut self) -> io::Result<ProcessEnd> {
        let Some(handle) = &self.handle else { return Ok(end_of(self.child.wait().await?)) };
        loop {
            drop(handle.readable().await?);
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
            if let Some(status) = waitid(WaitId::PidFd(handle.get_ref().as_fd()), options)? {
                let code = status.exit_status().map(ProcessEnd::Exited);
                let signal = || ProcessEnd::Killed(status.terminating_signal().unwrap_or(0));
                return Ok(code.unwrap_or_else(signal));
            }
            // Not readable for long: a handle is ready only when its process has ended.
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        if !self.is_over {
            self.family.kill();
        }
    }
}

#[expect(deprecated, reason = "its replacement is unsafe; it is sound for a descriptor that is owned")]
fn registered(handle: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::new(handle)
}

fn end_of(status: ExitStatus) -> ProcessEnd {
    match (status.code(), status.signal()) {
        (Some(code), _) => ProcessEnd::Exited(code),
        (None, signal) => ProcessEnd::Killed(signal.unwrap_or(0)),
    }
}
