//! One life of the worker: started, watched, killed or left to finish.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use amelia_core::event::Event;
use anyhow::{Context, Result, anyhow};

use super::bug::Bug;

/// A worker that has not shown anything by now will not.
const WORKER_TIMEOUT: Duration = Duration::from_secs(30);

/// What a worker is to do.
#[derive(Debug, Clone, Copy)]
pub struct WorkerTask {
    pub life: u32,
    pub die_at: Option<u64>,
    /// Number of the first run; the same number is the same run.
    pub first: u32,
    pub count: u32,
    /// How long each piece of work takes, in milliseconds.
    pub pace: u64,
    pub bug: Option<Bug>,
}

pub struct WorkerProcess {
    child: Child,
    shown: JoinHandle<Vec<Event>>,
    complaints: JoinHandle<String>,
    live: mpsc::Receiver<Event>,
}

/// A life that is over.
#[derive(Debug)]
pub struct WorkerEnd {
    /// Everything that was shown, in order.
    pub shown: Vec<Event>,
    pub death: WorkerExit,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkerExit {
    /// By SIGKILL.
    Killed,
    /// All runs had ended.
    Finished,
    /// By itself, with a complaint.
    GaveUp(String),
}

impl WorkerProcess {
    pub fn start(home: &Path, orders: WorkerTask) -> Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("worker").arg("--home").arg(home);
        command.arg("--first").arg(orders.first.to_string());
        command.arg("--life").arg(orders.life.to_string());
        command.arg("--count").arg(orders.count.to_string());
        command.arg("--pace").arg(orders.pace.to_string());
        if let Some(moment) = orders.die_at {
            command.arg("--die-at").arg(moment.to_string());
        }
        if let Some(bug) = orders.bug {
            command.arg("--inject").arg(bug.to_string());
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().context("the worker did not start")?;
        let out = child.stdout.take().context("the worker has no output")?;
        let err = child.stderr.take().context("the worker has no error output")?;
        let (sender, live) = mpsc::channel();
        Ok(Self {
            child,
            shown: std::thread::spawn(move || read_events(BufReader::new(out), &sender)),
            complaints: std::thread::spawn(move || read_text(err)),
            live,
        })
    }

    /// Until the worker has shown its first event, or has ended.
    pub fn await_first_sign(&self) {
        // No sign is fine: then it has ended, or hangs, and the kill tells.
        self.live.recv_timeout(WORKER_TIMEOUT).ok();
    }

    /// The next event, as it is shown; `None` when the worker has ended.
    pub fn next_event(&self) -> Option<Event> {
        self.live.recv().ok()
    }

    /// The process, for people to see.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// SIGKILL, after a while.
    pub fn kill_after(mut self, delay: Duration) -> Result<WorkerEnd> {
        std::thread::sleep(delay);
        self.child.kill().context("the worker could not be killed")?;
        self.end()
    }

    /// Waits for the end, of any kind.
    pub fn end(mut self) -> Result<WorkerEnd> {
        let status = self.child.wait().context("the worker was lost")?;
        let lost = |_| anyhow!("the reader of the worker's output panicked");
        let shown = self.shown.join().map_err(lost)?;
        let complaint = self.complaints.join().map_err(lost)?;
        let death = if status.success() {
            WorkerExit::Finished
        } else if status.signal() == Some(9) {
            WorkerExit::Killed
        } else {
            WorkerExit::GaveUp(format!("{status}: {}", complaint.trim()))
        };
        Ok(WorkerEnd { shown, death })
    }
}

/// Whole lines only: half a line at the end was not shown.
fn read_events(mut lines: impl BufRead, live: &mpsc::Sender<Event>) -> Vec<Event> {
    let mut events = Vec::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        match lines.read_until(b'\n', &mut line) {
            Ok(1..) if line.ends_with(b"\n") => {
                if let Ok(event) = serde_json::from_slice::<Event>(&line) {
                    // There may be no reader.
                    live.send(event.clone()).ok();
                    events.push(event);
                }
            }
            Ok(_) | Err(_) => return events,
        }
    }
}

fn read_text(mut from: impl Read) -> String {
    let mut bytes = Vec::new();
    // What was read before an error is still worth telling.
    from.read_to_end(&mut bytes).ok();
    String::from_utf8_lossy(&bytes).into_owned()
}
