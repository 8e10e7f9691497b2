//! The lock of a worktree, as a git that works in it has it.

use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};

/// The lock of a worktree, until it is dropped and every git that got it has ended.
#[derive(Debug)]
pub(crate) struct WorktreeLock {
    file: File,
    is_cut_off: AtomicBool,
}

impl WorktreeLock {
    /// Of a file that is locked.
    pub(crate) fn new(file: File) -> Self {
        Self { file, is_cut_off: AtomicBool::new(false) }
    }

    /// A handle on the file for a git that is about to be started.
    pub(crate) fn begin(&self) -> std::io::Result<File> {
        self.is_cut_off.store(true, Ordering::Relaxed);
        self.file.try_clone()
    }

    /// That git has ended by itself.
    pub(crate) fn finish(&self) {
        self.is_cut_off.store(false, Ordering::Relaxed);
    }
}

impl Drop for WorktreeLock {
    fn drop(&mut self) {
        if !self.is_cut_off.load(Ordering::Relaxed) {
            // A mark that stays is looked at by the next one, which finds nothing to remove.
            self.file.set_len(0).ok();
        }
    }
}
