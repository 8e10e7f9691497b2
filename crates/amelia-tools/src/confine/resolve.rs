//! From a relative path to a handle that cannot lie outside. Two ways: the kernel's, or one component at a time.

use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::fs::{FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use super::Inside;

/// A rename that races with the resolution makes the kernel give up and ask for another try.
const TRIES: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resolver {
    /// `openat2`: links are followed as long as they stay beneath.
    Kernel,
    /// Kernels and system-call filters without it: no link is followed at all.
    Walk,
}

impl Resolver {
    pub(super) fn of(root: &OwnedFd) -> Self {
        match beneath(root, ".".as_ref(), OFlags::PATH | OFlags::DIRECTORY) {
            Ok(_) => Self::Kernel,
            Err(_) => Self::Walk,
        }
    }

    pub(super) fn open(self, root: BorrowedFd<'_>, path: &Inside, flags: OFlags) -> Result<OwnedFd, Errno> {
        let flags = flags | OFlags::CLOEXEC;
        match self {
            Self::Kernel => beneath(root, path.for_system(), flags),
            Self::Walk => walk(root, path, flags),
        }
    }
}

fn beneath(root: impl std::os::fd::AsFd, path: &std::path::Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let how = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    for _ in 0..TRIES {
        match rustix::fs::openat2(root.as_fd(), path, flags | OFlags::CLOEXEC, Mode::empty(), how) {
            Err(Errno::AGAIN) => {}
            other => return other,
        }
    }
    Err(Errno::AGAIN)
}

fn walk(root: BorrowedFd<'_>, path: &Inside, flags: OFlags) -> Result<OwnedFd, Errno> {
    let directory = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let Some((parent, name)) = path.split() else {
        return rustix::fs::openat(root, ".", flags, Mode::empty());
    };
    let mut at = rustix::fs::openat(root, ".", directory, Mode::empty())?;
    for part in parent.as_path() {
        at = rustix::fs::openat(&at, part, directory, Mode::empty())?;
    }
    let handle = rustix::fs::openat(&at, name, flags | OFlags::NOFOLLOW, Mode::empty())?;
    // O_PATH with O_NOFOLLOW opens a link itself.
    match FileType::from_raw_mode(rustix::fs::fstat(&handle)?.st_mode) {
        FileType::Symlink => Err(Errno::LOOP),
        _ => Ok(handle),
    }
}
