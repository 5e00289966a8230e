//! What is wrong with a schema: of several things the one that comes first in the document.
//!
//! Keywords are compiled in families and schemas level by level, so what is found first need not come first. When something is
//! found, what stands before it is still looked at, and nothing else.

use super::{locate::Locator, tree::Id};
use crate::{
    codes,
    error::Error,
    json::{Kind, Node, unescape_segment},
};

/// The first thing that is wrong so far.
#[derive(Default)]
pub(super) struct Faults {
    first: Option<Fault>,
    /// Whether schemas do not have the names that they were to have, so that what references lead to is not known.
    pub hide_names: bool,
}

struct Fault {
    /// Its document, in the order in which they are referred to, and its place in that.
    place: (u32, usize),
    error: Error,
}

impl Faults {
    /// The first of all.
    pub(super) fn into_first(self) -> Result<(), Error> {
        self.first.map_or(Ok(()), |fault| Err(fault.error))
    }

    /// Whether a value stands before all that is wrong: it has nothing of it in it, and does not come after it.
    pub(super) fn leave(&self, source: u32, value: Node<'_>) -> bool {
        self.first.as_ref().is_none_or(|fault| (source, value.position() + value.extent() - 1) < fault.place)
    }
}

impl<'d> Locator<'d, '_> {
    /// Keeps what is wrong with a schema, if nothing is known that comes before it; whether it was kept.
    ///
    /// # Errors
    ///
    /// What leaves no budget to go on.
    pub(super) fn note(&mut self, id: Id, error: Error) -> Result<bool, Error> {
        if error.code() == codes::LIMIT_EXCEEDED {
            return Err(error);
        }
        let source = self.locations.get(id as usize).map_or(0, |location| location.source);
        let place = (source, self.position(source, error.path())?);
        let is_first = self.faults.first.as_ref().is_none_or(|fault| place < fault.place);
        if is_first {
            self.faults.first = Some(Fault { place, error });
        }
        Ok(is_first)
    }

    /// The position of what a pointer leads to in a document.
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

/// The member of that name, or the item of that number.
pub(super) fn child<'d>(node: Node<'d>, name: &str) -> Option<Node<'d>> {
    let is_index = name == "0"
        || (!name.starts_with('0') && !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()));
    match node.kind() {
        Kind::Array if is_index => node.items().nth(name.parse().unwrap_or(usize::MAX)),
        _ => node.member(name),
    }
}
