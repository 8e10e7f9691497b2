-- What came from outside: all frames of one commit, compressed together, and where the log ended before and after it.
CREATE TABLE frames (
    pk   INTEGER PRIMARY KEY,
    run  INTEGER NOT NULL,
    "after" INTEGER NOT NULL,
    "end"   INTEGER NOT NULL,
    crc  INTEGER NOT NULL,
    body BLOB    NOT NULL
);
CREATE INDEX frames_of_run ON frames (run);
