//! Writing beneath the root: a new file beside the old one, then a rename over it.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Write as _;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::{Inside, PathError, Root, name_of};

/// A file that has been written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenFile {
    /// Where, links followed.
    pub path: Inside,
    pub is_new: bool,
}

impl Root {
    /// Makes the file have this content, with the directories it needs. The old content stays whole until the new
    /// one is complete.
    pub fn write(&self, given: &str, content: &[u8]) -> Result<WrittenFile, PathError> {
        self.write_new_with(given, content, None)
    }

    /// The same; a file that is not there yet gets these permissions.
    pub(crate) fn write_new_with(
        &self,
        given: &str,
        content: &[u8],
        mode: Option<u32>,
    ) -> Result<WrittenFile, PathError> {
        let path = self.target(&self.inside(given)?)?;
        let Some((parent, name)) = path.split() else {
            return Err(PathError::NotAFile { path: path.to_string(), what: "a directory" });
        };
        // By its letters first, so that no directory is made on the way to a refusal.
        if path.is_in_git() {
            return Err(self.belongs_to_git(&path));
        }
        let dir = self.directories(&parent)?;
        self.guard(&dir, &parent, name)?;
        let is_new = replace(&dir, name, content, mode).map_err(|error| match error {
            ReplaceError::NotAFile(what) => PathError::NotAFile { path: path.to_string(), what },
            ReplaceError::Io(source) => PathError::Failed { path: path.to_string(), source },
        })?;
        Ok(WrittenFile { path, is_new })
    }

    /// Removes a file or a link, never what a link leads to.
    pub fn remove(&self, given: &str) -> Result<Inside, PathError> {
        let path = self.inside(given)?;
        let Some((parent, name)) = path.split() else {
            return Err(PathError::NotAFile { path: path.to_string(), what: "a directory" });
        };
        let dir = self.handle(&parent, OFlags::PATH | OFlags::DIRECTORY)?;
        self.guard(&dir, &parent, name)?;
        rustix::fs::unlinkat(&dir, name, AtFlags::empty()).map_err(|errno| self.refusal(&path, errno))?;
        Ok(path)
    }

    /// Where a write really goes: a link that stays inside is followed, so that it stays a link.
    fn target(&self, path: &Inside) -> Result<Inside, PathError> {
        match self.handle(path, OFlags::PATH) {
            Ok(handle) => self.place(handle.as_fd(), path),
            Err(PathError::Missing { .. }) => Ok(path.clone()),
            Err(refusal) => Err(refusal),
        }
    }

    /// Opens a directory and makes what is missing of it, each step from the root again.
    fn directories(&self, path: &Inside) -> Result<OwnedFd, PathError> {
        let flags = OFlags::PATH | OFlags::DIRECTORY;
        let mut so_far = Inside::found(Path::new(""));
        let mut at = self.handle(&so_far, flags)?;
        for part in path.as_path() {
            let next = Inside::found(&so_far.as_path().join(part));
            at = match self.handle(&next, flags) {
                Err(PathError::Missing { .. }) => {
                    self.guard(&at, &so_far, part)?;
                    match rustix::fs::mkdirat(&at, part, Mode::from_raw_mode(0o777)) {
                        Ok(()) | Err(Errno::EXIST) => self.handle(&next, flags)?,
                        Err(errno) => return Err(self.refusal(&next, errno)),
                    }
                }
                other => other?,
            };
            so_far = next;
        }
        Ok(at)
    }

    /// Checks an entry of an open directory by where the directory really is.
    fn guard(&self, dir: &OwnedFd, path: &Inside, name: &OsStr) -> Result<(), PathError> {
        let place = Inside::found(&self.place(dir.as_fd(), path)?.as_path().join(name));
        if place.is_in_git() { Err(self.belongs_to_git(&place)) } else { Ok(()) }
    }

    fn belongs_to_git(&self, path: &Inside) -> PathError {
        PathError::Git { path: path.to_string(), root: self.path.display().to_string() }
    }
}

enum ReplaceError {
    NotAFile(&'static str),
    Io(std::io::Error),
}

impl<E: Into<std::io::Error>> From<E> for ReplaceError {
    fn from(error: E) -> Self {
        Self::Io(error.into())
    }
}

/// True when there was no such entry before.
fn replace(dir: &OwnedFd, name: &OsStr, content: &[u8], mode: Option<u32>) -> Result<bool, ReplaceError> {
    let old = match rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Some(stat),
        Err(Errno::NOENT) => None,
        Err(errno) => return Err(errno.into()),
    };
    if let Some(stat) = &old {
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile | FileType::Symlink => {}
            other => return Err(ReplaceError::NotAFile(name_of(other))),
        }
    }
    let kept_mode =
        old.as_ref().filter(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile);
    let beside = format!(".amelia-{}", uuid::Uuid::new_v4().simple());
    let mode = kept_mode.map(|stat| stat.st_mode).or(mode);
    let written = write_new(dir, &beside, content, mode)
        .and_then(|()| Ok(rustix::fs::renameat(dir, &beside, dir, name)?));
    if let Err(error) = written {
        // The first error is the one to tell; a leftover that cannot be removed either has the same cause.
        rustix::fs::unlinkat(dir, &beside, AtFlags::empty()).ok();
        return Err(error.into());
    }
    Ok(old.is_none())
}

/// A file of this name, once it is complete. Until then it has no name, where the file system can do that: a process that
/// is killed in the middle leaves nothing that a commit would take along.
fn write_new(dir: &OwnedFd, name: &str, content: &[u8], mode: Option<u32>) -> std::io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CLOEXEC;
    let default = Mode::from_raw_mode(0o666);
    let nameless = rustix::fs::openat(dir, ".", flags | OFlags::TMPFILE, default);
    let is_nameless = nameless.is_ok();
    let handle = nameless.or_else(|_| {
        rustix::fs::openat(dir, name, flags | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW, default)
    })?;
    if let Some(mode) = mode {
        rustix::fs::fchmod(&handle, Mode::from_raw_mode(mode & 0o777))?;
    }
    let mut file = File::from(handle);
    file.write_all(content)?;
    // Before it has a name: after a crash of the machine there is the old content or the new, never an empty file.
    file.sync_data()?;
    if is_nameless {
        let open = format!("/proc/self/fd/{}", file.as_raw_fd());
        rustix::fs::linkat(rustix::fs::CWD, open, dir, name, AtFlags::SYMLINK_FOLLOW)?;
    }
    Ok(())
}
