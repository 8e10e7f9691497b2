-- What came from outside: all frames of one commit, compressed together. `seq` is where the log ended with them.
CREATE TABLE frames (
    pk   INTEGER PRIMARY KEY,
    run  INTEGER NOT NULL,
    seq  INTEGER NOT NULL,
    crc  INTEGER NOT NULL,
    body BLOB    NOT NULL
);
CREATE INDEX frames_of_run ON frames (run);
