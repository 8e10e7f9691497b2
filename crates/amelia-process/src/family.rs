//! All processes that a command has started, and their end.
//!
//! Only what is provably a descendant is signalled. Proof is one of: its group or session is the command's, whose number
//! is ours for as long as the command is not collected; the command's mark, unique to this one start, is in its
//! environment; it has inherited the command's output; it descends from one of those. And it was started no earlier than
//! the command. A process that hides from all of these at once is not found.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open, pidfd_send_signal,
};

use crate::environment::MARK;

const ROUNDS: usize = 200;
const PAUSE: Duration = Duration::from_millis(5);
/// `O_CLOEXEC` in the flags of an open file.
const CLOSES_ON_EXEC: u32 = 0o2_000_000;

/// A command and its descendants.
pub(crate) struct Family {
    leader: Option<Process>,
    mark: Vec<u8>,
    pipes: Vec<String>,
}

impl Family {
    /// Of a command that has just been started and is not collected before this is dropped.
    pub(crate) fn new(leader: Option<Pid>, mark: &str, pipes: &[u64]) -> Self {
        let leader = leader.and_then(|pid| status_of(pid.as_raw_nonzero().get()));
        let mark = format!("{MARK}={mark}").into_bytes();
        Self { leader, mark, pipes: pipes.iter().map(|inode| format!("pipe:[{inode}]")).collect() }
    }

    /// Asks all of them, so that they can tidy up.
    pub(crate) fn terminate(&self) {
        self.signal(&self.members(), Signal::TERM);
    }

    /// Kills what is left, until nothing is. Says how many there were at first.
    pub(crate) async fn end(&mut self) -> usize {
        let first = self.members();
        let count = first.len();
        let mut left = first;
        for _ in 0..ROUNDS {
            if left.is_empty() {
                break;
            }
            self.signal(&left, Signal::KILL);
            tokio::time::sleep(PAUSE).await;
            left = self.members();
        }
        count
    }

    /// The same without waiting; three rounds also find what was started during the first.
    pub(crate) fn kill(&self) {
        for _ in 0..3 {
            let members = self.members();
            if members.is_empty() {
                break;
            }
            self.signal(&members, Signal::KILL);
        }
    }

    fn signal(&self, members: &[Process], signal: Signal) {
        // At once for all that are in the group, so that none can start another in between. Gone already is as good.
        if !members.is_empty()
            && let Some(group) = self.leader.and_then(|leader| Pid::from_raw(leader.pid))
        {
            kill_process_group(group, signal).ok();
        }
        for member in members {
            member.signal(signal);
        }
    }

    fn members(&self) -> Vec<Process> {
        let Some(leader) = self.leader else { return Vec::new() };
        let candidates: Vec<Process> = alive().filter(|process| process.born >= leader.born).collect();
        with_descendants(&candidates, |process| {
            process.group == leader.pid
                || process.session == leader.pid
                || process.pid == leader.pid
                || has_mark(process.pid, |mark| mark == self.mark)
                || has_inherited(process.pid, &self.pipes)
        })
    }
}

/// Kills what processes of `owner` (see [`CommandSpec`](crate::CommandSpec)) left behind when this program died.
/// Says how many there were.
pub fn end_leftovers(owner: &str) -> usize {
    let prefix = format!("{MARK}={owner}/").into_bytes();
    let all: Vec<Process> = alive().collect();
    let members = with_descendants(&all, |process| has_mark(process.pid, |mark| mark.starts_with(&prefix)));
    for member in &members {
        member.signal(Signal::KILL);
    }
    members.len()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Process {
    pid: i32,
    parent: i32,
    group: i32,
    session: i32,
    /// In ticks of the clock since the machine was started. With it, a number that is used again is another process.
    born: u64,
    is_dead: bool,
}

impl Process {
    /// Signals this process, and none that has got its number since: the handle is taken first, and looked at then.
    fn signal(&self, signal: Signal) {
        let Some(pid) = Pid::from_raw(self.pid) else { return };
        let handle = pidfd_open(pid, PidfdFlags::empty());
        if status_of(self.pid).is_none_or(|now| now.born != self.born) {
            return;
        }
        match handle {
            Ok(handle) => drop(pidfd_send_signal(&handle, signal)),
            Err(Errno::NOSYS | Errno::PERM) => drop(kill_process(pid, signal)),
            // Gone already is as good as signalled.
            Err(_) => {}
        }
    }
}

/// All but this process and those that are dead and only not collected yet.
fn alive() -> impl Iterator<Item = Process> {
    let own = std::process::id().try_into().unwrap_or(0);
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let others = pids.filter(move |pid| *pid != own && *pid != 1);
    others.filter_map(status_of).filter(|process| !process.is_dead)
}

fn status_of(pid: i32) -> Option<Process> {
    parsed(pid, &std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

fn parsed(pid: i32, stat: &str) -> Option<Process> {
    // The name in parentheses may hold anything, parentheses included.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let is_dead = matches!(fields.next()?, "Z" | "X");
    let mut number = || fields.next()?.parse().ok();
    let (parent, group, session) = (number()?, number()?, number()?);
    let born = fields.nth(15)?.parse().ok()?;
    Some(Process { pid, parent, group, session, born, is_dead })
}

fn with_descendants(all: &[Process], is_member: impl Fn(&Process) -> bool) -> Vec<Process> {
    let mut members: BTreeMap<i32, Process> =
        all.iter().filter(|process| is_member(process)).map(|process| (process.pid, *process)).collect();
    loop {
        let before = members.len();
        let is_child =
            |child: &Process| members.get(&child.parent).is_some_and(|parent| child.born >= parent.born);
        let children: Vec<Process> = all.iter().filter(|process| is_child(process)).copied().collect();
        members.extend(children.into_iter().map(|child| (child.pid, child)));
        if members.len() == before {
            return members.into_values().collect();
        }
    }
}

fn has_mark(pid: i32, is_ours: impl Fn(&[u8]) -> bool) -> bool {
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(is_ours)
}

/// Whether it writes to one of these pipes by a descriptor that outlives `exec`, as one has it who got it from the
/// command. While another process of ours is being started, it has a copy of everything that we have open, our ends of
/// these pipes included; those close on exec, and prove nothing.
fn has_inherited(pid: i32, pipes: &[String]) -> bool {
    let handles = std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    handles.map(|entry| entry.path()).any(|path| {
        std::fs::read_link(&path)
            .is_ok_and(|target| pipes.iter().any(|pipe| target.as_os_str() == pipe.as_str()))
            && std::fs::symlink_metadata(&path).is_ok_and(|link| link.permissions().mode() & 0o200 != 0)
            && path
                .file_name()
                .and_then(|name| name.to_str())
                .is_some_and(|number| outlives_exec(pid, number))
    })
}

fn outlives_exec(pid: i32, descriptor: &str) -> bool {
    let info = std::fs::read_to_string(format!("/proc/{pid}/fdinfo/{descriptor}")).unwrap_or_default();
    let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
    flags
        .and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok())
        .is_some_and(|flags| flags & CLOSES_ON_EXEC == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: i32, parent: i32, born: u64) -> Process {
        Process { pid, parent, group: pid, session: pid, born, is_dead: false }
    }

    #[test]
    fn a_status_is_read_whatever_the_program_is_called() {
        let stat = "7 (a) b (c)) S 3 4 5 0 -1 0 0 0 0 0 1 2 3 4 20 0 1 0 777 1000 2";
        let expected = Process { pid: 7, parent: 3, group: 4, session: 5, born: 777, is_dead: false };
        assert_eq!(parsed(7, stat), Some(expected));
        assert!(parsed(7, "7 (a) Z 3 4 5 0 -1 0 0 0 0 0 1 2 3 4 20 0 1 0 777 1").unwrap().is_dead);
        assert_eq!(parsed(7, "7 (a"), None);
    }

    #[test]
    fn a_process_older_than_its_parent_is_the_child_of_one_whose_number_is_used_again() {
        let all = [process(2, 1, 50), process(3, 2, 51), process(4, 3, 51), process(5, 2, 20)];
        let members: Vec<i32> =
            with_descendants(&all, |process| process.pid == 2).iter().map(|process| process.pid).collect();
        assert_eq!(members, [2, 3, 4]);
    }

    #[test]
    fn what_closes_on_exec_is_not_inherited() {
        let (_reader, writer) = std::io::pipe().unwrap();
        let pipe = format!("pipe:[{}]", rustix::fs::fstat(&writer).unwrap().st_ino);
        let own = i32::try_from(std::process::id()).unwrap();
        assert!(!has_inherited(own, std::slice::from_ref(&pipe)));
        rustix::io::fcntl_setfd(&writer, rustix::io::FdFlags::empty()).unwrap();
        assert!(has_inherited(own, &[pipe]));
    }
}
