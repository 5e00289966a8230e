//! The state of the compiler, and the parts of the compilation that keywords share.

use alloc::{format, string::String, vec::Vec};

use super::{
    dialect::Dialect,
    keyword::Keyword,
    range::{ListRange, NONE, SchemaId, narrow, range_since},
    subschema_index::SubschemaIndex,
    tree::{Check, Rule},
};
use crate::{
    codes,
    error::Error,
    json::{Kind, Node},
    order,
    steps::Steps,
};

/// One schema with the values of its keywords.
pub(super) struct KeywordValues<'d> {
    pub id: SchemaId,
    pub values: [Option<Node<'d>>; Keyword::COUNT],
}

impl<'d> KeywordValues<'d> {
    /// Returns the value of a keyword, if the schema has it and its dialect knows it.
    pub(super) fn value(&self, keyword: Keyword) -> Option<Node<'d>> {
        self.values.get(keyword as usize).copied().flatten()
    }
}

pub(super) struct Compiler<'d, 's> {
    pub index: SubschemaIndex<'d, 's>,
    pub patterns: Steps,
}

impl<'d> Compiler<'d, '_> {
    /// Returns the dialect of a schema.
    pub(super) fn dialect(&self, keywords: &KeywordValues<'d>) -> Dialect {
        let resource = self.index.locations.get(keywords.id as usize).map_or(0, |location| location.resource);
        self.index.resource(resource).dialect
    }

    pub(super) fn rule(&mut self, keyword: Keyword, check: Check) {
        self.index.schema.rules.push(Rule { keyword, check });
    }

    /// Returns the schema that is the value of a keyword.
    pub(super) fn subschema(&self, keywords: &KeywordValues<'d>, keyword: Keyword) -> SchemaId {
        keywords.value(keyword).map_or(NONE, |value| self.index.schema_at(keywords.id, value))
    }

    /// Returns the schemas of a keyword whose value is a list.
    pub(super) fn subschemas(
        &mut self,
        keywords: &KeywordValues<'d>,
        keyword: Keyword,
    ) -> Result<Option<ListRange>, Error> {
        let Some(value) = keywords.value(keyword) else { return Ok(None) };
        if value.kind() != Kind::Array || value.is_empty() {
            return Err(self.value_error(keywords, keyword, "a list of at least one schema"));
        }
        let first = self.index.schema.ids.len();
        for item in value.items() {
            let id = self.index.schema_at(keywords.id, item);
            self.index.schema.ids.push(id);
        }
        Ok(Some(range_since(&self.index.schema.ids, first)))
    }

    /// Returns the value of a keyword that takes a non-negative integer. A value beyond 32 bits becomes `u32::MAX`, more than any
    /// document has of anything.
    pub(super) fn amount(
        &self,
        keywords: &KeywordValues<'d>,
        keyword: Keyword,
    ) -> Result<Option<u32>, Error> {
        let Some(value) = keywords.value(keyword) else { return Ok(None) };
        let whole = value.as_decimal().filter(|number| number.is_whole() && !number.is_negative());
        let amount = whole.map(|number| number.whole().and_then(|whole| u32::try_from(whole).ok()));
        amount
            .map(|amount| Some(amount.unwrap_or(u32::MAX)))
            .ok_or_else(|| self.value_error(keywords, keyword, "a whole number that is not negative"))
    }

    /// Stores the names of a list of strings, which must be distinct.
    pub(super) fn names(
        &mut self,
        keywords: &KeywordValues<'d>,
        keyword: Keyword,
        list: Node<'d>,
    ) -> Result<ListRange, Error> {
        let expected = "a list of different names";
        let mut names: Vec<&str> = Vec::with_capacity(list.len());
        for item in list.items() {
            names.push(item.as_str().ok_or_else(|| self.value_error(keywords, keyword, expected))?);
        }
        if list.kind() != Kind::Array {
            return Err(self.value_error(keywords, keyword, expected));
        }
        order::sort_by(&mut names, |left, right| left.cmp(right));
        if names.windows(2).any(|pair| matches!(pair, [left, right] if left == right)) {
            return Err(self.value_error(keywords, keyword, expected));
        }
        let first = self.index.schema.texts.len();
        for name in names {
            self.index.steps.spend(name.len() + 1)?;
            let text = self.index.schema.keep(name);
            self.index.schema.texts.push(text);
        }
        Ok(range_since(&self.index.schema.texts, first))
    }

    /// Returns an error about the value of a keyword.
    #[cold]
    pub(super) fn value_error(
        &self,
        keywords: &KeywordValues<'d>,
        keyword: Keyword,
        expected: &str,
    ) -> Error {
        self.index.keyword_error(keywords.id, keyword, format!("`{}` takes {expected}", keyword.name()))
    }

    /// Compiles a pattern. An error points to the keyword, or to `member` in its value.
    pub(super) fn pattern(
        &mut self,
        keywords: &KeywordValues<'d>,
        keyword: Keyword,
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
            let error = self.index.with_path(
                Error::new(code, String::from(error.message())),
                keywords.id,
                Some(keyword),
            );
            match member {
                Some(name) => {
                    let path = crate::json::Pointer::new(error.path()).key(name).into_string();
                    error.at(path)
                }
                None => error,
            }
        })?;
        // A state takes more memory than a step takes time.
        self.index.steps.spend(usize::try_from(spent).unwrap_or(usize::MAX).saturating_mul(16))?;
        let patterns = &mut self.index.schema.patterns;
        patterns.push(compiled);
        Ok(narrow(patterns.len() - 1))
    }
}
