//! XML reports: `roxmltree` without document type declarations, behind limits of its own.

mod limits;

use alloc::{borrow::Cow, format};

use adjudicate_core::Error;
use roxmltree::{Document, Node, ParsingOptions};

use crate::{
    fault::{line_at, malformed},
    limits::MAX_XML_TAGS,
};

/// Replaces the characters that XML 1.0 forbids, because some tools copy the output of a test without a check.
pub(crate) fn allowed(text: &str) -> Cow<'_, str> {
    if !text.contains(is_forbidden) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(
        text.chars().map(|character| if is_forbidden(character) { '\u{fffd}' } else { character }).collect(),
    )
}

const fn is_forbidden(character: char) -> bool {
    matches!(character, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

/// Parses an XML text.
///
/// # Errors
///
/// - `malformed_report` for text that is not well-formed, or has a document type declaration.
/// - `limit_exceeded` for more nested elements, attributes or tags than the limits.
pub(crate) fn parse(text: &str) -> Result<Document<'_>, Error> {
    limits::check(text)?;
    // A tag comes with at most one text.
    let nodes_limit = u32::try_from(2 * MAX_XML_TAGS + 2).unwrap_or(u32::MAX);
    let options = ParsingOptions { allow_dtd: false, nodes_limit, entity_resolver: None };
    Document::parse_with_options(text, options).map_err(|error| explain(text, &error))
}

/// Translates an error of the parser.
#[cold]
fn explain(text: &str, error: &roxmltree::Error) -> Error {
    match error {
        roxmltree::Error::UnclosedRootNode | roxmltree::Error::UnexpectedEndOfStream => {
            malformed(line_at(text.as_bytes(), text.len()), "the report ends inside of an element")
        }
        roxmltree::Error::NoRootNode => {
            malformed(line_at(text.as_bytes(), text.len()), "the report has no root element")
        }
        other => {
            let row = usize::try_from(other.pos().row).unwrap_or(usize::MAX);
            let problem = format!("{other}");
            let problem = problem.strip_suffix(&format!(" at {}", other.pos())).unwrap_or(&problem);
            malformed(row, format!("not well-formed: {}", problem.replace('\'', "`")))
        }
    }
}

/// Returns the line at which a node begins.
#[cold]
pub(crate) fn line_of(node: Node<'_, '_>) -> usize {
    line_at(node.document().input_text().as_bytes(), node.range().start)
}

/// Returns an attribute that is not blank.
pub(crate) fn attribute<'t>(node: Node<'t, '_>, name: &str) -> Option<&'t str> {
    node.attribute(name).map(str::trim).filter(|value| !value.is_empty())
}
