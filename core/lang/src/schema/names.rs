//! The names of schemas: `$id`, `$anchor` and `$dynamicAnchor`.

use alloc::{format, string::String};

use super::{
    dialect::Draft,
    keyword::Keyword,
    lists::DynamicAnchor,
    range::{SchemaId, narrow},
    subschema_index::{Location, NameTarget, Resource, SubschemaIndex},
    uri,
};
use crate::{
    error::Error,
    json::{Kind, shorten},
};

impl<'d> SubschemaIndex<'d, '_> {
    /// Registers the names of a schema. With an `$id` that is a URI, it begins a new resource.
    pub(super) fn identify(
        &mut self,
        id: SchemaId,
        mut location: Location<'d>,
    ) -> Result<Location<'d>, Error> {
        let is_root = self.resource(location.resource).root == id;
        let named = location.node.member(Keyword::Id.name()).filter(|_| !self.is_only_reference(id));
        if let Some(named) = named {
            let name = named.as_str().unwrap_or_default();
            if named.kind() != Kind::String {
                let error = self.keyword_error(id, Keyword::Id, "`$id` is a URI".into());
                self.misnamed(id, error)?;
            }
            let around = self.resource(location.resource).dialect;
            let dialect = if is_root { around } else { self.dialect(location.node, around, id)? };
            match uri::split(name) {
                ("", "") => {}
                ("", anchor) if dialect.draft == Draft::Draft7 => {
                    self.anchor(id, location.resource, Keyword::Id, anchor)?
                }
                (_, fragment) if !fragment.is_empty() && dialect.draft == Draft::Draft2020 => {
                    let error =
                        self.keyword_error(id, Keyword::Id, "`$id` is a URI without a fragment".into());
                    self.misnamed(id, error)?;
                }
                (name, _) => {
                    let uri = self.resolve_uri(location.resource, name)?;
                    self.name(id, uri.clone(), Keyword::Id)?;
                    location.resource = narrow(self.resources.len());
                    self.resources.push(Resource { uri, root: id, dialect });
                    if let Some(slot) = self.locations.get_mut(id as usize) {
                        slot.resource = location.resource;
                    }
                }
            }
        }
        if self.resource(location.resource).dialect.draft == Draft::Draft2020 {
            for keyword in [Keyword::Anchor, Keyword::DynamicAnchor] {
                let Some(value) = location.node.member(keyword.name()) else { continue };
                let Some(name) = value.as_str().filter(|name| is_anchor(name)) else {
                    let message =
                        format!("`{}` is a name of letters, digits, `_`, `-` and `.`", keyword.name());
                    let error = self.keyword_error(id, keyword, message);
                    self.misnamed(id, error)?;
                    continue;
                };
                self.anchor(id, location.resource, keyword, name)?;
            }
        }
        Ok(location)
    }

    fn anchor(&mut self, id: SchemaId, resource: u32, keyword: Keyword, name: &str) -> Result<(), Error> {
        self.steps.spend(self.resource(resource).uri.len() + name.len())?;
        let full = format!("{}#{name}", self.resource(resource).uri);
        if keyword == Keyword::DynamicAnchor {
            let anchors = &self.schema.anchors;
            self.steps.spend(anchors.len())?;
            let namesake = anchors.iter().position(|anchor| self.schema.text(anchor.name) == name);
            let namesake = narrow(namesake.unwrap_or(anchors.len()));
            let name = self.schema.keep(name);
            self.schema.anchors.push(DynamicAnchor { name, namesake, resource, schema: id });
        }
        self.name(id, full, keyword)
    }

    /// Registers a name for a schema. An entry of another document under the same name stays.
    fn name(&mut self, id: SchemaId, name: String, keyword: Keyword) -> Result<(), Error> {
        let source = |id: SchemaId| self.locations.get(id as usize).map(|location| location.source);
        match self.names.get(&name) {
            Some(NameTarget::Schema(other)) if *other == id => {}
            Some(NameTarget::Schema(other)) if source(*other) != source(id) => {}
            // The schema that is compiled comes before the other documents.
            Some(NameTarget::Document(_)) if source(id) != Some(0) => {}
            Some(NameTarget::Schema(_)) => {
                let error =
                    self.keyword_error(id, keyword, format!("two schemas are named `{}`", shorten(&name)));
                return self.misnamed(id, error);
            }
            _ => {
                self.names.insert(name, NameTarget::Schema(id));
            }
        }
        Ok(())
    }

    /// Records an error about names. References are not resolved after it, because their targets are unknown.
    fn misnamed(&mut self, id: SchemaId, error: Error) -> Result<(), Error> {
        self.faults.hide_names = true;
        self.note(id, error).map(drop)
    }
}

/// Returns whether a text is a valid anchor.
fn is_anchor(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
}
