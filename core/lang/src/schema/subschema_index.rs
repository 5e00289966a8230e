//! The subschema index: every schema of a document, and the URIs and anchors that name them.
//!
//! The index is complete before any keyword is compiled, because references lead backward and forward. A document is indexed when
//! the first reference names it.

use alloc::{
    collections::{BTreeMap, btree_map::Entry},
    format,
    string::String,
    vec,
    vec::Vec,
};
use core::iter;

use super::{
    dialect::{Dialect, Draft},
    documents::{Documents, Options},
    errors::SchemaErrors,
    keyword::{Keyword, SubschemaShape},
    meta::MetaSchemas,
    range::{NONE, SchemaId, narrow},
    tree::{PositionStep, Schema, SchemaPosition},
    uri,
};
use crate::{
    codes,
    error::Error,
    json::{Kind, Node, shorten},
    steps::Steps,
};

/// A schema within a document.
#[derive(Clone, Copy)]
pub(super) struct Location<'d> {
    pub node: Node<'d>,
    /// The index of its document in [`SubschemaIndex::sources`].
    pub source: u32,
    /// The index of its resource in [`SubschemaIndex::resources`].
    pub resource: u32,
}

/// A schema with its own URI.
pub(super) struct Resource {
    pub uri: String,
    pub root: SchemaId,
    pub dialect: Dialect,
}

/// An indexed document.
pub(super) struct Source<'d> {
    pub root: Node<'d>,
    /// For each position from the root on: the number of the schema there plus one, or 0.
    pub located: Vec<u32>,
}

/// The target of a URI, or of a URI with an anchor.
#[derive(Clone, Copy)]
pub(super) enum NameTarget<'d> {
    Schema(SchemaId),
    /// A document without a reference to it so far.
    Document(u32),
    /// A value within another. Its key begins with a line feed, which no URI does.
    Part(Node<'d>),
}

/// All schemas found so far.
pub(super) struct SubschemaIndex<'d, 's> {
    pub documents: &'d Documents<'d>,
    pub meta: &'d MetaSchemas,
    options: Options,
    pub steps: &'s mut Steps,
    pub schema: Schema,
    /// One for each entry of [`Schema::positions`].
    pub locations: Vec<Location<'d>>,
    /// The number of locations that are already scanned.
    scanned: usize,
    pub resources: Vec<Resource>,
    pub sources: Vec<Source<'d>>,
    pub names: BTreeMap<String, NameTarget<'d>>,
    pub faults: SchemaErrors,
}

impl<'d, 's> SubschemaIndex<'d, 's> {
    /// Indexes the root document.
    pub(super) fn new(
        root: Node<'d>,
        documents: &'d Documents<'d>,
        meta: &'d MetaSchemas,
        options: Options,
        steps: &'s mut Steps,
    ) -> Result<Self, Error> {
        let mut names = BTreeMap::new();
        for (index, (uri, _)) in documents.all().iter().enumerate() {
            names.entry((*uri).into()).or_insert(NameTarget::Document(narrow(index)));
        }
        // A document is also found by its own `$id`, before any reference names it otherwise.
        let draft = draft(root, documents, Some(options.draft));
        for (index, (uri, document)) in documents.all().iter().enumerate() {
            if let Some(own) = own_uri(uri, *document, documents, draft) {
                steps.spend(own.len())?;
                names.entry(own).or_insert(NameTarget::Document(narrow(index)));
            }
        }
        let mut subschemas = Self {
            documents,
            meta,
            options,
            steps,
            schema: Schema::default(),
            locations: Vec::new(),
            scanned: 0,
            resources: Vec::new(),
            sources: Vec::new(),
            names,
            faults: SchemaErrors::default(),
        };
        subschemas.open("", root, Dialect::new(options.draft, options.formats), None)?;
        Ok(subschemas)
    }

    /// Indexes a document and returns the number of its root schema. Without `$schema`, it has the dialect `around`. `given` is the
    /// index of a given document.
    pub(super) fn open(
        &mut self,
        uri: &str,
        root: Node<'d>,
        around: Dialect,
        given: Option<u32>,
    ) -> Result<SchemaId, Error> {
        let source = narrow(self.sources.len());
        let extent = root.extent();
        self.steps.spend(extent + uri.len())?;
        self.sources.push(Source { root, located: vec![0; extent] });
        self.schema.uris.push(uri.into());
        let resource = narrow(self.resources.len());
        let id = self.add(root, source, resource, NONE, PositionStep::Document(source));
        let dialect = self.dialect(root, around, id)?;
        self.resources.push(Resource { uri: uri.into(), root: id, dialect });
        for name in iter::once(uri.into()).chain(own_uri(uri, root, self.documents, Some(around.draft))) {
            match self.names.entry(name) {
                // Another schema may have a name of the document: one within the compiled schema, or another document.
                Entry::Occupied(mut entry) => match entry.get() {
                    NameTarget::Document(index) if given.is_none_or(|given| given == *index) => {
                        entry.insert(NameTarget::Schema(id));
                    }
                    _ => {}
                },
                Entry::Vacant(entry) => {
                    entry.insert(NameTarget::Schema(id));
                }
            }
        }
        self.scan_all()?;
        Ok(id)
    }

    /// Scans all locations that are not scanned yet.
    pub(super) fn scan_all(&mut self) -> Result<(), Error> {
        while let Some(location) = self.locations.get(self.scanned).copied() {
            self.scan(narrow(self.scanned), location)?;
            self.scanned += 1;
        }
        Ok(())
    }

    pub(super) fn add(
        &mut self,
        node: Node<'d>,
        source: u32,
        resource: u32,
        up: SchemaId,
        step: PositionStep,
    ) -> SchemaId {
        let id = narrow(self.locations.len());
        self.locations.push(Location { node, source, resource });
        self.schema.positions.push(SchemaPosition { up, step });
        if let Some(of) = self.sources.get_mut(source as usize)
            && let Some(slot) = of.located.get_mut(node.position() - of.root.position())
        {
            *slot = id + 1;
        }
        id
    }

    /// Returns the dialect that a schema names with `$schema`, or the dialect around it.
    pub(super) fn dialect(
        &mut self,
        node: Node<'d>,
        around: Dialect,
        id: SchemaId,
    ) -> Result<Dialect, Error> {
        let Some(named) = node.member(Keyword::Schema.name()) else { return Ok(around) };
        let Some(uri) = named.as_str() else {
            return Err(self.keyword_error(id, Keyword::Schema, "`$schema` is a URI".into()));
        };
        let formats = self.options.formats;
        if let Some(draft) = Draft::from_meta_schema(uri) {
            return Ok(Dialect::new(draft, formats));
        }
        let plain = uri.strip_suffix('#').unwrap_or(uri);
        let meta = match self.names.get(plain) {
            Some(NameTarget::Document(index)) => {
                self.documents.all().get(*index as usize).map(|(_, meta)| *meta)
            }
            Some(NameTarget::Schema(id)) => self.locations.get(*id as usize).map(|location| location.node),
            Some(NameTarget::Part(_)) | None => self.meta.find(plain, self.steps)?,
        };
        let draft =
            meta.and_then(|meta| Draft::from_meta_schema(meta.member(Keyword::Schema.name())?.as_str()?));
        let (Some(meta), Some(draft)) = (meta, draft) else {
            let message = format!(
                "`{}` is neither draft-07 nor 2020-12, nor one of the given meta-schemas",
                shorten(uri)
            );
            return Err(self.keyword_error(id, Keyword::Schema, message));
        };
        Dialect::from_meta_schema(meta, draft, formats)
            .map_err(|error| self.with_path(error, id, Some(Keyword::Schema)))
    }

    /// Adds the subschemas of a schema, and its names.
    fn scan(&mut self, id: SchemaId, location: Location<'d>) -> Result<(), Error> {
        match location.node.kind() {
            Kind::Bool(_) => return Ok(()),
            Kind::Object => {}
            _ => {
                let error = self.with_path(invalid("a schema is an object or a boolean"), id, None);
                return self.note(id, error).map(drop);
            }
        }
        let location = self.identify(id, location)?;
        let dialect = self.resource(location.resource).dialect;
        self.steps.spend(location.node.len() + 1)?;
        let has_siblings = !self.is_only_reference(id);
        for (name, value) in location.node.members() {
            match Keyword::find(name, dialect) {
                Some(keyword) if has_siblings || keyword == Keyword::Definitions => {
                    self.descend(id, location, keyword, value)?
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Adds the schemas in the value of a keyword. The compiler reports values of the wrong type later.
    fn descend(
        &mut self,
        id: SchemaId,
        at: Location<'d>,
        keyword: Keyword,
        value: Node<'d>,
    ) -> Result<(), Error> {
        let shape = keyword.shape(self.resource(at.resource).dialect);
        match (shape, value.kind()) {
            (SubschemaShape::One, _) | (SubschemaShape::OneOrList, Kind::Object | Kind::Bool(_)) => {
                self.add(value, at.source, at.resource, id, PositionStep::Value(keyword));
            }
            (SubschemaShape::List | SubschemaShape::OneOrList, Kind::Array) => {
                for (index, item) in value.items().enumerate() {
                    self.add(item, at.source, at.resource, id, PositionStep::Index(keyword, narrow(index)));
                }
            }
            (SubschemaShape::Map | SubschemaShape::MapBesideLists, Kind::Object) => {
                for (name, member) in value.members() {
                    if shape == SubschemaShape::MapBesideLists && member.kind() == Kind::Array {
                        continue;
                    }
                    self.steps.spend(name.len())?;
                    let kept = self.schema.keep(name);
                    self.add(member, at.source, at.resource, id, PositionStep::Name(keyword, kept));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns whether a schema is a draft-07 `$ref`, which disables all keywords next to it.
    pub(super) fn is_only_reference(&self, id: SchemaId) -> bool {
        self.locations.get(id as usize).is_some_and(|location| {
            self.resource(location.resource).dialect.draft == Draft::Draft7
                && location.node.member(Keyword::Ref.name()).is_some()
        })
    }

    /// Resolves a reference without a fragment against the URI of a resource.
    pub(super) fn resolve_uri(&mut self, resource: u32, reference: &str) -> Result<String, Error> {
        self.steps.spend(self.resource(resource).uri.len() + reference.len())?;
        Ok(uri::resolve(&self.resource(resource).uri, reference))
    }

    pub(super) fn resource(&self, number: u32) -> &Resource {
        static NOWHERE: Resource =
            Resource { uri: String::new(), root: NONE, dialect: Dialect::new(Draft::Draft7, false) };
        self.resources.get(number as usize).unwrap_or(&NOWHERE)
    }

    /// Returns an error about a keyword of a schema.
    #[cold]
    pub(super) fn keyword_error(&self, id: SchemaId, keyword: Keyword, message: String) -> Error {
        self.with_path(Error::new(codes::INVALID_SCHEMA, message), id, Some(keyword))
    }

    /// The error at a keyword of a schema, or at the schema.
    #[cold]
    pub(super) fn with_path(&self, error: Error, id: SchemaId, keyword: Option<Keyword>) -> Error {
        let (document, pointer) = self.schema.pointer(id, keyword);
        match document {
            "" => error.at(pointer),
            uri => error.at(pointer).within(&shorten(uri)),
        }
    }
}

/// The URI of the `$id` of a document that is given under another URI. Next to a `$ref` of draft-07, `$id` does not count. Without
/// `$schema`, the document has the draft `around`.
fn own_uri(
    uri: &str,
    document: Node<'_>,
    documents: &Documents<'_>,
    around: Option<Draft>,
) -> Option<String> {
    let (name, _) = uri::split(document.member(Keyword::Id.name())?.as_str()?);
    let is_only_reference = document.member(Keyword::Ref.name()).is_some()
        && draft(document, documents, around) == Some(Draft::Draft7);
    (!name.is_empty() && !is_only_reference).then(|| uri::resolve(uri, name))
}

/// Returns the draft that `$schema` names, directly or through a given meta-schema; without `$schema`, the draft `around`.
fn draft(document: Node<'_>, documents: &Documents<'_>, around: Option<Draft>) -> Option<Draft> {
    let Some(named) = document.member(Keyword::Schema.name()) else { return around };
    let uri = named.as_str()?;
    let given = || {
        let plain = uri.strip_suffix('#').unwrap_or(uri);
        let (_, meta) = documents.all().iter().find(|(given, _)| *given == plain)?;
        Draft::from_meta_schema(meta.member(Keyword::Schema.name())?.as_str()?)
    };
    Draft::from_meta_schema(uri).or_else(given)
}

/// Returns an error about a schema.
#[cold]
pub(super) fn invalid(message: &'static str) -> Error {
    Error::new(codes::INVALID_SCHEMA, message)
}
