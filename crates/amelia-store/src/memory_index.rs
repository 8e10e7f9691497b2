//! The index of what agents remember: one file, derived from the store. It follows the store by the numbers of its changes, and is
//! made anew when it is missing or damaged, so nothing is lost with it.

mod terms;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use amelia_core::memory::{Memories, MemoryChange, MemoryIndex, MemoryQuery, MemoryScope, MemorySpace};
use amelia_core::message::MemoryKind;
use amelia_core::store::StoreError;
use async_trait::async_trait;
use parking_lot::Mutex;
use rusqlite::{Connection, ErrorCode, OptionalExtension as _, params};

use terms::terms;

/// The form of the file and of the terms in it. A file of another form is made anew.
const FORM: u32 = 2;
/// Changes that are read at once.
const PAGE: usize = 1000;
/// With more entries than this, terms that many entries have are left out of questions.
const MANY_ENTRIES: u64 = 1000;
/// A term is common when more than one of so many entries has it.
const COMMON: u64 = 20;
/// Where entries are that are part of a summary.
const PART: &str = "xpart";
/// The most terms of a question.
const MAX_TERMS: usize = 64;

const TABLES: &str = "
CREATE TABLE spaces (id INTEGER PRIMARY KEY, scope TEXT NOT NULL, owner TEXT NOT NULL, UNIQUE (scope, owner));
CREATE TABLE progress (change INTEGER NOT NULL);
INSERT INTO progress (change) VALUES (0);
CREATE VIRTUAL TABLE texts USING fts5(body, place, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2');
";

/// Full text over SQLite's FTS5, ranked by BM25.
pub struct SqliteMemoryIndex {
    path: PathBuf,
    open: Arc<Mutex<Option<OpenIndex>>>,
    /// How far it has followed the store, as far as that is known. Held while it follows: one task at a time does.
    at: tokio::sync::Mutex<Option<u64>>,
}

/// The open file, and which terms are common in it: to count the entries of a common term takes long.
struct OpenIndex {
    db: Connection,
    common: CommonTerms,
}

/// Terms that were found to be common, when there were so many entries.
#[derive(Default)]
struct CommonTerms {
    entries: u64,
    terms: BTreeSet<String>,
}

impl SqliteMemoryIndex {
    /// In this file, which is opened when it is needed.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        Self { path: path.to_owned(), open: Arc::default(), at: tokio::sync::Mutex::default() }
    }

    /// Does something with the file. A damaged file is removed, and nothing is done: it is to be made anew.
    async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut OpenIndex) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<Option<T>, StoreError> {
        let (path, open) = (self.path.clone(), Arc::clone(&self.open));
        let done = tokio::task::spawn_blocking(move || {
            let mut open = open.lock();
            let index = open.take().map_or_else(|| opened(&path), Ok);
            let error = match index.and_then(|index| work(open.insert(index))) {
                Ok(done) => return Ok(Some(done)),
                Err(error) => error,
            };
            if let Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) = error.sqlite_error_code() {
                *open = None;
                remove(&path);
                return Ok(None);
            }
            Err(StoreError::Io { what: path.display().to_string(), detail: error.to_string() })
        });
        done.await.map_err(|_| StoreError::Closed)?
    }

    /// Reads what has changed in the store. `false` when nothing was ever stored.
    async fn catch_up(&self, memories: &dyn Memories) -> Result<bool, StoreError> {
        let mut at = self.at.lock().await;
        if at.is_none() && memories.memory_changes(0, 1).await?.is_empty() {
            return Ok(false);
        }
        loop {
            let from = match *at {
                Some(at) => at,
                None => self.with(|index| progress(&index.db)).await?.unwrap_or_default(),
            };
            let changes = memories.memory_changes(from, PAGE).await?;
            let Some(last) = changes.last().map(|change| change.change) else {
                *at = Some(from);
                return Ok(true);
            };
            let followed = self.with(move |index| follow(&index.db, &changes)).await?;
            *at = followed.map(|()| last);
        }
    }
}

#[async_trait]
impl MemoryIndex for SqliteMemoryIndex {
    async fn search(&self, memories: &dyn Memories, query: MemoryQuery) -> Result<Vec<u64>, StoreError> {
        while self.catch_up(memories).await? {
            let asked = query.clone();
            match self.with(move |index| find(index, &asked)).await? {
                Some(found) => return Ok(found),
                None => *self.at.lock().await = None,
            }
        }
        Ok(Vec::new())
    }
}

fn opened(path: &Path) -> rusqlite::Result<OpenIndex> {
    let common = CommonTerms::default();
    let db = connected(path)?;
    let form: u32 = db.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if form == FORM {
        return Ok(OpenIndex { db, common });
    }
    drop(db);
    remove(path);
    let db = connected(path)?;
    db.execute_batch(&format!("BEGIN; {TABLES} PRAGMA user_version = {FORM}; COMMIT;"))?;
    Ok(OpenIndex { db, common })
}

fn connected(path: &Path) -> rusqlite::Result<Connection> {
    use std::os::unix::fs::OpenOptionsExt as _;
    // For its owner alone, before anything is in it; that it cannot be made is said when it is opened.
    std::fs::OpenOptions::new().append(true).create(true).mode(0o600).open(path).ok();
    let db = Connection::open(path)?;
    db.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    // What is lost in a power cut is read from the store again.
    db.pragma_update(None, "synchronous", "NORMAL")?;
    db.busy_timeout(std::time::Duration::from_secs(5))?;
    Ok(db)
}

/// With the files that SQLite keeps beside it.
fn remove(path: &Path) {
    for ending in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        std::fs::remove_file(PathBuf::from(name)).ok();
    }
}

fn progress(db: &Connection) -> rusqlite::Result<u64> {
    let change: i64 = db.query_row("SELECT change FROM progress", [], |row| row.get(0))?;
    Ok(u64::try_from(change).unwrap_or_default())
}

fn follow(db: &Connection, changes: &[MemoryChange]) -> rusqlite::Result<()> {
    let all = db.unchecked_transaction()?;
    for MemoryChange { change, number, entry } in changes {
        db.prepare_cached("DELETE FROM texts WHERE rowid = ?1")?.execute([signed(*number)])?;
        if let Some(entry) = entry {
            let space = space_id(db, &entry.space)?;
            let key = entry.key.as_deref().unwrap_or_default();
            let body = terms(&format!("{key}\n{}", entry.text)).join(" ");
            let (scope, kind) = (scope_term(entry.space.scope), kind_term(entry.kind));
            let part = entry.consolidation.summary().map_or("", |_| PART);
            let place = format!("s{space} {scope} {kind} {part}");
            db.prepare_cached("INSERT INTO texts (rowid, body, place) VALUES (?1, ?2, ?3)")?
                .execute(params![signed(*number), body, place])?;
        }
        db.prepare_cached("UPDATE progress SET change = ?1")?.execute([signed(*change)])?;
    }
    all.commit()
}

fn space_id(db: &Connection, space: &MemorySpace) -> rusqlite::Result<i64> {
    let which = params![space.scope.name(), space.owner];
    db.prepare_cached("INSERT OR IGNORE INTO spaces (scope, owner) VALUES (?1, ?2)")?.execute(which)?;
    let find = "SELECT id FROM spaces WHERE scope = ?1 AND owner = ?2";
    db.prepare_cached(find)?.query_row(which, |row| row.get(0))
}

fn find(index: &mut OpenIndex, query: &MemoryQuery) -> rusqlite::Result<Vec<u64>> {
    let wanted: BTreeSet<String> = terms(&query.text).into_iter().take(MAX_TERMS).collect();
    let OpenIndex { db, common } = index;
    let wanted = common.left_out(db, wanted)?;
    let mut places = Vec::new();
    for space in query.spaces.iter().flatten() {
        let find = "SELECT id FROM spaces WHERE scope = ?1 AND owner = ?2";
        let id: Option<i64> = db
            .prepare_cached(find)?
            .query_row(params![space.scope.name(), space.owner], |row| row.get(0))
            .optional()?;
        places.extend(id.map(|id| format!("s{id}")));
    }
    let is_nowhere = query.spaces.is_some() && places.is_empty();
    if wanted.is_empty() || is_nowhere {
        return Ok(Vec::new());
    }
    let any = |words: &mut dyn Iterator<Item = String>| {
        words.map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" OR ")
    };
    let mut question = format!("body : ({})", any(&mut wanted.into_iter()));
    if !places.is_empty() {
        question.push_str(&format!(" AND place : ({})", any(&mut places.into_iter())));
    }
    if !query.scopes.is_empty() {
        let mut scopes = query.scopes.iter().map(|scope| scope_term(*scope).to_owned());
        question.push_str(&format!(" AND place : ({})", any(&mut scopes)));
    }
    if !query.kinds.is_empty() {
        let mut kinds = query.kinds.iter().map(|kind| kind_term(*kind).to_owned());
        question.push_str(&format!(" AND place : ({})", any(&mut kinds)));
    }
    if !query.with_sources {
        question = format!("({question}) NOT place : \"{PART}\"");
    }
    let limit = i64::try_from(query.limit).unwrap_or(i64::MAX);
    // Where an entry is says nothing of how well it fits.
    let best =
        "SELECT rowid FROM texts WHERE texts MATCH ?1 ORDER BY bm25(texts, 1.0, 0.0), rowid DESC LIMIT ?2";
    let mut statement = db.prepare_cached(best)?;
    let found = statement.query_map(params![question, limit], |row| row.get::<_, i64>(0))?;
    found.map(|number| number.map(|number| u64::try_from(number).unwrap_or_default())).collect()
}

impl CommonTerms {
    /// Terms that few entries have; all of them if nothing else is left. The long lists of common terms are what takes time,
    /// and they say the least.
    fn left_out(&mut self, db: &Connection, wanted: BTreeSet<String>) -> rusqlite::Result<BTreeSet<String>> {
        // At most so many; to count them would take longer than to search them.
        let largest = "SELECT coalesce(max(id), 0) FROM texts_docsize";
        let entries: i64 = db.prepare_cached(largest)?.query_row([], |row| row.get(0))?;
        let entries = u64::try_from(entries).unwrap_or_default();
        if entries <= MANY_ENTRIES {
            return Ok(wanted);
        }
        // With twice as many entries, other terms are common.
        if entries > self.entries.saturating_mul(2) {
            *self = Self { entries, terms: BTreeSet::new() };
        }
        let mut rare = BTreeSet::new();
        for term in &wanted {
            if self.terms.contains(term) {
                continue;
            }
            match is_common(db, term, entries / COMMON)? {
                true => drop(self.terms.insert(term.clone())),
                false => drop(rare.insert(term.clone())),
            }
        }
        Ok(if rare.is_empty() { wanted } else { rare })
    }
}

/// Whether more entries than these have the term. Counts no further than needed.
fn is_common(db: &Connection, term: &str, most: u64) -> rusqlite::Result<bool> {
    let count = "SELECT count(*) FROM (SELECT 1 FROM texts WHERE texts MATCH ?1 LIMIT ?2)";
    let asked = params![format!("body : \"{term}\""), signed(most.saturating_add(1))];
    let having: i64 = db.prepare_cached(count)?.query_row(asked, |row| row.get(0))?;
    Ok(u64::try_from(having).unwrap_or_default() > most)
}

fn scope_term(scope: MemoryScope) -> &'static str {
    match scope {
        MemoryScope::Run => "grun",
        MemoryScope::Team => "gteam",
        MemoryScope::Repository => "grepository",
        MemoryScope::Global => "gglobal",
    }
}

fn kind_term(kind: MemoryKind) -> &'static str {
    match kind {
        MemoryKind::ShortTerm => "kshort",
        MemoryKind::LongTerm => "klong",
        MemoryKind::Semantic => "ksemantic",
        MemoryKind::Episodic => "kepisodic",
    }
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
#[path = "memory_index_tests.rs"]
mod tests;
