-- What agents remember: every version of every entry. All versions of an entry have the same number.
CREATE TABLE memories (
    pk         INTEGER PRIMARY KEY,
    number     INTEGER NOT NULL,
    version    INTEGER NOT NULL,
    is_newest  INTEGER NOT NULL,
    scope      TEXT    NOT NULL,
    owner      TEXT    NOT NULL,
    kind       TEXT    NOT NULL,
    key        TEXT,
    body       TEXT    NOT NULL,
    author     TEXT    NOT NULL,
    run        BLOB,
    at         INTEGER NOT NULL,
    expires_at INTEGER,
    checksum   INTEGER NOT NULL
);
CREATE UNIQUE INDEX versions_of_memory ON memories (number, version);
CREATE INDEX memories_of_space ON memories (scope, owner, number) WHERE is_newest = 1;
CREATE UNIQUE INDEX memories_with_key ON memories (scope, owner, key) WHERE is_newest = 1 AND key IS NOT NULL;
CREATE INDEX memories_without_key ON memories (scope, owner, checksum) WHERE is_newest = 1 AND key IS NULL;
CREATE INDEX memories_that_expire ON memories (expires_at) WHERE is_newest = 1 AND expires_at IS NOT NULL;

-- The newest change of every entry, also of forgotten ones. The index follows it, and the number of an entry is not given out again.
CREATE TABLE memory_changes (
    change INTEGER PRIMARY KEY AUTOINCREMENT,
    number INTEGER NOT NULL UNIQUE
);
