-- The largest number of a run that was removed: numbers are not given out again. Others are the keys of their rows.
CREATE TABLE removed_runs (
    largest INTEGER NOT NULL
);
INSERT INTO removed_runs (largest) VALUES (0);
