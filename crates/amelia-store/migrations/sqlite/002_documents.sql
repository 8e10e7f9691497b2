-- Configuration, every version of it. A version without a body is a deletion.
CREATE TABLE documents (
    pk      INTEGER PRIMARY KEY,
    kind    TEXT    NOT NULL,
    name    TEXT    NOT NULL,
    version INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    body    TEXT
);
CREATE UNIQUE INDEX versions_of_document ON documents (kind, name, version);
