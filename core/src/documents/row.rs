//! The rows of the tables of documents: a name, a sentence and the type of a document.

use alloc::string::String;

use adjudicate_lang::document::{Describe, SchemaRoot, Type};

/// The folder of the schemas. The URL of a schema is this one and [`DocumentRow::file_name`].
pub const SCHEMA_BASE: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/raw/main/docs/schemas/");

/// A document.
#[derive(Clone, Copy, Debug)]
pub struct DocumentRow {
    /// The name: lower-case words, joined by `-`.
    pub name: &'static str,
    /// One sentence on the document.
    pub about: &'static str,
    /// Returns the type of the document.
    pub describe: fn() -> Type,
}

/// Returns the row of the document of type `T`.
pub const fn row<T: Describe>(name: &'static str, about: &'static str) -> DocumentRow {
    DocumentRow { name, about, describe: T::describe }
}

impl DocumentRow {
    /// Returns the name of the schema's file.
    ///
    /// ```
    /// use adjudicate_core::Operation;
    /// let [call, _] = Operation::Evaluate.documents_of_call();
    /// assert_eq!(call.file_name(), "evaluate-call.schema.json");
    /// ```
    #[must_use]
    pub fn file_name(&self) -> String {
        [self.name, ".schema.json"].concat()
    }

    /// Returns the URL of the schema, its `$id`.
    #[must_use]
    pub fn url(&self) -> String {
        [SCHEMA_BASE, &self.file_name()].concat()
    }

    /// Returns the text of the JSON Schema, on one line.
    #[must_use]
    pub fn schema(&self) -> String {
        let title = ["adjudicate ", &self.name.replace('-', " ")].concat();
        let root = SchemaRoot { id: &self.url(), title: &title, about: self.about, describe: self.describe };
        root.write().to_text()
    }
}
