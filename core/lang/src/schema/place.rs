//! Where a schema stands, as a pointer.

use alloc::{string::String, vec::Vec};
use core::fmt::Write as _;

use super::{
    tree::{Id, Schema, Step},
    word::Word,
};
use crate::json::push_segment;

impl Schema {
    /// The URI of the document that a schema is in (the schema's own has none), and the pointer to it, or to a keyword
    /// of it.
    pub(super) fn pointer(&self, id: Id, word: Option<Word>) -> (&str, String) {
        let mut steps = Vec::new();
        let mut at = id;
        let mut document = "";
        while let Some(place) = self.places.get(at as usize) {
            match place.step {
                Step::Document(0) => {}
                Step::Document(number) => document = self.uris.get(number as usize).map_or("", |uri| uri),
                step => steps.push(step),
            }
            at = place.up;
        }
        let mut pointer = String::new();
        for step in steps.into_iter().rev() {
            match step {
                Step::Document(_) => {}
                Step::Value(word) => push_segment(&mut pointer, word.name()),
                Step::Name(word, name) => {
                    push_segment(&mut pointer, word.name());
                    push_segment(&mut pointer, self.text(name));
                }
                Step::Index(word, index) => {
                    push_segment(&mut pointer, word.name());
                    // Writing to a string cannot fail.
                    let _ = write!(pointer, "/{index}");
                }
                Step::Pointer(beyond) => pointer.push_str(self.text(beyond)),
            }
        }
        if let Some(word) = word {
            push_segment(&mut pointer, word.name());
        }
        (document, pointer)
    }

    /// The keyword that a schema is the value of, as one that is `false` is reported.
    pub(super) fn keyword_above(&self, id: Id) -> &'static str {
        match self.places.get(id as usize).map(|place| place.step) {
            Some(Step::Value(word) | Step::Name(word, _) | Step::Index(word, _)) => word.name(),
            _ => "false",
        }
    }
}
