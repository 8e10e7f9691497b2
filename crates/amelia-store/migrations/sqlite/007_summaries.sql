-- Summaries of what agents remember: how one was written, and which entries it has taken the place of, each in one version.
ALTER TABLE memories ADD COLUMN method TEXT;

CREATE TABLE memory_sources (
    number  INTEGER NOT NULL,
    version INTEGER NOT NULL,
    -- The entry that is the summary; 0 when that was forgotten.
    summary INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (number, version)
) WITHOUT ROWID;
CREATE INDEX sources_of_summary ON memory_sources (summary);

-- However an entry goes: nothing is left that says what it was a part of.
CREATE TRIGGER memory_is_gone AFTER DELETE ON memories BEGIN
    DELETE FROM memory_sources WHERE number = old.number AND version = old.version;
END;

-- What was in a summary that goes is found again.
CREATE TRIGGER summary_is_gone AFTER DELETE ON memories WHEN old.is_newest = 1 BEGIN
    INSERT OR REPLACE INTO memory_changes (number) SELECT DISTINCT number FROM memory_sources WHERE summary = old.number;
    UPDATE memory_sources SET summary = 0 WHERE summary = old.number;
END;
