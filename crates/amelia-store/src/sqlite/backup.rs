//! A copy of the database as it is at one moment, made while another process may write.

use std::path::Path;

use amelia_core::store::StoreError;
use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};

use super::error::from_sqlite;
use super::open;

/// Copies all pages in one transaction: what is written meanwhile is not in the copy, and does not wait for it.
pub(super) fn copy(from: &Path, into: &Path) -> Result<(), StoreError> {
    let fail = |error: rusqlite::Error| from_sqlite(into, &error);
    let source = open::readable(from)?;
    let mut target = Connection::open(into).map_err(fail)?;
    let copied = Backup::new(&source, &mut target).and_then(|backup| backup.step(-1));
    match copied.map_err(fail)? {
        StepResult::Done => {}
        _ => {
            let detail = "it is locked by another process; try again".to_owned();
            return Err(StoreError::Io { what: from.display().to_string(), detail });
        }
    }
    open::verify(&target)
}
