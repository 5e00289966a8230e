//! The JSON Pointers of schemas and keywords, and the positions of errors.

use alloc::{string::String, vec::Vec};
use core::fmt::Write as _;

use super::{
    keyword::Keyword,
    range::SchemaId,
    subschema_index::SubschemaIndex,
    tree::{PositionStep, Schema},
};
use crate::{
    codes,
    error::Error,
    json::{Kind, Node, push_segment, unescape_segment},
};

impl Schema {
    /// Returns the URI of a schema's document, empty for the root document, and the pointer to the schema or to one of its
    /// keywords.
    pub(super) fn pointer(&self, id: SchemaId, keyword: Option<Keyword>) -> (&str, String) {
        let mut steps = Vec::new();
        let mut at = id;
        let mut document = "";
        while let Some(place) = self.positions.get(at as usize) {
            match place.step {
                PositionStep::Document(0) => {}
                PositionStep::Document(number) => {
                    document = self.uris.get(number as usize).map_or("", |uri| uri)
                }
                step => steps.push(step),
            }
            at = place.up;
        }
        let mut pointer = String::new();
        for step in steps.into_iter().rev() {
            match step {
                PositionStep::Document(_) => {}
                PositionStep::Value(keyword) => push_segment(&mut pointer, keyword.name()),
                PositionStep::Name(keyword, name) => {
                    push_segment(&mut pointer, keyword.name());
                    push_segment(&mut pointer, self.text(name));
                }
                PositionStep::Index(keyword, index) => {
                    push_segment(&mut pointer, keyword.name());
                    // Writing to a string cannot fail.
                    let _ = write!(pointer, "/{index}");
                }
                PositionStep::Pointer(beyond) => pointer.push_str(self.text(beyond)),
            }
        }
        if let Some(keyword) = keyword {
            push_segment(&mut pointer, keyword.name());
        }
        (document, pointer)
    }

    /// Returns the keyword whose value is this schema, or `false`. Violations of `false` schemas name it.
    pub(super) fn keyword_above(&self, id: SchemaId) -> &'static str {
        match self.positions.get(id as usize).map(|place| place.step) {
            Some(
                PositionStep::Value(keyword)
                | PositionStep::Name(keyword, _)
                | PositionStep::Index(keyword, _),
            ) => keyword.name(),
            _ => "false",
        }
    }
}

impl<'d> SubschemaIndex<'d, '_> {
    /// Records an error if it comes before all others. Returns whether it does.
    ///
    /// # Errors
    ///
    /// The error itself, if the budget ran out.
    pub(super) fn note(&mut self, id: SchemaId, error: Error) -> Result<bool, Error> {
        if error.code() == codes::LIMIT_EXCEEDED {
            return Err(error);
        }
        let source = self.locations.get(id as usize).map_or(0, |location| location.source);
        let place = (source, self.position(source, error.path())?);
        Ok(self.faults.note(place, error))
    }

    /// Returns the position of the value at a pointer.
    fn position(&mut self, source: u32, pointer: &str) -> Result<usize, Error> {
        let Some(mut node) = self.sources.get(source as usize).map(|source| source.root) else {
            return Ok(0);
        };
        for segment in pointer.split('/').skip(1) {
            self.steps.spend(node.len() + segment.len())?;
            let name = unescape_segment(segment);
            node = child(node, &name).unwrap_or(node);
        }
        Ok(node.position())
    }
}

/// Returns the field of this name, or the item at this index.
pub(super) fn child<'d>(node: Node<'d>, name: &str) -> Option<Node<'d>> {
    let is_index = name == "0"
        || (!name.starts_with('0') && !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()));
    match node.kind() {
        Kind::Array if is_index => node.items().nth(name.parse().unwrap_or(usize::MAX)),
        _ => node.member(name),
    }
}
