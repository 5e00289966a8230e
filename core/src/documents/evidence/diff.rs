//! The typed diff in the evidence.

use alloc::{string::String, vec::Vec};

use adjudicate_lang::{
    Error,
    document::{Document, Extra},
    json::object::missing,
};
use serde::Serialize;

/// A typed diff.
#[derive(Clone, Debug, Document)]
#[document(owned(Default), expecting = "a diff object")]
pub struct Diff<'a> {
    /// The files that changed.
    pub files: Vec<DiffFile<'a>>,
}

/// One changed file, or a directory of which only the name is known. A rename has the name it had in `from`.
#[derive(Clone, Debug, Document)]
#[document(owned, expecting = "a changed file object", check = "Self::check")]
#[document(schema = r#"{
    "if": {"properties": {"change": {"const": "renamed"}}, "required": ["change"]},
    "then": {"required": ["from"]}
}"#)]
pub struct DiffFile<'a> {
    /// The path, for example `src/lib.rs`.
    pub path: &'a str,
    /// The change.
    pub change: Change,
    /// The earlier path, which a rename needs. It counts as a changed path.
    pub from: Option<&'a str>,
    /// The kind of the path: a directory stands for files that are not listed. A path that ends in `/`, and the root, is always a
    /// directory.
    pub kind: Option<FileKind>,
    /// The number of added lines.
    pub insertions: Option<u64>,
    /// The number of deleted lines.
    pub deletions: Option<u64>,
}

impl DiffFile<'_> {
    fn check(&self) -> Result<(), Error> {
        match (self.change, self.from) {
            (Change::Renamed, None) => Err(missing("from")),
            _ => Ok(()),
        }
    }
}

impl OwnedDiffFile {
    /// Returns a changed file of which nothing else is known. A rename also needs `from`.
    #[must_use]
    pub fn new(path: impl Into<String>, change: Change) -> Self {
        Self {
            path: path.into(),
            change,
            from: None,
            kind: None,
            insertions: None,
            deletions: None,
            extra: Extra::new(),
        }
    }
}

/// The kind of a changed path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    /// A file.
    File,
    /// A directory whose files are not listed.
    Directory,
}

/// The change of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// The file is new.
    Added,
    /// The file has other content.
    Modified,
    /// The file is deleted.
    Deleted,
    /// The file has another path.
    Renamed,
}
