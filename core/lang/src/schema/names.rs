//! The names of schemas: `$id`, `$anchor` and `$dynamicAnchor`.

use alloc::{format, string::String};

use super::{
    dialect::Draft,
    lists::DynamicAnchor,
    locate::{Location, Locator, Named, Resource},
    tree::{Id, narrow},
    uri,
    word::Word,
};
use crate::{
    error::Error,
    json::{Kind, shorten},
};

impl<'d> Locator<'d, '_> {
    /// Gives a schema the names that it asks for; where that is a URI, it begins a resource.
    pub(super) fn identify(&mut self, id: Id, mut location: Location<'d>) -> Result<Location<'d>, Error> {
        let is_root = self.resource(location.resource).root == id;
        let named = location.node.member(Word::Id.name()).filter(|_| !self.is_only_reference(id));
        if let Some(named) = named {
            let name = named.as_str().unwrap_or_default();
            if named.kind() != Kind::String {
                let error = self.fault(id, Word::Id, "`$id` is a URI".into());
                self.misnamed(id, error)?;
            }
            let around = self.resource(location.resource).dialect;
            let dialect = if is_root { around } else { self.dialect(location.node, around, id)? };
            match uri::split(name) {
                ("", "") => {}
                ("", anchor) if dialect.draft == Draft::Draft7 => {
                    self.anchor(id, location.resource, Word::Id, anchor)?
                }
                (_, fragment) if !fragment.is_empty() && dialect.draft == Draft::Draft2020 => {
                    let error = self.fault(id, Word::Id, "`$id` is a URI without a fragment".into());
                    self.misnamed(id, error)?;
                }
                (name, _) => {
                    let uri = self.resolved(location.resource, name)?;
                    self.name(id, uri.clone(), Word::Id)?;
                    location.resource = narrow(self.resources.len());
                    self.resources.push(Resource { uri, root: id, dialect });
                    if let Some(slot) = self.locations.get_mut(id as usize) {
                        slot.resource = location.resource;
                    }
                }
            }
        }
        if self.resource(location.resource).dialect.draft == Draft::Draft2020 {
            for word in [Word::Anchor, Word::DynamicAnchor] {
                let Some(value) = location.node.member(word.name()) else { continue };
                let Some(name) = value.as_str().filter(|name| is_anchor(name)) else {
                    let message = format!("`{}` is a name of letters, digits, `_`, `-` and `.`", word.name());
                    let error = self.fault(id, word, message);
                    self.misnamed(id, error)?;
                    continue;
                };
                self.anchor(id, location.resource, word, name)?;
            }
        }
        Ok(location)
    }

    fn anchor(&mut self, id: Id, resource: u32, word: Word, name: &str) -> Result<(), Error> {
        self.steps.spend(self.resource(resource).uri.len() + name.len())?;
        let full = format!("{}#{name}", self.resource(resource).uri);
        if word == Word::DynamicAnchor {
            let anchors = &self.schema.anchors;
            self.steps.spend(anchors.len())?;
            let namesake = anchors.iter().position(|anchor| self.schema.text(anchor.name) == name);
            let namesake = narrow(namesake.unwrap_or(anchors.len()));
            let name = self.schema.keep(name);
            self.schema.anchors.push(DynamicAnchor { name, namesake, resource, schema: id });
        }
        self.name(id, full, word)
    }

    /// Lets a name stand for a schema. What another document has under that name stays.
    fn name(&mut self, id: Id, name: String, word: Word) -> Result<(), Error> {
        let source = |id: Id| self.locations.get(id as usize).map(|location| location.source);
        match self.names.get(&name) {
            Some(Named::Schema(other)) if *other == id => {}
            Some(Named::Schema(other)) if source(*other) != source(id) => {}
            Some(Named::Schema(_)) => {
                let error = self.fault(id, word, format!("two schemas are named `{}`", shorten(&name)));
                return self.misnamed(id, error);
            }
            _ => {
                self.names.insert(name, Named::Schema(id));
            }
        }
        Ok(())
    }

    /// Notes what is wrong with the names of schemas, so that it is not known what references lead to.
    fn misnamed(&mut self, id: Id, error: Error) -> Result<(), Error> {
        self.faults.hide_names = true;
        self.note(id, error).map(drop)
    }
}

/// Whether a text can be an anchor's name.
fn is_anchor(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
}
