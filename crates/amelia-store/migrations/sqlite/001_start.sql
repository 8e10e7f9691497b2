-- One row per run: identity, and the fold of its log. `status` is there to find unfinished runs by index.
CREATE TABLE runs (
    pk          INTEGER PRIMARY KEY,
    id          BLOB    NOT NULL UNIQUE,
    key         TEXT    UNIQUE,
    is_final    INTEGER NOT NULL,
    seq         INTEGER NOT NULL,
    checkpoints INTEGER NOT NULL,
    run         TEXT    NOT NULL,
    view        TEXT    NOT NULL
);
CREATE INDEX runs_unfinished ON runs (pk) WHERE is_final = 0;

-- The logs of all runs. `cursor` is the order over all of them; (run, seq) the order within one.
CREATE TABLE events (
    cursor   INTEGER PRIMARY KEY,
    run      INTEGER NOT NULL,
    seq      INTEGER NOT NULL,
    id       BLOB    NOT NULL,
    at       INTEGER NOT NULL,
    level    INTEGER NOT NULL,
    agent    TEXT    NOT NULL,
    body     TEXT    NOT NULL,
    checksum INTEGER NOT NULL
);
CREATE UNIQUE INDEX events_of_run ON events (run, seq);

-- Positions, each with a snapshot of the state or with the updates since the one before.
CREATE TABLE checkpoints (
    pk          INTEGER PRIMARY KEY,
    run         INTEGER NOT NULL,
    number      INTEGER NOT NULL,
    seq         INTEGER NOT NULL,
    at          INTEGER NOT NULL,
    graph       TEXT    NOT NULL,
    version     INTEGER NOT NULL,
    position    TEXT    NOT NULL,
    is_snapshot INTEGER NOT NULL,
    state       TEXT    NOT NULL,
    checksum    INTEGER NOT NULL
);
CREATE UNIQUE INDEX checkpoints_of_run ON checkpoints (run, number);
CREATE INDEX snapshots_of_run ON checkpoints (run, number) WHERE is_snapshot = 1;

-- The ledger of effects, as the log tells it.
CREATE TABLE effects (
    pk     INTEGER PRIMARY KEY,
    run    INTEGER NOT NULL,
    id     BLOB    NOT NULL,
    effect TEXT    NOT NULL,
    state  TEXT    NOT NULL
);
CREATE UNIQUE INDEX effects_of_run ON effects (run, id);
