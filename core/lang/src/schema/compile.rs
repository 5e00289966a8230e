//! Compilation of a schema: keyword families in turn, then the passes that need the whole schema.

use super::{
    compiler::{Compiler, KeywordValues},
    discriminator,
    documents::{Documents, Options},
    keyword::Keyword,
    keywords,
    meta::MetaSchemas,
    range::{NONE, SchemaId, narrow},
    reference_cycles,
    subschema_index::SubschemaIndex,
    tree::{Check, Family, Rule, Schema, SchemaNode},
};
use crate::{
    error::Error,
    json::{Kind, Node},
    order,
    steps::Steps,
};

/// The step limit for compiling all patterns of one schema.
const PATTERN_STEPS: u64 = 1 << 20;

impl Schema {
    /// Compiles a schema and every document that it refers to.
    ///
    /// The compiler reads every part of a document, even parts that no reference reaches. Unknown keywords mean nothing.
    ///
    /// # Errors
    ///
    /// [`codes::INVALID_SCHEMA`](crate::codes::INVALID_SCHEMA), with a JSON Pointer to the keyword, for:
    ///
    /// - values that a keyword does not take
    /// - invalid patterns, and patterns that need more than linear time
    /// - references to missing schemas
    /// - drafts other than the two
    /// - schemas that refer to themselves without a step into the instance
    ///
    /// [`codes::LIMIT_EXCEEDED`](crate::codes::LIMIT_EXCEEDED) when the budget runs out.
    ///
    /// If the error is in another document, the message begins with its URI. Of several errors, the first in document order is
    /// returned, with the root document before others. Errors of `$schema` come before all, because it determines the meaning of
    /// the rest. Reference cycles come last.
    ///
    /// ```
    /// use adjudicate_lang::{Steps, codes, json::{self, ReadLimits}, schema::{Documents, Options, Schema}};
    /// let schema = json::read(br#"{"items": {"minLength": -1}}"#, ReadLimits::DOCUMENT)?;
    /// let error = Schema::compile(schema.root(), &Documents::default(), Options::default(), &mut Steps::default());
    /// let error = error.unwrap_err();
    /// assert_eq!((error.code(), error.path()), (codes::INVALID_SCHEMA, "/items/minLength"));
    /// # Ok::<(), adjudicate_lang::Error>(())
    /// ```
    pub fn compile(
        root: Node<'_>,
        documents: &Documents<'_>,
        options: Options,
        steps: &mut Steps,
    ) -> Result<Self, Error> {
        let meta = MetaSchemas::default();
        let index = SubschemaIndex::new(root, documents, &meta, options, steps)?;
        let mut compiler = Compiler { index, patterns: Steps::new(PATTERN_STEPS) };
        // A reference can add schemas while the loop runs.
        let mut next = 0;
        while narrow(compiler.index.locations.len()) > next {
            while let Err(error) = compiler.schema(next) {
                // Try again without the rest of the document: an earlier error may follow.
                if !compiler.index.note(next, error)? {
                    break;
                }
            }
            next += 1;
        }
        core::mem::take(&mut compiler.index.faults).into_first()?;
        reference_cycles::resolve_static(&mut compiler.index.schema);
        // Sorted, so that `enter` finds the anchors of a resource by binary search.
        order::sort_by(&mut compiler.index.schema.anchors, |left, right| left.resource.cmp(&right.resource));
        reference_cycles::reject(&compiler.index)?;
        let mut schema = compiler.index.schema;
        reference_cycles::shorten_references(&mut schema);
        discriminator::set_all(&mut schema);
        Ok(schema)
    }
}

impl<'d> Compiler<'d, '_> {
    /// Compiles one schema.
    fn schema(&mut self, id: SchemaId) -> Result<(), Error> {
        let first = narrow(self.index.schema.rules.len());
        let Some(location) = self.index.locations.get(id as usize).copied() else { return Ok(()) };
        let resource = location.resource;
        let mut node = SchemaNode {
            types: u8::MAX,
            ends: [0; Family::COUNT],
            collects: false,
            is_simple: true,
            choice: NONE,
            first,
            resource,
        };
        if location.node.kind() == Kind::Bool(false) {
            node.types = 0;
        }
        let keywords = self.keywords(id, location.node, resource);
        node.types &= keywords::types::allowed(self, &keywords)?;
        for (end, family) in node.ends.iter_mut().zip(keywords::FAMILIES) {
            family(self, &keywords)?;
            // A schema has far fewer than 256 keywords.
            *end = (narrow(self.index.schema.rules.len()) - first) as u8;
        }
        let rules = self.index.schema.rules.get(first as usize..).unwrap_or_default();
        if let [Rule { check: Check::Choice(choice), .. }] = rules {
            node.choice = *choice;
        }
        for rule in rules {
            match rule.check {
                Check::UnevaluatedItems(_) | Check::UnevaluatedProperties(_) => node.collects = true,
                Check::Choice(_) => node.is_simple &= rules.len() == 1,
                check => node.is_simple &= !check.is_in_place(),
            }
        }
        self.index.schema.nodes.push(node);
        Ok(())
    }

    fn keywords(&self, id: SchemaId, node: Node<'d>, resource: u32) -> KeywordValues<'d> {
        let dialect = self.index.resource(resource).dialect;
        let is_only_reference = self.index.is_only_reference(id);
        let mut values = [None; Keyword::COUNT];
        let source = self.index.locations.get(id as usize).map_or(0, |location| location.source);
        for (name, value) in node.members() {
            let Some(keyword) = Keyword::find(name, dialect) else { continue };
            if !self.index.faults.leave(source, value) {
                continue;
            }
            if let Some(slot) = values.get_mut(keyword as usize)
                && (!is_only_reference || keyword == Keyword::Ref)
            {
                *slot = Some(value);
            }
        }
        KeywordValues { id, values }
    }
}
