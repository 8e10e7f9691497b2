//! All processes that a command brought into the world, and their end.
//!
//! They are known by their process group and session, by a mark in their environment, by holding the command's
//! output, and by descending from one of those. A process that hides from all of these at once is not found.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::environment::{Environment, MARK};

const ROUNDS: usize = 200;
const PAUSE: Duration = Duration::from_millis(5);

/// A command and its descendants. Dropping it kills them.
pub(super) struct Family {
    leader: Option<Pid>,
    mark: Vec<u8>,
    pipe: String,
    is_over: bool,
}

impl Family {
    pub(super) fn new(leader: Option<u32>, mark: &str, pipe: u64) -> Self {
        let leader = leader.and_then(|id| Pid::from_raw(id.try_into().ok()?));
        let mark = format!("{MARK}={mark}").into_bytes();
        Self { leader, mark, pipe: format!("pipe:[{pipe}]"), is_over: false }
    }

    /// Asks all of them, so that they can tidy up.
    pub(super) fn ask_to_stop(&self) {
        self.signal(&self.members(), Signal::TERM);
    }

    /// Kills whoever is left, until nobody is. Says how many there were at first.
    pub(super) async fn end(&mut self) -> usize {
        let first = self.members();
        let mut left = first.clone();
        for _ in 0..ROUNDS {
            if left.is_empty() {
                break;
            }
            self.signal(&left, Signal::KILL);
            tokio::time::sleep(PAUSE).await;
            left = self.members();
        }
        self.is_over = true;
        first.len()
    }

    fn signal(&self, members: &BTreeSet<i32>, signal: Signal) {
        // Gone already is as good as signalled. The group only while a member lives: its number may be used again.
        if !members.is_empty()
            && let Some(leader) = self.leader
        {
            kill_process_group(leader, signal).ok();
        }
        for pid in members.iter().filter_map(|pid| Pid::from_raw(*pid)) {
            kill_process(pid, signal).ok();
        }
    }

    fn members(&self) -> BTreeSet<i32> {
        let leader = self.leader.map(|pid| pid.as_raw_nonzero().get());
        with_descendants(&alive(), |process| {
            Some(process.group) == leader
                || Some(process.session) == leader
                || Some(process.pid) == leader
                || has_mark(process.pid, |mark| mark == self.mark)
                || writes_to(process.pid, &self.pipe)
        })
    }
}

impl Drop for Family {
    fn drop(&mut self) {
        // Nobody can wait here; three rounds also find what was born during the first.
        for _ in 0..3 {
            let members = if self.is_over { BTreeSet::new() } else { self.members() };
            if members.is_empty() {
                break;
            }
            self.signal(&members, Signal::KILL);
        }
    }
}

/// Everything that bears one mark. Dropping it kills them.
pub struct Marked(Vec<u8>);

impl Marked {
    /// A new mark of this environment's owner, and the variable that bears it.
    #[must_use]
    pub fn new(environment: &Environment) -> (Self, (OsString, OsString)) {
        let mark = environment.new_mark();
        (Self(format!("{MARK}={mark}").into_bytes()), (MARK.into(), mark.into()))
    }
}

impl Drop for Marked {
    fn drop(&mut self) {
        for _ in 0..3 {
            let members = with_descendants(&alive(), |process| has_mark(process.pid, |mark| mark == self.0));
            if members.is_empty() {
                break;
            }
            for pid in members.iter().filter_map(|pid| Pid::from_raw(*pid)) {
                kill_process(pid, Signal::KILL).ok();
            }
        }
    }
}

/// Kills what commands of `owner` (see [`Environment`](crate::Environment)) left behind when this program died.
/// Says how many there were.
pub fn end_leftovers(owner: &str) -> usize {
    let prefix = format!("{MARK}={owner}/").into_bytes();
    let members =
        with_descendants(&alive(), |process| has_mark(process.pid, |mark| mark.starts_with(&prefix)));
    for pid in members.iter().filter_map(|pid| Pid::from_raw(*pid)) {
        kill_process(pid, Signal::KILL).ok();
    }
    members.len()
}

#[derive(Clone, Copy)]
struct Process {
    pid: i32,
    parent: i32,
    group: i32,
    session: i32,
}

/// Everybody but this process and those that are dead and only not collected yet.
fn alive() -> Vec<Process> {
    let own = std::process::id().try_into().unwrap_or(0);
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| *pid != own && *pid != 1).filter_map(status_of).collect()
}

fn status_of(pid: i32) -> Option<Process> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold anything, parentheses included.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    if matches!(fields.next()?, "Z" | "X") {
        return None;
    }
    let mut number = || fields.next()?.parse().ok();
    Some(Process { pid, parent: number()?, group: number()?, session: number()? })
}

fn with_descendants(all: &[Process], is_member: impl Fn(&Process) -> bool) -> BTreeSet<i32> {
    let mut members: BTreeSet<i32> =
        all.iter().filter(|process| is_member(process)).map(|process| process.pid).collect();
    loop {
        let before = members.len();
        let children =
            all.iter().filter(|process| members.contains(&process.parent)).map(|process| process.pid);
        members.extend(children.collect::<Vec<_>>());
        if members.len() == before {
            return members;
        }
    }
}

fn has_mark(pid: i32, is_ours: impl Fn(&[u8]) -> bool) -> bool {
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(is_ours)
}

/// Writing only: while another command is being started, its process has our reading end for a moment.
fn writes_to(pid: i32, pipe: &str) -> bool {
    let handles = std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    handles.map(|entry| entry.path()).any(|path| {
        std::fs::read_link(&path).is_ok_and(|target| target.as_os_str() == pipe)
            && std::fs::symlink_metadata(&path).is_ok_and(|link| link.permissions().mode() & 0o200 != 0)
    })
}
