//! One process per store: a locked file beside it that names its owner.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use amelia_core::store::StoreError;
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use super::error::from_io;

/// An owner that was killed while it started a program lives on in the fork of it, lock and all, until that has become the
/// program: a moment, on a machine with much to do a long one.
const LAST_BREATH: Duration = Duration::from_secs(5);

/// Held while the store is open; the operating system releases it when the process dies.
pub(super) struct Lock(#[expect(dead_code, reason = "held, not used")] File);

impl Lock {
    pub(super) fn take(store: &Path) -> Result<Self, StoreError> {
        if let Some(directory) = store.parent().filter(|directory| !directory.as_os_str().is_empty()) {
            std::fs::create_dir_all(directory).map_err(|error| from_io(directory, &error))?;
        }
        let path = lock_path(store);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(|error| from_io(&path, &error))?;
        let since = Instant::now();
        loop {
            match try_lock(&file) {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) => {
                    let pid = owner(&mut file);
                    if is_alive(pid) || since.elapsed() > LAST_BREATH {
                        return Err(StoreError::Locked { path: store.to_owned(), pid });
                    }
                }
                Err(TryLockError::Error(error)) => return Err(from_io(&path, &error)),
            }
        }
        write_owner(&mut file).map_err(|error| from_io(&path, &error))?;
        Ok(Self(file))
    }
}

/// A check whether the lock is held has it for a moment: that is not an owner.
fn try_lock(file: &File) -> Result<(), TryLockError> {
    for _ in 0..10 {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(5)),
            tried => return tried,
        }
    }
    file.try_lock()
}

/// Which process holds the lock of a store. One that was killed holds it no more, although a child that it was starting
/// may keep the lock for a moment longer.
pub(super) fn owner_of(store: &Path) -> Option<u32> {
    if !is_held(store) {
        return None;
    }
    let mut file = OpenOptions::new().read(true).open(lock_path(store)).ok()?;
    Some(owner(&mut file)).filter(|pid| *pid == 0 || is_alive(*pid))
}

fn lock_path(store: &Path) -> PathBuf {
    let mut name = store.as_os_str().to_owned();
    name.push(".lock");
    name.into()
}

/// Whether the lock of a store is held. Takes nothing, makes nothing.
pub(super) fn is_held(store: &Path) -> bool {
    let file = OpenOptions::new().read(true).open(lock_path(store));
    file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Whether there is such a process, also one of another user.
fn is_alive(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| test_kill_process(pid) != Err(Errno::SRCH))
}

/// Who holds the lock. An owner that has just taken it writes its name next: it is given a moment.
fn owner(file: &mut File) -> u32 {
    for _ in 0..20 {
        let mut text = String::new();
        let read = file.rewind().and_then(|()| file.read_to_string(&mut text));
        if let (Ok(_), Ok(pid)) = (read, text.trim().parse()) {
            return pid;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    0
}

fn write_owner(file: &mut File) -> std::io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    write!(file, "{}", std::process::id())?;
    file.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_breath_of_an_owner_that_was_killed_is_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let store = dir.path().join("amelia.db");
        let mut killed = std::process::Command::new("true").spawn().unwrap();
        killed.wait().unwrap();
        std::fs::write(lock_path(&store), killed.id().to_string()).unwrap();
        // As in a fork of it that is not yet the program that it will be.
        let breath = File::open(lock_path(&store)).unwrap();
        breath.lock().unwrap();
        assert_eq!(owner_of(&store), None, "it does not serve any more");
        let gone = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            drop(breath);
        });
        drop(Lock::take(&store).unwrap());
        gone.join().unwrap();
    }
}
