//! Paths as tools get them, made relative to the root by their letters alone. Touches no disk.

use std::fmt;
use std::path::{Component, Path, PathBuf};

use super::{PathError, Root};

/// A path relative to the root, without `.` and `..`. By itself no promise: links are the resolver's business.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Inside(PathBuf);

impl Inside {
    /// A place that the system itself has named.
    pub(crate) fn found(path: &Path) -> Self {
        Self(path.to_path_buf())
    }

    pub(crate) fn as_path(&self) -> &Path {
        &self.0
    }

    /// For system calls: the root itself is `.`.
    pub(super) fn for_system(&self) -> &Path {
        if self.0.as_os_str().is_empty() { Path::new(".") } else { &self.0 }
    }

    /// The directory and the name in it; the root has neither.
    pub(super) fn split(&self) -> Option<(Self, &std::ffi::OsStr)> {
        Some((Self(self.0.parent()?.to_path_buf()), self.0.file_name()?))
    }

    /// Any part of it is `.git`, in any case: some file systems make no difference.
    pub(super) fn is_in_git(&self) -> bool {
        self.0.components().any(|part| part.as_os_str().eq_ignore_ascii_case(".git"))
    }
}

impl fmt::Display for Inside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shown(&self.for_system().to_string_lossy()))
    }
}

impl Root {
    /// Makes a given path relative to the root; refuses what leaves it by its letters.
    pub fn inside(&self, given: &str) -> Result<Inside, PathError> {
        let unusable = |reason| PathError::Unusable { path: shown(given), reason };
        if given.is_empty() {
            return Err(unusable("it is empty; the root is `.`"));
        }
        if given.contains('\0') {
            return Err(unusable("it contains a NUL character"));
        }
        let path = Path::new(given);
        let relative = if path.is_absolute() {
            let path = plain(path).ok_or_else(|| self.outside(given))?;
            let inside = path.strip_prefix(&self.path).or_else(|_| path.strip_prefix(&self.alias));
            inside.map_err(|_| self.outside(given))?.to_path_buf()
        } else {
            plain(path).ok_or_else(|| self.outside(given))?
        };
        Ok(Inside(relative))
    }
}

/// Without `.` and `..`; nothing when `..` climbs out.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !plain.pop() {
                    return None;
                }
            }
            Component::RootDir | Component::Prefix(_) | Component::Normal(_) => plain.push(part),
        }
    }
    Some(plain)
}

/// Control characters made visible: a file name may hold a newline, a message about it must not be broken by one.
pub(super) fn shown(path: &str) -> String {
    let visible = |c: char| if c.is_control() { c.escape_default().collect() } else { c.to_string() };
    amelia_core::text::capped(&path.chars().map(visible).collect::<String>(), 500)
}
