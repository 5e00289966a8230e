//! The documents that a run has read, for excerpts in its errors.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

/// The documents that a run has read.
#[derive(Clone, Debug, Default)]
pub struct ReadDocuments(Arc<Mutex<Vec<ReadDocument>>>);

/// A document that a run has read.
#[derive(Clone, Debug)]
pub(crate) struct ReadDocument {
    /// The name with which messages about it begin; empty for the document of the call.
    pub(crate) name: String,
    pub(crate) is_yaml: bool,
    pub(crate) text: ReadText,
}

/// The text of a document.
#[derive(Clone, Debug)]
pub(crate) enum ReadText {
    /// The file to read it from again.
    File(PathBuf),
    /// The text of standard input, which cannot be read again.
    Stdin(Vec<u8>),
}

impl ReadDocuments {
    pub(crate) fn add(&self, document: ReadDocument) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(document);
    }

    /// Returns the latest document with this name.
    pub(crate) fn named(&self, name: &str) -> Option<ReadDocument> {
        let documents = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        documents.iter().rfind(|document| document.name == name).cloned()
    }
}
