//! Following references: from a URI, an anchor or a pointer to the schema that it names.

use alloc::{format, string::String};

use super::{
    faults::child,
    locate::{Location, Locator, Named},
    tree::{Id, NONE, Step},
    uri,
    word::Word,
};
use crate::{
    error::Error,
    json::{Node, shorten, unescape_segment},
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
                Some(Named::Part(_)) | None => match self.meta.find(&uri, self.steps)? {
                    Some(meta) => self.open(&uri, meta)?,
                    None => {
                        let message = format!("`{}` is not among the documents handed in", shorten(&uri));
                        return Err(self.fault(id, word, message));
                    }
                },
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
            let Some(next) = self.part(source, node, &unescape_segment(segment))? else { return Ok(None) };
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

    /// A member or an item. Where there are many, they are noted when one is asked for first, so that it does not take as
    /// long as there are of them each time.
    fn part(&mut self, source: u32, node: Node<'d>, name: &str) -> Result<Option<Node<'d>>, Error> {
        self.steps.spend(name.len() + FEW)?;
        if node.len() <= FEW {
            return Ok(child(node, name));
        }
        let key = |name: &str| format!("\n{source}/{}/{name}", node.position());
        if !matches!(self.names.get(&key("")), Some(Named::Part(_))) {
            self.note_parts(node, &key)?;
        }
        match self.names.get(&key(&format!("/{name}"))) {
            Some(Named::Part(part)) => Ok(Some(*part)),
            _ => Ok(None),
        }
    }

    fn note_parts(&mut self, node: Node<'d>, key: &dyn Fn(&str) -> String) -> Result<(), Error> {
        self.names.insert(key(""), Named::Part(node));
        for (name, part) in node.members() {
            self.steps.spend(name.len() + FEW)?;
            self.names.insert(key(&format!("/{name}")), Named::Part(part));
        }
        for (index, part) in node.items().enumerate() {
            self.steps.spend(FEW)?;
            self.names.insert(key(&format!("/{index}")), Named::Part(part));
        }
        Ok(())
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
const FEW: usize = 32;
