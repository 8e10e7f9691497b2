//! The one way from a path in a tool's arguments to a file: by directory handle, beneath the worktree's root.
//!
//! The kernel resolves (`openat2`, `RESOLVE_BENEATH`), so there is no moment between a check and a use. What was
//! opened is what is used: reads read the handle, writes replace an entry of an opened directory by rename and never
//! write through an existing inode, so a hard link to a file elsewhere is cut, not followed.

mod path;
mod resolve;
mod write;

#[cfg(test)]
mod tests;

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;

pub use path::Inside;
use resolve::Resolver;
pub use write::WrittenFile;

/// Why a path was not used. Made to be read by a model: names the path, and the root where that helps.
#[derive(Debug, thiserror::Error)]
pub enum PathError {
    #[error(
        "`{path}` leads outside the worktree `{root}`: use a path inside it (links that leave it count as outside)"
    )]
    Outside { path: String, root: String },
    #[error(
        "`{path}` belongs to git itself (`.git` in `{root}`): it can be read, not written; use git commands"
    )]
    Git { path: String, root: String },
    #[error("`{path}` is not a usable path: {reason}")]
    Unusable { path: String, reason: &'static str },
    #[error("`{path}` does not exist in `{root}`")]
    Missing { path: String, root: String },
    #[error("`{path}` is {what}, not a file")]
    NotAFile { path: String, what: &'static str },
    #[error("`{path}`: {source}")]
    Failed { path: String, source: io::Error },
}

/// A worktree's root, held open.
#[derive(Debug)]
pub struct Root {
    dir: OwnedFd,
    path: PathBuf,
    /// As it was given, when that is another way to write it: models repeat what they read.
    alias: PathBuf,
    resolver: Resolver,
}

impl Root {
    /// Opens a directory to be worked in.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let alias = std::path::absolute(path.as_ref())?;
        let path = alias.canonicalize()?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir = rustix::fs::open(&path, flags, Mode::empty())?;
        let resolver = Resolver::of(&dir);
        Ok(Self { dir, path, alias, resolver })
    }

    /// Where it is, without links.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a regular file for reading. A pipe or device is refused without waiting for it.
    pub fn file(&self, given: &str) -> Result<File, PathError> {
        self.file_inside(&self.inside(given)?)
    }

    pub(crate) fn file_inside(&self, path: &Inside) -> Result<File, PathError> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let handle = self.handle(path, flags)?;
        match kind(handle.as_fd()).map_err(|errno| self.refusal(path, errno))? {
            FileType::RegularFile => Ok(File::from(handle)),
            other => Err(PathError::NotAFile { path: path.to_string(), what: name_of(other) }),
        }
    }

    /// The real place of a directory, relative to the root.
    pub fn directory(&self, given: &str) -> Result<Inside, PathError> {
        let path = self.inside(given)?;
        let handle = self.handle(&path, OFlags::PATH | OFlags::DIRECTORY)?;
        self.place(handle.as_fd(), &path)
    }

    /// The permissions of a file.
    pub(crate) fn mode(&self, given: &str) -> Result<u32, PathError> {
        let path = self.inside(given)?;
        let handle = self.handle(&path, OFlags::PATH)?;
        let stat = rustix::fs::fstat(&handle).map_err(|errno| self.refusal(&path, errno))?;
        Ok(stat.st_mode & 0o777)
    }

    /// True when there is something at the path, of any kind.
    pub fn exists(&self, given: &str) -> Result<bool, PathError> {
        match self.handle(&self.inside(given)?, OFlags::PATH) {
            Ok(_) => Ok(true),
            Err(PathError::Missing { .. }) => Ok(false),
            Err(refusal) => Err(refusal),
        }
    }

    /// The only place where a path becomes a handle.
    fn handle(&self, path: &Inside, flags: OFlags) -> Result<OwnedFd, PathError> {
        self.resolver.open(self.dir.as_fd(), path, flags).map_err(|errno| self.refusal(path, errno))
    }

    /// Where an open handle really is. Links have been followed by then, so this is what rules are checked against.
    fn place(&self, handle: BorrowedFd<'_>, path: &Inside) -> Result<Inside, PathError> {
        match self.resolver {
            // It follows no links: the path is the place.
            Resolver::Walk => Ok(path.clone()),
            Resolver::Kernel => {
                let seen =
                    |fd: BorrowedFd<'_>| std::fs::read_link(format!("/proc/self/fd/{}", fd.as_raw_fd()));
                let failed = |source| PathError::Failed { path: path.to_string(), source };
                let (root, place) = (seen(self.dir.as_fd()).map_err(failed)?, seen(handle).map_err(failed)?);
                let inside = place.strip_prefix(&root).map_err(|_| self.outside(&path.to_string()))?;
                Ok(Inside::found(inside))
            }
        }
    }

    fn refusal(&self, path: &Inside, errno: Errno) -> PathError {
        let (path, root) = (path.to_string(), self.path.display().to_string());
        match errno {
            Errno::XDEV => PathError::Outside { path, root },
            Errno::NOENT => PathError::Missing { path, root },
            Errno::LOOP => {
                PathError::Unusable { path, reason: "its links lead in a circle or may not be followed" }
            }
            Errno::NAMETOOLONG => PathError::Unusable { path, reason: "a name in it is too long" },
            Errno::ISDIR => PathError::NotAFile { path, what: "a directory" },
            other => PathError::Failed { path, source: other.into() },
        }
    }

    fn outside(&self, given: &str) -> PathError {
        PathError::Outside { path: path::shown(given), root: self.path.display().to_string() }
    }
}

fn kind(handle: BorrowedFd<'_>) -> Result<FileType, Errno> {
    Ok(FileType::from_raw_mode(rustix::fs::fstat(handle)?.st_mode))
}

fn name_of(kind: FileType) -> &'static str {
    match kind {
        FileType::Directory => "a directory",
        FileType::Symlink => "a link",
        FileType::Fifo => "a named pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        _ => "something else",
    }
}
