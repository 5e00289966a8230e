-- Modules that were removed, so that histories that name them still tell which versions were in force. Since this version
-- a history is deleted with its slot; its heights, trust policies and records stay.
CREATE TABLE removed_modules (
    digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    removed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
