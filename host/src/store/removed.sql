-- Modules that were removed, so that histories that name them still tell which versions were in force.
CREATE TABLE removed_modules (
    digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    removed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
