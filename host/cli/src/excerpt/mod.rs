//! Diagnostics of documents, with the lines of the text that they are about.

mod diagnostic;
mod line;
mod locate;
mod position;
mod text;
mod walker;

pub(crate) use diagnostic::Diagnostic;
pub(crate) use locate::locate;
pub(crate) use text::AnnotatedDocument;
