//! XML reports: `roxmltree` without document type declarations, behind limits of its own.

use alloc::{borrow::Cow, format};

use adjudicate_core::Error;
use roxmltree::{Document, Node, ParsingOptions};

use crate::{
    limits::{MAX_XML_ATTRIBUTES, MAX_XML_DEPTH, MAX_XML_EQUALS_SIGNS, MAX_XML_NAMESPACES, MAX_XML_TAGS},
    lines::{line_at, malformed, over_limit},
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
    check(text)?;
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

/// Checks the limits of a text, in one pass before the parser runs. Some work of the parser grows with the square of the attributes of an
/// element, of the depth or of the namespaces. The parser has no limit for them.
///
/// The pass knows just enough XML to count. It may count wrongly behind the first syntax error, where the parser stops.
fn check(text: &str) -> Result<(), Error> {
    check_characters(text)?;
    let line = |rest: &str| line_at(text.as_bytes(), text.len() - rest.len());
    let (mut rest, mut depth, mut namespaces) = (text, 0_usize, 0_usize);
    while let Some(at) = rest.find('<') {
        rest = rest.get(at..).unwrap_or_default();
        let end = match Markup::of(rest) {
            Markup::Other(end) => end,
            Markup::Declaration => {
                let problem = "the report has a document type declaration, which readers refuse; remove the declaration";
                return Err(malformed(line(rest), problem));
            }
            Markup::EndTag(end) => {
                depth = depth.saturating_sub(1);
                end
            }
            Markup::StartTag(tag) => {
                depth += usize::from(!tag.is_empty);
                namespaces += tag.namespaces;
                for (found, limit, noun) in [
                    (tag.attributes, MAX_XML_ATTRIBUTES, "attributes of one element"),
                    (namespaces, MAX_XML_NAMESPACES, "namespace declarations"),
                    (depth, MAX_XML_DEPTH, "nested elements"),
                ] {
                    if found > limit {
                        return Err(over_limit(line(rest), format!("more than {limit} {noun}")));
                    }
                }
                tag.end
            }
        };
        rest = rest.get(end..).unwrap_or_default();
    }
    Ok(())
}

/// Checks the numbers of characters by which the parser reserves memory.
fn check_characters(text: &str) -> Result<(), Error> {
    for (character, limit) in [(b'<', MAX_XML_TAGS), (b'=', MAX_XML_EQUALS_SIGNS)] {
        let mut found = text.bytes().enumerate().filter(|(_, byte)| *byte == character);
        if let Some((at, _)) = found.nth(limit) {
            let problem = format!("more than {limit} characters `{}`", char::from(character));
            return Err(over_limit(line_at(text.as_bytes(), at), problem));
        }
    }
    Ok(())
}

/// The markup at the beginning of a text, and where it ends.
enum Markup {
    StartTag(StartTag),
    EndTag(usize),
    /// A document type declaration.
    Declaration,
    /// A comment, a CDATA section or a processing instruction.
    Other(usize),
}

impl Markup {
    fn of(text: &str) -> Self {
        for (start, end) in [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")] {
            if text.starts_with(start) {
                return Self::Other(after(text, end));
            }
        }
        match text.as_bytes().get(1) {
            Some(b'!') => Self::Declaration,
            Some(b'/') => Self::EndTag(after(text, ">")),
            _ => Self::StartTag(StartTag::scan(text)),
        }
    }
}

/// Returns the index after `end`, or the length of the text.
fn after(text: &str, end: &str) -> usize {
    text.find(end).map_or(text.len(), |at| at + end.len())
}

struct StartTag {
    attributes: usize,
    namespaces: usize,
    is_empty: bool,
    end: usize,
}

impl StartTag {
    /// Scans the start tag at the beginning of a text.
    fn scan(text: &str) -> Self {
        let mut tag = Self { attributes: 0, namespaces: 0, is_empty: true, end: text.len() };
        let (mut quote, mut previous, mut name) = (None, b'<', 1);
        for (at, byte) in text.bytes().enumerate() {
            match (quote, byte) {
                (Some(open), _) if open == byte => quote = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b'=') => {
                    tag.attributes += 1;
                    tag.namespaces +=
                        usize::from(text.get(name..).is_some_and(|name| name.starts_with("xmlns")));
                }
                (None, b'>') => return Self { is_empty: previous == b'/', end: at + 1, ..tag },
                // The name of an attribute begins after white space or a value.
                (None, _) if previous.is_ascii_whitespace() || matches!(previous, b'"' | b'\'') => name = at,
                (None, _) => {}
            }
            previous = byte;
        }
        tag
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use super::*;

    fn problem(text: &str) -> String {
        check(text).map_or_else(|error| error.message().into(), |()| String::new())
    }

    #[test]
    fn markup_that_is_not_an_element_does_not_count_as_depth() {
        let text = "<?xml version='1.0'?><!-- <a> --><a b='>' c=\"/\"><![CDATA[<b><c>]]><d/></a>";
        assert_eq!(problem(&text.repeat(100)), "");
    }

    #[test]
    fn limits_are_reported_with_their_line() {
        let deep = "<a>\n".repeat(65);
        assert_eq!(problem(&deep), "line 65: more than 64 nested elements");
        let wide = format!("\n<a {}>", "b='' ".repeat(65));
        assert_eq!(problem(&wide), "line 2: more than 64 attributes of one element");
        let named = "<a xmlns = 'b'/><a xmlns:c='xmlns=d'/>\n".repeat(33);
        assert_eq!(problem(&named), "line 33: more than 64 namespace declarations");
        let many = "<a/>".repeat(MAX_XML_TAGS + 1);
        assert_eq!(problem(&many), "line 1: more than 1000000 characters `<`");
        assert!(problem("\n<!DOCTYPE a>").starts_with("line 2: the report has a document type declaration"));
    }
}
