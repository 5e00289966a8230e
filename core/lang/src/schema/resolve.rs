//! Resolution of references: from a URI, an anchor or a pointer to a schema.

use alloc::{format, string::String};

use super::{
    keyword::Keyword,
    pointer::child,
    range::{NONE, SchemaId},
    subschema_index::{Location, NameTarget, SubschemaIndex},
    tree::PositionStep,
    uri,
};
use crate::{
    error::Error,
    json::{Node, shorten, unescape_segment},
};

impl<'d> SubschemaIndex<'d, '_> {
    /// Returns the schema that a reference names.
    pub(super) fn resolve_reference(
        &mut self,
        id: SchemaId,
        keyword: Keyword,
        reference: &str,
    ) -> Result<SchemaId, Error> {
        let resource = self.locations.get(id as usize).map_or(0, |location| location.resource);
        let (name, fragment) = uri::split(reference);
        let root = if name.is_empty() {
            self.resource(resource).root
        } else {
            let uri = self.resolve_uri(resource, name)?;
            let around = self.resource(resource).dialect;
            let documents = self.documents;
            match self.names.get(&uri).copied() {
                Some(NameTarget::Schema(root)) => root,
                Some(NameTarget::Document(index)) => match documents.all().get(index as usize) {
                    // A document without `$schema` has the dialect of the first schema that refers to it.
                    Some((given, document)) => self.open(given, *document, around, Some(index))?,
                    None => NONE,
                },
                Some(NameTarget::Part(_)) | None => match self.meta.find(&uri, self.steps)? {
                    Some(meta) => self.open(&uri, meta, around, None)?,
                    None => {
                        let message = format!("`{}` is not among the given documents", shorten(&uri));
                        return Err(self.keyword_error(id, keyword, message));
                    }
                },
            }
        };
        let fault = |what| format!("`{}` {what}", shorten(reference));
        let Some(fragment) = uri::decoded(fragment) else {
            return Err(self.keyword_error(id, keyword, fault("is not a URI reference")));
        };
        if fragment.is_empty() {
            return Ok(root);
        }
        if fragment.starts_with('/') {
            let found = self.at_pointer(root, &fragment)?;
            return found
                .ok_or_else(|| self.keyword_error(id, keyword, fault("does not exist in the document")));
        }
        let resource = self.locations.get(root as usize).map_or(0, |location| location.resource);
        self.steps.spend(self.resource(resource).uri.len() + fragment.len())?;
        match self.names.get(&format!("{}#{fragment}", self.resource(resource).uri)) {
            // Two documents may have the same `$id`.
            Some(NameTarget::Schema(found)) if self.source(*found) == self.source(root) => Ok(*found),
            _ => Err(self.keyword_error(id, keyword, fault("is not an anchor of the document"))),
        }
    }

    /// Returns the schema at a pointer that begins at another schema.
    fn at_pointer(&mut self, root: SchemaId, pointer: &str) -> Result<Option<SchemaId>, Error> {
        let Some(Location { mut node, source, .. }) = self.locations.get(root as usize).copied() else {
            return Ok(None);
        };
        // The innermost indexed schema on the path determines the resource of the target.
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
        let id = self.add(node, source, resource, inner, PositionStep::Pointer(beyond));
        self.scan_all()?;
        Ok(Some(id))
    }

    /// Returns a field or an item. Large objects and arrays are indexed at their first use, so that lookups do not become
    /// quadratic.
    fn part(&mut self, source: u32, node: Node<'d>, name: &str) -> Result<Option<Node<'d>>, Error> {
        self.steps.spend(name.len() + FEW)?;
        if node.len() <= FEW {
            return Ok(child(node, name));
        }
        let key = |name: &str| format!("\n{source}/{}/{name}", node.position());
        if !matches!(self.names.get(&key("")), Some(NameTarget::Part(_))) {
            self.note_parts(node, &key)?;
        }
        match self.names.get(&key(&format!("/{name}"))) {
            Some(NameTarget::Part(part)) => Ok(Some(*part)),
            _ => Ok(None),
        }
    }

    fn note_parts(&mut self, node: Node<'d>, key: &dyn Fn(&str) -> String) -> Result<(), Error> {
        self.names.insert(key(""), NameTarget::Part(node));
        for (name, part) in node.members() {
            self.steps.spend(name.len() + FEW)?;
            self.names.insert(key(&format!("/{name}")), NameTarget::Part(part));
        }
        for (index, part) in node.items().enumerate() {
            self.steps.spend(FEW)?;
            self.names.insert(key(&format!("/{index}")), NameTarget::Part(part));
        }
        Ok(())
    }

    fn source(&self, id: SchemaId) -> Option<u32> {
        self.locations.get(id as usize).map(|location| location.source)
    }

    fn located(&self, source: u32, node: Node<'_>) -> Option<SchemaId> {
        let source = self.sources.get(source as usize)?;
        source.located.get(node.position() - source.root.position())?.checked_sub(1)
    }

    /// Returns the schema at a subschema of `around`. The scan of its document has found it.
    pub(super) fn schema_at(&self, around: SchemaId, node: Node<'_>) -> SchemaId {
        let source = self.locations.get(around as usize).map_or(0, |location| location.source);
        self.located(source, node).unwrap_or(NONE)
    }
}

/// The length up to which a linear search is used instead of an index.
const FEW: usize = 32;
