-- What a run has for itself until it ends: a checkout, a branch.
CREATE TABLE claims (
    name TEXT    PRIMARY KEY,
    run  INTEGER NOT NULL
);
CREATE INDEX claims_of_run ON claims (run);

-- NULL in rows that were written before there were checksums.
ALTER TABLE runs ADD COLUMN run_checksum INTEGER;
ALTER TABLE runs ADD COLUMN view_checksum INTEGER;
ALTER TABLE effects ADD COLUMN checksum INTEGER;
