//! The typed diff in the evidence.

use alloc::vec::Vec;

use serde::{Deserialize, de};

/// A typed diff.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, expecting = "a diff object")]
pub struct Diff<'a> {
    /// The files that changed.
    #[serde(borrow)]
    #[serde(deserialize_with = "adjudicate_lang::json::exact")]
    pub files: Vec<DiffFile<'a>>,
}

/// One changed file, or a directory of which only the name is known. A rename has the name it had in `from`.
#[derive(Clone, Debug)]
pub struct DiffFile<'a> {
    /// Its path.
    pub path: &'a str,
    /// What happened to it.
    pub change: Change,
    /// The path it had.
    pub from: Option<&'a str>,
    /// What the path names. A path that ends in `/`, and the root, is a directory whatever is said here.
    pub kind: Option<FileKind>,
    /// Lines that came.
    pub insertions: Option<u64>,
    /// Lines that went.
    pub deletions: Option<u64>,
}

impl<'de: 'a, 'a> Deserialize<'de> for DiffFile<'a> {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// The members as they are declared; that a rename has a `from` is checked after.
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields, expecting = "a changed file object")]
        struct Members<'a> {
            path: &'a str,
            change: Change,
            #[serde(default)]
            from: Option<&'a str>,
            #[serde(default)]
            kind: Option<FileKind>,
            #[serde(default)]
            insertions: Option<u64>,
            #[serde(default)]
            deletions: Option<u64>,
        }
        let Members { path, change, from, kind, insertions, deletions } = Members::deserialize(deserializer)?;
        if change == Change::Renamed && from.is_none() {
            return Err(de::Error::missing_field("from"));
        }
        Ok(Self { path, change, from, kind, insertions, deletions })
    }
}

/// What a changed path names (SPEC section 18.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    /// A file.
    File,
    /// A directory whose files are not listed.
    Directory,
}

/// What happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It is new.
    Added,
    /// It has other content.
    Modified,
    /// It is gone.
    Deleted,
    /// It has another path.
    Renamed,
}

impl Change {
    /// The word as it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Modified => "modified",
            Self::Deleted => "deleted",
            Self::Renamed => "renamed",
        }
    }
}
