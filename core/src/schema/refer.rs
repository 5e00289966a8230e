//! Following references: from a URI, an anchor or a pointer to the schema that it names.

use alloc::{format, string::String};

use super::{
    locate::{Location, Locator, Named},
    tree::{Id, NONE, Step},
    uri,
    word::Word,
};
use crate::{
    error::Error,
    json::{Kind, Node, shorten, unescape_segment},
};

impl<'d> Locator<'d, '_> {
    /// The schema that a reference leads to.
    pub(super) fn referred(&mut self, id: Id, word: Word, reference: &str) -> Result<Id, Error> {
        let resource = self.locations.get(id as usize).map_or(0, |location| location.resource);
        let (name, fragment) = uri::split(reference);
        let root = if name.is_empty() {
            self.resource(resource).root
        } else {
            let uri = self.resolved(resource, name)?;
            match self.names.get(&uri).copied() {
                Some(Named::Schema(root)) => root,
                Some(Named::Document(index)) => match self.documents.all().get(index as usize) {
                    Some((_, document)) => self.open(&uri, *document)?,
                    None => NONE,
                },
                None => {
                    let message = format!("`{}` is not among the documents handed in", shorten(&uri));
                    return Err(self.fault(id, word, message));
                }
            }
        };
        let fault = |what| format!("`{}` {what}", shorten(reference));
        let Some(fragment) = uri::decoded(fragment) else {
            return Err(self.fault(id, word, fault("is no URI reference")));
        };
        if fragment.is_empty() {
            return Ok(root);
        }
        if fragment.starts_with('/') {
            let found = self.at_pointer(root, &fragment)?;
            return found.ok_or_else(|| self.fault(id, word, fault("points at nothing")));
        }
        let resource = self.locations.get(root as usize).map_or(0, |location| location.resource);
        self.steps.spend(self.resource(resource).uri.len() + fragment.len())?;
        match self.names.get(&format!("{}#{fragment}", self.resource(resource).uri)) {
            Some(Named::Schema(found)) => Ok(*found),
            _ => Err(self.fault(id, word, fault("names no anchor"))),
        }
    }

    /// The schema at a pointer that begins at another one.
    fn at_pointer(&mut self, root: Id, pointer: &str) -> Result<Option<Id>, Error> {
        let Some(Location { mut node, source, .. }) = self.locations.get(root as usize).copied() else {
            return Ok(None);
        };
        // The innermost schema on the way that is known says which resource the target belongs to.
        let mut inner = root;
        let mut beyond = String::new();
        for segment in pointer.split('/').skip(1) {
            let name = unescape_segment(segment);
            let of = beyond.strip_prefix('/').filter(|_| node.len() > FEW);
            if let Some(Named::Schema(member)) =
                of.and_then(|of| self.names.get(&member_key(inner, of, &name)))
                && let Some(location) = self.locations.get(*member as usize)
            {
                (inner, node) = (*member, location.node);
                beyond.clear();
                continue;
            }
            self.steps.spend(node.len() + segment.len() + 1)?;
            let next = match node.kind() {
                Kind::Array if is_index(&name) => node.items().nth(name.parse().unwrap_or(usize::MAX)),
                _ => node.member(&name),
            };
            let Some(next) = next else { return Ok(None) };
            node = next;
            beyond.push('/');
            beyond.push_str(segment);
            if let Some(known) = self.located(source, node) {
                inner = known;
                beyond.clear();
            }
        }
        if beyond.is_empty() {
            return Ok(Some(inner));
        }
        let resource = self.locations.get(inner as usize).map_or(0, |location| location.resource);
        let beyond = self.schema.keep(&beyond);
        let id = self.add(node, source, resource, inner, Step::Pointer(beyond));
        self.scan_all()?;
        Ok(Some(id))
    }

    fn located(&self, source: u32, node: Node<'_>) -> Option<Id> {
        let source = self.sources.get(source as usize)?;
        source.located.get(node.position() - source.root.position())?.checked_sub(1)
    }

    /// The schema that a part of a schema is: it was found when its document was looked through.
    pub(super) fn schema_at(&self, around: Id, node: Node<'_>) -> Id {
        let source = self.locations.get(around as usize).map_or(0, |location| location.source);
        self.located(source, node).unwrap_or(NONE)
    }
}

/// So many members are looked through when one of them is wanted; more have their names noted.
pub(super) const FEW: usize = 32;

/// The name under which a member of a keyword's value is noted: no URI begins so.
pub(super) fn member_key(id: Id, of: &str, name: &str) -> String {
    format!("\n{id}/{of}/{name}")
}

/// Whether a text is an index as pointers write it.
fn is_index(text: &str) -> bool {
    text == "0"
        || (!text.starts_with('0') && !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))
}
