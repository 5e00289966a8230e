//! From a document to the compiled form: keyword families in turn, then what only the whole can tell.

use alloc::{format, string::String, vec::Vec};

use super::{
    dialect::Dialect,
    documents::{Documents, Options},
    guard, keywords,
    locate::Locator,
    loops,
    meta::MetaSchemas,
    tree::{Check, Family, Id, NONE, Node as Compiled, Rule, Run, Schema, narrow, run_since},
    word::Word,
};
use crate::{
    codes,
    error::Error,
    json::{Kind, Node},
    order,
    steps::Steps,
};

/// How many texts, patterns and schemas one compiled schema may have room for in all its patterns.
const PATTERN_STEPS: u64 = 1 << 20;

/// One schema and its keywords.
pub(super) struct Site<'d> {
    pub id: Id,
    words: [Option<Node<'d>>; Word::COUNT],
}

impl<'d> Site<'d> {
    /// The value of a keyword, if the schema has it and its dialect knows it.
    pub(super) fn value(&self, word: Word) -> Option<Node<'d>> {
        self.words.get(word as usize).copied().flatten()
    }
}

/// What compiles.
pub(super) struct Compiler<'d, 's> {
    pub locator: Locator<'d, 's>,
    pub patterns: Steps,
}

impl Schema {
    /// Compiles a schema and all that it refers to.
    ///
    /// Every part of a document is compiled, whether or not anything leads to it. Unknown keywords mean nothing.
    ///
    /// # Errors
    ///
    /// [`codes::INVALID_SCHEMA`], with a JSON Pointer to the keyword, for values that a keyword does not take, patterns
    /// that are none or need more than linear time, references to what is not there, drafts other than the two, and
    /// schemas that lead back to themselves without a step into the instance. [`codes::LIMIT_EXCEEDED`] when the
    /// budget runs out. Where another document is at fault, the message begins with its URI. Of several errors it is the
    /// first in document order, the schema's own document before others; `$schema` comes before all, for it says what the
    /// rest means, and what leads back to itself comes last.
    ///
    /// ```
    /// use adjudicate_lang::{Steps, codes, json::{self, Limits}, schema::{Documents, Options, Schema}};
    /// let schema = json::read(br#"{"items": {"minLength": -1}}"#, Limits::DOCUMENT)?;
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
        let locator = Locator::new(root, documents, &meta, options, steps)?;
        let mut compiler = Compiler { locator, patterns: Steps::new(PATTERN_STEPS) };
        // References may bring more schemas.
        let mut next = 0;
        while narrow(compiler.locator.locations.len()) > next {
            while let Err(error) = compiler.schema(next) {
                // It may be that something comes before what was found.
                if !compiler.locator.note(next, error)? {
                    break;
                }
            }
            next += 1;
        }
        core::mem::take(&mut compiler.locator.faults).into_first()?;
        loops::settle(&mut compiler.locator.schema);
        // So that those of a resource are found.
        order::sort_by(&mut compiler.locator.schema.anchors, |left, right| {
            left.resource.cmp(&right.resource)
        });
        loops::refuse(&compiler.locator)?;
        let mut schema = compiler.locator.schema;
        loops::shorten(&mut schema);
        guard::add(&mut schema);
        Ok(schema)
    }
}

impl<'d> Compiler<'d, '_> {
    /// Compiles one schema.
    fn schema(&mut self, id: Id) -> Result<(), Error> {
        let first = narrow(self.locator.schema.rules.len());
        let Some(location) = self.locator.locations.get(id as usize).copied() else { return Ok(()) };
        let resource = location.resource;
        let mut node = Compiled {
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
        let site = self.site(id, location.node, resource);
        node.types &= keywords::types::allowed(self, &site)?;
        for (end, family) in node.ends.iter_mut().zip(keywords::FAMILIES) {
            family(self, &site)?;
            // There are far fewer keywords.
            *end = (narrow(self.locator.schema.rules.len()) - first) as u8;
        }
        let rules = self.locator.schema.rules.get(first as usize..).unwrap_or_default();
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
        self.locator.schema.nodes.push(node);
        Ok(())
    }

    fn site(&self, id: Id, node: Node<'d>, resource: u32) -> Site<'d> {
        let dialect = self.locator.resource(resource).dialect;
        let is_only_reference = self.locator.is_only_reference(id);
        let mut words = [None; Word::COUNT];
        let source = self.locator.locations.get(id as usize).map_or(0, |location| location.source);
        for (name, value) in node.members() {
            let Some(word) = Word::find(name, dialect) else { continue };
            if !self.locator.faults.leave(source, value) {
                continue;
            }
            if let Some(slot) = words.get_mut(word as usize)
                && (!is_only_reference || word == Word::Ref)
            {
                *slot = Some(value);
            }
        }
        Site { id, words }
    }

    /// The dialect that a schema is read in.
    pub(super) fn dialect(&self, site: &Site<'d>) -> Dialect {
        let resource = self.locator.locations.get(site.id as usize).map_or(0, |location| location.resource);
        self.locator.resource(resource).dialect
    }

    pub(super) fn rule(&mut self, word: Word, check: Check) {
        self.locator.schema.rules.push(Rule { word, check });
    }

    /// The schema that a keyword's value is.
    pub(super) fn subschema(&self, site: &Site<'d>, word: Word) -> Id {
        site.value(word).map_or(NONE, |value| self.locator.schema_at(site.id, value))
    }

    /// The schemas of the list that a keyword's value is.
    pub(super) fn subschemas(&mut self, site: &Site<'d>, word: Word) -> Result<Option<Run>, Error> {
        let Some(value) = site.value(word) else { return Ok(None) };
        if value.kind() != Kind::Array || value.is_empty() {
            return Err(self.wrong(site, word, "a list of at least one schema"));
        }
        let first = self.locator.schema.ids.len();
        for item in value.items() {
            let id = self.locator.schema_at(site.id, item);
            self.locator.schema.ids.push(id);
        }
        Ok(Some(run_since(&self.locator.schema.ids, first)))
    }

    /// The number that is a keyword's value, where it is an amount: whole, and not negative. One that is very large is
    /// the largest, which no document has anything of.
    pub(super) fn amount(&self, site: &Site<'d>, word: Word) -> Result<Option<u32>, Error> {
        let Some(value) = site.value(word) else { return Ok(None) };
        let whole = value.as_decimal().filter(|number| number.is_whole() && !number.is_negative());
        let amount = whole.map(|number| number.whole().and_then(|whole| u32::try_from(whole).ok()));
        amount
            .map(|amount| Some(amount.unwrap_or(u32::MAX)))
            .ok_or_else(|| self.wrong(site, word, "a whole number that is not negative"))
    }

    /// The names that a list of strings has, kept; they are all different.
    pub(super) fn names(&mut self, site: &Site<'d>, word: Word, list: Node<'d>) -> Result<Run, Error> {
        let expected = "a list of different names";
        let mut names: Vec<&str> = Vec::with_capacity(list.len());
        for item in list.items() {
            names.push(item.as_str().ok_or_else(|| self.wrong(site, word, expected))?);
        }
        if list.kind() != Kind::Array {
            return Err(self.wrong(site, word, expected));
        }
        order::sort_by(&mut names, |left, right| left.cmp(right));
        if names.windows(2).any(|pair| matches!(pair, [left, right] if left == right)) {
            return Err(self.wrong(site, word, expected));
        }
        let first = self.locator.schema.texts.len();
        for name in names {
            self.locator.steps.spend(name.len() + 1)?;
            let text = self.locator.schema.keep(name);
            self.locator.schema.texts.push(text);
        }
        Ok(run_since(&self.locator.schema.texts, first))
    }

    /// That a keyword does not take the value that it has.
    #[cold]
    pub(super) fn wrong(&self, site: &Site<'d>, word: Word, expected: &str) -> Error {
        self.locator.fault(site.id, word, format!("`{}` takes {expected}", word.name()))
    }

    /// A pattern, compiled: the keyword of the schema is at fault, or the member of that name in its value.
    pub(super) fn pattern(
        &mut self,
        site: &Site<'d>,
        word: Word,
        text: &str,
        member: Option<&str>,
    ) -> Result<u32, Error> {
        let before = self.patterns.left();
        let compiled = crate::pattern::Regex::compile(text, &mut self.patterns);
        let spent = before - self.patterns.left();
        let compiled = compiled.map_err(|error| {
            let code = match error.code() {
                codes::INVALID_VALUE => codes::INVALID_SCHEMA,
                code => code,
            };
            let error =
                self.locator.placed(Error::new(code, String::from(error.message())), site.id, Some(word));
            match member {
                Some(name) => {
                    let path = crate::json::Pointer::new(error.path()).key(name).into_string();
                    error.at(path)
                }
                None => error,
            }
        })?;
        // A state takes more room than a step takes time.
        self.locator.steps.spend(usize::try_from(spent).unwrap_or(usize::MAX).saturating_mul(16))?;
        let patterns = &mut self.locator.schema.patterns;
        patterns.push(compiled);
        Ok(narrow(patterns.len() - 1))
    }
}
