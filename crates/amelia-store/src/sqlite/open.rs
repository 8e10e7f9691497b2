//! Opening the file: is it ours, is it whole, is it of our time?

use std::fs::{OpenOptions, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use amelia_core::store::StoreError;
use rusqlite::{Connection, OpenFlags};

use super::error::{damaged, from_io, from_sqlite};
use super::{Durability, Schema, SqliteOptions};

/// Marks a file as ours: "AMEL".
const APPLICATION_ID: i64 = 0x414D_454C;

/// Older versions can lose committed writes when a checkpoint and a write meet (the WAL-reset bug).
const OLDEST_SQLITE: i32 = 3_051_003;

/// Readable and writable by its owner.
const PRIVATE: u32 = 0o600;

/// Forward only. A migration that has been released is never changed.
const MIGRATIONS: [&str; 7] = [
    include_str!("../../migrations/sqlite/001_start.sql"),
    include_str!("../../migrations/sqlite/002_documents.sql"),
    include_str!("../../migrations/sqlite/003_frames.sql"),
    include_str!("../../migrations/sqlite/004_claims.sql"),
    include_str!("../../migrations/sqlite/005_numbers.sql"),
    include_str!("../../migrations/sqlite/006_memories.sql"),
    include_str!("../../migrations/sqlite/007_summaries.sql"),
];

/// The connection of the writer thread, with the newest schema.
pub(super) fn writable(path: &Path, options: SqliteOptions) -> Result<Connection, StoreError> {
    if rusqlite::version_number() < OLDEST_SQLITE {
        return Err(StoreError::Io {
            what: "SQLite".to_owned(),
            detail: format!("{} is too old: it can lose committed writes", rusqlite::version()),
        });
    }
    check_file(path)?;
    make_private(path)?;
    let fail = |error: rusqlite::Error| from_sqlite(path, &error);
    let mut connection = Connection::open(path).map_err(fail)?;
    check_owner(&connection, path)?;
    configure(&connection, options).map_err(fail)?;
    migrate(&mut connection, path)?;
    Ok(connection)
}

/// Whether the file is ours, whole, and of the newest schema. Changes nothing.
pub(super) fn is_current(path: &Path) -> Result<bool, StoreError> {
    schema(path).map(|schema| schema.found == schema.newest)
}

/// Which schema it has, if it is ours and whole. Changes nothing.
pub(super) fn schema(path: &Path) -> Result<Schema, StoreError> {
    check_file(path)?;
    let connection = readable(path)?;
    check_owner(&connection, path)?;
    let (found, newest) = versions(&connection, path)?;
    Ok(Schema { found, newest })
}

/// A connection that can only read.
pub(super) fn readable(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let fail = |error: rusqlite::Error| from_sqlite(path, &error);
    let connection = Connection::open_with_flags(path, flags).map_err(fail)?;
    connection.busy_timeout(std::time::Duration::from_secs(5)).map_err(fail)?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(connection)
}

/// Reads every page and index.
pub(super) fn verify(connection: &Connection) -> Result<(), StoreError> {
    let path = connection.path().map(Path::new).unwrap_or_else(|| Path::new("the store")).to_owned();
    let fail = |error: rusqlite::Error| from_sqlite(&path, &error);
    let answer: String =
        connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)).map_err(fail)?;
    if answer == "ok" { Ok(()) } else { Err(damaged(&path, answer)) }
}

/// Finds files that SQLite would only stumble over later: not a database, or cut short.
fn check_file(path: &Path) -> Result<(), StoreError> {
    let size = match std::fs::metadata(path) {
        Ok(metadata) => metadata.len(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(from_io(path, &error)),
    };
    if size == 0 {
        return Ok(());
    }
    let mut header = [0_u8; 32];
    let read = std::fs::File::open(path)
        .and_then(|mut file| std::io::Read::read(&mut file, &mut header))
        .map_err(|error| from_io(path, &error))?;
    if read < header.len() || !header.starts_with(b"SQLite format 3\0") {
        return Err(damaged(path, "it is not an SQLite database"));
    }
    let [.., a, b, c, d] = header;
    let pages = u64::from(u32::from_be_bytes([a, b, c, d]));
    let page_size = match header.get(16..18) {
        Some([0, 1]) => 65_536,
        Some([high, low]) => u64::from(u16::from_be_bytes([*high, *low])),
        _ => 0,
    };
    let mut wal = path.as_os_str().to_owned();
    wal.push("-wal");
    let has_wal = std::fs::metadata(&wal).is_ok_and(|metadata| metadata.len() > 0);
    // With a log beside it the file itself may be behind; SQLite completes it.
    if !has_wal && size < pages.saturating_mul(page_size) {
        return Err(damaged(path, format!("it is truncated: {size} bytes of {}", pages * page_size)));
    }
    Ok(())
}

/// What models and people have said is for its owner only, in any directory. SQLite makes the files beside it
/// with the rights of the file itself.
fn make_private(path: &Path) -> Result<(), StoreError> {
    let made = OpenOptions::new().write(true).create_new(true).mode(PRIVATE).open(path);
    match made {
        Ok(_) => return Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(from_io(path, &error)),
    }
    for end in ["", "-wal", "-shm"] {
        let mut file = path.as_os_str().to_owned();
        file.push(end);
        let is_open = std::fs::metadata(&file).is_ok_and(|found| found.permissions().mode() & 0o077 != 0);
        if is_open {
            match std::fs::set_permissions(&file, Permissions::from_mode(PRIVATE)) {
                // It is another user's, who decides about it.
                Err(error) if error.kind() == ErrorKind::PermissionDenied => {}
                done => done.map_err(|error| from_io(path, &error))?,
            }
        }
    }
    Ok(())
}

/// Another program's database is left alone.
fn check_owner(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let fail = |error: rusqlite::Error| from_sqlite(path, &error);
    let application: i64 =
        connection.query_row("PRAGMA application_id", [], |row| row.get(0)).map_err(fail)?;
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(fail)?;
    if application == APPLICATION_ID || (application == 0 && tables == 0) {
        return Ok(());
    }
    Err(StoreError::Damaged {
        what: path.display().to_string(),
        detail: "it is a database of another program".to_owned(),
        hint: "choose another file".to_owned(),
    })
}

fn configure(connection: &Connection, options: SqliteOptions) -> rusqlite::Result<()> {
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    // The log is worked into the file inside a commit, which waits for it, after so many pages. Where every commit is
    // synced anyway: often and little. Where none is: seldom, because this is the one that is.
    let (synchronous, pages) = match options.durability {
        Durability::Full => ("FULL", 400),
        Durability::Relaxed => ("NORMAL", 4000),
    };
    connection.pragma_update(None, "synchronous", synchronous)?;
    connection.pragma_update(None, "wal_autocheckpoint", pages)?;
    connection.pragma_update(None, "journal_size_limit", 64 * 1024 * 1024)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    if let Some(pages) = options.max_pages {
        connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))?;
    }
    connection.busy_timeout(std::time::Duration::from_secs(5))?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(())
}

fn migrate(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let fail = |error: rusqlite::Error| from_sqlite(path, &error);
    let (found, known) = versions(connection, path)?;
    let transaction = connection.transaction().map_err(fail)?;
    for migration in MIGRATIONS.iter().skip(usize::try_from(found).unwrap_or(usize::MAX)) {
        transaction.execute_batch(migration).map_err(fail)?;
    }
    if found < known {
        transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(fail)?;
        transaction.pragma_update(None, "user_version", known).map_err(fail)?;
    }
    transaction.commit().map_err(fail)
}

/// The schema that was found, and the newest one we know. A newer one is refused.
fn versions(connection: &Connection, path: &Path) -> Result<(u32, u32), StoreError> {
    let known = u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX);
    let found: u32 = connection
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .map_err(|error| from_sqlite(path, &error))?;
    if found > known {
        return Err(StoreError::TooNew { path: path.to_owned(), found, known });
    }
    Ok((found, known))
}
