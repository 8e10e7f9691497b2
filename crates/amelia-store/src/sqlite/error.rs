//! What SQLite and the file system say, as what the caller can do about it.

use std::io;
use std::path::Path;

use amelia_core::store::StoreError;
use rusqlite::ErrorCode;

/// The way out of a damaged file, as far as there is one.
const DAMAGED: &str =
    "move the file away to start with an empty database, or restore a backup; nothing was overwritten";

/// A failed statement.
pub(super) fn from_sqlite(path: &Path, error: &rusqlite::Error) -> StoreError {
    let detail = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StoreError::Full { path: path.to_owned() },
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            StoreError::ReadOnly { path: path.to_owned(), detail }
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => damaged(path, detail),
        _ => StoreError::Io { what: path.display().to_string(), detail },
    }
}

/// A failed system call.
pub(super) fn from_io(path: &Path, error: &io::Error) -> StoreError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            StoreError::Full { path: path.to_owned() }
        }
        io::ErrorKind::PermissionDenied
        | io::ErrorKind::ReadOnlyFilesystem
        | io::ErrorKind::NotADirectory
        | io::ErrorKind::NotFound => {
            StoreError::ReadOnly { path: path.to_owned(), detail: error.to_string() }
        }
        _ => StoreError::Io { what: path.display().to_string(), detail: error.to_string() },
    }
}

/// The file is not what it should be.
pub(super) fn damaged(path: &Path, detail: impl Into<String>) -> StoreError {
    StoreError::Damaged { what: path.display().to_string(), detail: detail.into(), hint: DAMAGED.to_owned() }
}

/// A row is not what was written.
pub(super) fn damaged_row(what: String, detail: impl Into<String>) -> StoreError {
    StoreError::Damaged {
        what,
        detail: detail.into(),
        hint: "the rest of the run, including earlier checkpoints, can still be read and forked".to_owned(),
    }
}
