-- The store's tables. Times are milliseconds since 1970; digests are 32 bytes; documents are JSON text.

-- Modules, by the digest of their bytes. Never changed once written.
CREATE TABLE modules (
    digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    verdict TEXT NOT NULL,
    installed_at INTEGER NOT NULL,
    bytes BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX modules_by_name ON modules (name, version);

-- Every state that a slot was ever in, whole. Only ever added to.
CREATE TABLE history (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    slot TEXT NOT NULL,
    at INTEGER NOT NULL,
    action TEXT NOT NULL,
    note TEXT NOT NULL,
    state TEXT NOT NULL,
    settings TEXT NOT NULL
) STRICT;
CREATE INDEX history_of_slot ON history (slot, id);

-- Which of those states each slot is in. What decides is this row and no other.
CREATE TABLE slots (
    name TEXT PRIMARY KEY,
    entry INTEGER NOT NULL REFERENCES history (id)
) STRICT, WITHOUT ROWID;

-- The highest version of each module's name that was ever in force in a slot: below it is a downgrade.
CREATE TABLE heights (
    slot TEXT NOT NULL,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    PRIMARY KEY (slot, name)
) STRICT, WITHOUT ROWID;

-- Trust policies, by slot; without a slot's name, the policy of slots that have none of their own. The last is in force; an
-- empty document takes a slot's own away.
CREATE TABLE trust (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    slot TEXT NOT NULL,
    at INTEGER NOT NULL,
    document TEXT NOT NULL
) STRICT;
CREATE INDEX trust_of_slot ON trust (slot, id);

-- Calls to which a shadow gave another answer; the last of each slot.
CREATE TABLE differences (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    slot TEXT NOT NULL,
    at INTEGER NOT NULL,
    entry INTEGER NOT NULL,
    operation TEXT NOT NULL,
    run_id TEXT,
    input TEXT NOT NULL,
    answer TEXT NOT NULL,
    shadow TEXT NOT NULL
) STRICT;
CREATE INDEX differences_of_slot ON differences (slot, id);

-- Decision records: a chain for each slot, numbered from 1 without a gap. The document is the canonical JSON that was hashed; each
-- names the hash of the one before it. Only ever added to.
CREATE TABLE records (
    slot TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    at INTEGER NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    document TEXT NOT NULL,
    UNIQUE (slot, sequence)
) STRICT;

-- The key by which inputs are hashed where a plain hash would tell too much. One row.
CREATE TABLE record_key (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    key BLOB NOT NULL CHECK (length(key) = 32)
) STRICT;

-- Tokens of the HTTP face: what is said aloud (id, name, role), and the SHA-256 of the secret half. Never removed, so that a store
-- in which there was once a token never counts as one without.
CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX tokens_by_name ON tokens (name) WHERE revoked_at IS NULL;
