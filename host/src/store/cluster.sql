-- Which ledger this store is a copy of, if hosts share their slots: its id, and what this host is called there. One row, or none.
CREATE TABLE cluster (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    id TEXT NOT NULL,
    host TEXT NOT NULL
) STRICT;

-- 1 for an entry that was history already when it came here: nothing of it was judged, and it was never in force here.
ALTER TABLE history ADD COLUMN unjudged INTEGER NOT NULL DEFAULT 0;
