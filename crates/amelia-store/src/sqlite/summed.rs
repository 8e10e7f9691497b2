//! A JSON text with the checksum that was stored beside it.

use amelia_core::store::StoreError;
use rusqlite::Row;

use super::error::damaged_row;
use super::rows::possibly_damaged;

/// A text as it was read, not looked at yet.
pub(super) struct Summed {
    text: String,
    /// Rows of the first versions have none.
    checksum: Option<u32>,
}

impl Summed {
    /// The text in a column, and the checksum in the one after it.
    pub(super) fn of(row: &Row<'_>, column: usize) -> rusqlite::Result<Self> {
        Ok(Self { text: possibly_damaged(row, column)?, checksum: row.get(column + 1)? })
    }

    /// What the text says; `what` names it when it is damaged.
    pub(super) fn parse<T: serde::de::DeserializeOwned>(&self, what: &str) -> Result<T, StoreError> {
        let Self { text, checksum } = self;
        if checksum.is_some_and(|checksum| checksum != crc32fast::hash(text.as_bytes())) {
            return Err(damaged_row(what.to_owned(), "its checksum does not match"));
        }
        serde_json::from_str(text).map_err(|error| damaged_row(what.to_owned(), error.to_string()))
    }
}
