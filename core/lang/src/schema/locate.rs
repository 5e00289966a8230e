//! Finding schemas: every place of a document that holds one, and the URIs and anchors that name them.
//!
//! All places are found before any keyword is compiled, for references lead backwards and forwards. A document is looked
//! through when something refers to it.

use alloc::{collections::BTreeMap, format, string::String, vec, vec::Vec};

use super::{
    dialect::{Dialect, Draft},
    documents::{Documents, Options},
    faults::Faults,
    meta::MetaSchemas,
    tree::{Id, NONE, Place, Schema, Step, narrow},
    uri,
    word::{Shape, Word},
};
use crate::{
    codes,
    error::Error,
    json::{Kind, Node, shorten},
    steps::Steps,
};

/// A place that holds a schema.
#[derive(Clone, Copy)]
pub(super) struct Location<'d> {
    pub node: Node<'d>,
    /// The document that it is in.
    pub source: u32,
    /// The resource that it belongs to.
    pub resource: u32,
}

/// A schema with a URI of its own, and what belongs to it.
pub(super) struct Resource {
    pub uri: String,
    pub root: Id,
    pub dialect: Dialect,
}

/// A document that is looked through.
pub(super) struct Source<'d> {
    pub root: Node<'d>,
    /// The schema at each position, counted from the root; one more, so that zero is none.
    pub located: Vec<u32>,
}

/// What a URI, or a URI with an anchor, names.
#[derive(Clone, Copy)]
pub(super) enum Named<'d> {
    Schema(Id),
    /// A document that nothing has referred to yet.
    Document(u32),
    /// A value within another: no URI begins as its name does.
    Part(Node<'d>),
}

/// All schemas found so far.
pub(super) struct Locator<'d, 's> {
    pub documents: &'d Documents<'d>,
    pub meta: &'d MetaSchemas,
    options: Options,
    pub steps: &'s mut Steps,
    pub schema: Schema,
    /// One for each of the schema's places.
    pub locations: Vec<Location<'d>>,
    /// How many of them have been looked into.
    scanned: usize,
    pub resources: Vec<Resource>,
    pub sources: Vec<Source<'d>>,
    pub names: BTreeMap<String, Named<'d>>,
    pub faults: Faults,
}

impl<'d, 's> Locator<'d, 's> {
    /// Looks through the schema's own document.
    pub(super) fn new(
        root: Node<'d>,
        documents: &'d Documents<'d>,
        meta: &'d MetaSchemas,
        options: Options,
        steps: &'s mut Steps,
    ) -> Result<Self, Error> {
        let mut names = BTreeMap::new();
        for (index, (uri, _)) in documents.all().iter().enumerate() {
            names.entry((*uri).into()).or_insert(Named::Document(narrow(index)));
        }
        let mut locator = Self {
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
            faults: Faults::default(),
        };
        locator.open("", root)?;
        Ok(locator)
    }

    /// Looks through a document; its root's number.
    pub(super) fn open(&mut self, uri: &str, root: Node<'d>) -> Result<Id, Error> {
        let source = narrow(self.sources.len());
        let extent = root.extent();
        self.steps.spend(extent + uri.len())?;
        self.sources.push(Source { root, located: vec![0; extent] });
        self.schema.uris.push(uri.into());
        let resource = narrow(self.resources.len());
        let id = self.add(root, source, resource, NONE, Step::Document(source));
        let dialect = self.dialect(root, Dialect::of(self.options.draft, self.options.formats), id)?;
        self.resources.push(Resource { uri: uri.into(), root: id, dialect });
        self.names.insert(uri.into(), Named::Schema(id));
        self.scan_all()?;
        Ok(id)
    }

    /// Looks into all places that were added.
    pub(super) fn scan_all(&mut self) -> Result<(), Error> {
        while let Some(location) = self.locations.get(self.scanned).copied() {
            self.scan(narrow(self.scanned), location)?;
            self.scanned += 1;
        }
        Ok(())
    }

    pub(super) fn add(&mut self, node: Node<'d>, source: u32, resource: u32, up: Id, step: Step) -> Id {
        let id = narrow(self.locations.len());
        self.locations.push(Location { node, source, resource });
        self.schema.places.push(Place { up, step });
        if let Some(of) = self.sources.get_mut(source as usize)
            && let Some(slot) = of.located.get_mut(node.position() - of.root.position())
        {
            *slot = id + 1;
        }
        id
    }

    /// The dialect that a schema names, or the one around it.
    pub(super) fn dialect(&mut self, node: Node<'d>, around: Dialect, id: Id) -> Result<Dialect, Error> {
        let Some(named) = node.member(Word::Schema.name()) else { return Ok(around) };
        let Some(uri) = named.as_str() else {
            return Err(self.fault(id, Word::Schema, "`$schema` is a URI".into()));
        };
        let formats = self.options.formats;
        if let Some(draft) = Draft::of_meta_schema(uri) {
            return Ok(Dialect::of(draft, formats));
        }
        let plain = uri.strip_suffix('#').unwrap_or(uri);
        let meta = match self.documents.all().iter().find(|(uri, _)| *uri == plain) {
            Some((_, meta)) => Some(*meta),
            None => self.meta.find(plain, self.steps)?,
        };
        let draft = meta.and_then(|meta| Draft::of_meta_schema(meta.member(Word::Schema.name())?.as_str()?));
        let (Some(meta), Some(draft)) = (meta, draft) else {
            let message = format!(
                "`{}` is neither draft-07 nor 2020-12, nor a meta-schema of theirs that was handed in",
                shorten(uri)
            );
            return Err(self.fault(id, Word::Schema, message));
        };
        Dialect::of_meta_schema(meta, draft, formats)
            .map_err(|error| self.placed(error, id, Some(Word::Schema)))
    }

    /// Finds the schemas in a schema, and its names.
    fn scan(&mut self, id: Id, location: Location<'d>) -> Result<(), Error> {
        match location.node.kind() {
            Kind::Bool(_) => return Ok(()),
            Kind::Object => {}
            _ => {
                let error = self.placed(invalid("a schema is an object or a boolean"), id, None);
                return self.note(id, error).map(drop);
            }
        }
        let location = self.identify(id, location)?;
        let dialect = self.resource(location.resource).dialect;
        self.steps.spend(location.node.len() + 1)?;
        let has_siblings = !self.is_only_reference(id);
        for (name, value) in location.node.members() {
            match Word::find(name, dialect) {
                Some(word) if has_siblings || word == Word::Definitions => {
                    self.descend(id, location, word, value)?
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Adds the schemas in a keyword's value. Values of the wrong type are reported when keywords are compiled.
    fn descend(&mut self, id: Id, at: Location<'d>, word: Word, value: Node<'d>) -> Result<(), Error> {
        let shape = word.shape(self.resource(at.resource).dialect);
        match (shape, value.kind()) {
            (Shape::One, _) | (Shape::OneOrList, Kind::Object | Kind::Bool(_)) => {
                self.add(value, at.source, at.resource, id, Step::Value(word));
            }
            (Shape::List | Shape::OneOrList, Kind::Array) => {
                for (index, item) in value.items().enumerate() {
                    self.add(item, at.source, at.resource, id, Step::Index(word, narrow(index)));
                }
            }
            (Shape::Map | Shape::MapBesideLists, Kind::Object) => {
                for (name, member) in value.members() {
                    if shape == Shape::MapBesideLists && member.kind() == Kind::Array {
                        continue;
                    }
                    self.steps.spend(name.len())?;
                    let kept = self.schema.keep(name);
                    self.add(member, at.source, at.resource, id, Step::Name(word, kept));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether a schema is a reference beside which nothing counts, as draft-07 has it.
    pub(super) fn is_only_reference(&self, id: Id) -> bool {
        self.locations.get(id as usize).is_some_and(|location| {
            self.resource(location.resource).dialect.draft == Draft::Draft7
                && location.node.member(Word::Ref.name()).is_some()
        })
    }

    /// A reference without fragment beside the URI of a resource.
    pub(super) fn resolved(&mut self, resource: u32, reference: &str) -> Result<String, Error> {
        self.steps.spend(self.resource(resource).uri.len() + reference.len())?;
        Ok(uri::resolve(&self.resource(resource).uri, reference))
    }

    pub(super) fn resource(&self, number: u32) -> &Resource {
        static NOWHERE: Resource =
            Resource { uri: String::new(), root: NONE, dialect: Dialect::of(Draft::Draft7, false) };
        self.resources.get(number as usize).unwrap_or(&NOWHERE)
    }

    /// That a keyword of a schema means nothing.
    #[cold]
    pub(super) fn fault(&self, id: Id, word: Word, message: String) -> Error {
        self.placed(Error::new(codes::INVALID_SCHEMA, message), id, Some(word))
    }

    /// The error at a keyword of a schema, or at the schema.
    #[cold]
    pub(super) fn placed(&self, error: Error, id: Id, word: Option<Word>) -> Error {
        let (document, pointer) = self.schema.pointer(id, word);
        match document {
            "" => error.at(pointer),
            uri => error.at(pointer).within(&shorten(uri)),
        }
    }
}

/// An error about a schema.
#[cold]
pub(super) fn invalid(message: &'static str) -> Error {
    Error::new(codes::INVALID_SCHEMA, message)
}
