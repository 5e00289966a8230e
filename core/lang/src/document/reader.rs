//! The reader of documents: the code that all of them share.

use alloc::{
    collections::BTreeSet,
    format,
    string::{String, ToString},
    vec::Vec,
};

use super::Document;
use crate::{
    codes,
    error::Error,
    json::{
        Kind, Node, behind_field, closest, hint, is_close, listed,
        names::{is_extension, is_same, place, place_from},
        object::{missing as missing_field, refuse},
        shorten, unknown,
    },
    logic::Program,
    steps::Steps,
};

/// The most errors that are reported of one document.
pub const MOST_ERRORS: usize = 10;

/// The fields of a struct.
#[derive(Debug)]
pub struct Fields {
    /// The expected value in the error for a value that is not an object.
    pub expecting: &'static str,
    /// The names, in the order of declaration.
    pub names: &'static [&'static str],
    /// One bit for each required field, the lowest for the first field.
    pub required: u64,
    /// The treatment of other fields. Those whose names begin with `x-` are ignored, except in [`Others::Closed`].
    pub others: Others,
}

/// The treatment of fields that are not declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Others {
    /// They are errors.
    Refused,
    /// They are errors, also if their names begin with `x-`.
    Closed,
    /// They are errors, except `$schema`, which is for editors (docs/reference/errors.md).
    Root,
    /// They are ignored, unless their names are close to a declared one.
    Open,
    /// They are ignored.
    Carried,
}

impl Fields {
    fn ignores(&self, name: &str) -> bool {
        match self.others {
            Others::Refused | Others::Closed => false,
            Others::Root => name == "$schema",
            Others::Open => !is_close(name, self.names),
            Others::Carried => true,
        }
    }
}

/// The errors of a document that is being read, the index of the item that is being read, and the steps for the patterns in its
/// expressions.
#[derive(Debug)]
pub struct Reader {
    errors: Vec<Error>,
    index: usize,
    patterns: Steps,
}

impl Default for Reader {
    fn default() -> Self {
        Self { errors: Vec::new(), index: 0, patterns: Steps::for_patterns() }
    }
}

impl Reader {
    /// Notes an error whose path begins at the value that is being read.
    #[cold]
    #[inline(never)]
    pub fn note(&mut self, error: Error) {
        if !self.is_full() {
            self.errors.push(error);
        }
    }

    /// Notes an error for a value of another type or form than expected.
    #[cold]
    #[inline(never)]
    pub fn refuse(&mut self, found: Node<'_>, expected: &str) {
        self.note(refuse(found, expected));
    }

    /// Compiles a condition. All conditions of a document share one budget for patterns.
    pub(super) fn condition(&mut self, expression: Node<'_>) -> Option<Program> {
        let form = r#"a condition is a JSONLogic object such as `{">=": [{"var": "score"}, 0.8]}`"#;
        Program::condition(expression, form, &mut self.patterns).map_err(|error| self.note(error)).ok()
    }

    /// Returns the value, unless an error was noted.
    ///
    /// # Errors
    ///
    /// The first error in document order, with up to nine others.
    pub fn end<T>(self, value: Option<T>) -> Result<T, Error> {
        match value {
            Some(value) if self.errors.is_empty() => Ok(value),
            _ => Err(self.error()),
        }
    }

    /// Returns the first error, with the others.
    #[cold]
    #[inline(never)]
    fn error(self) -> Error {
        let mut errors = self.errors.into_iter();
        match errors.next() {
            Some(first) => first.with_others(errors.collect()),
            // Every implementation of `Document` notes an error before it returns `None`.
            None => Error::new(codes::INVALID_VALUE, "expected another value"),
        }
    }

    fn is_full(&self) -> bool {
        self.errors.len() >= MOST_ERRORS
    }

    /// Reads a part of a value. The paths of its errors begin with `segment`.
    #[inline]
    fn part(&mut self, segment: impl FnOnce() -> String, read: impl FnOnce(&mut Self)) {
        let count = self.errors.len();
        read(self);
        if self.errors.len() > count {
            self.prefix(count, &segment());
        }
    }

    /// Prefixes the paths of the errors behind the first `count`.
    #[cold]
    #[inline(never)]
    fn prefix(&mut self, count: usize, segment: &str) {
        let kept = self.errors.split_off(count);
        self.errors.extend(kept.into_iter().map(|error| error.under(segment)));
    }

    /// Calls `take` with each declared field of an object, in document order, and its index among `fields.names`. Returns true if
    /// no error was noted.
    #[inline(never)]
    pub fn fields<'t>(
        &mut self,
        object: Node<'t>,
        fields: &'static Fields,
        take: &mut dyn FnMut(usize, Node<'t>, &mut Self),
    ) -> bool {
        if object.kind() != Kind::Object {
            self.refuse(object, fields.expecting);
            return false;
        }
        let before = self.errors.len();
        let mut missing = fields.required;
        // Most documents have their fields in the declared order, so the next one comes first.
        let mut next = 0;
        for (name, value) in object.pairs() {
            if self.is_full() {
                return false;
            }
            let bytes = name.name_bytes();
            let at = match fields.names.get(next) {
                Some(field) if is_same(field.as_bytes(), bytes) => next,
                _ if is_extension(bytes) && fields.others != Others::Closed => continue,
                _ => match place_from(fields.names, next, bytes) {
                    Some(at) => at,
                    None if fields.ignores(name.name()) => continue,
                    None => {
                        missing &= !self.note_unknown(name.name(), fields);
                        continue;
                    }
                },
            };
            next = at + 1;
            missing &= !(1 << at);
            self.part(|| name.name().to_string(), |reader| take(at, value, reader));
        }
        if missing != 0 {
            self.note_missing(missing, fields);
        }
        self.errors.len() == before
    }

    /// Notes an unknown field. Returns the bit of the field that it is probably a misspelling of, because the same mistake must
    /// not also be reported as a missing field.
    #[cold]
    #[inline(never)]
    fn note_unknown(&mut self, name: &str, fields: &Fields) -> u64 {
        let error = Error::new(codes::UNKNOWN_FIELD, unknown("field", name, fields.names));
        self.note(error.under(name));
        closest(name, fields.names)
            .and_then(|meant| place(fields.names, meant.as_bytes()))
            .map_or(0, |at| 1 << at)
    }

    /// Notes each missing field, in the declared order.
    #[cold]
    #[inline(never)]
    fn note_missing(&mut self, missing: u64, fields: &Fields) {
        for (at, name) in fields.names.iter().enumerate() {
            if missing & (1 << at) != 0 {
                self.note(missing_field(name));
            }
        }
    }

    /// Returns the index of the item that is being read, in the innermost list.
    #[must_use]
    pub const fn index(&self) -> usize {
        self.index
    }

    /// Calls `take` with each item of a list. Returns false if the value is not a list.
    pub fn items<'t>(&mut self, list: Node<'t>, take: &mut dyn FnMut(Node<'t>, &mut Self)) -> bool {
        if list.kind() != Kind::Array {
            self.refuse(list, "a list");
            return false;
        }
        let outer = self.index;
        for (index, item) in list.items().enumerate() {
            if self.is_full() {
                break;
            }
            self.index = index;
            self.part(|| index.to_string(), |reader| take(item, reader));
        }
        self.index = outer;
        true
    }

    /// Calls `take` with each item of a list, as [`items`](Self::items) does. It is an error if two items have the same string in
    /// the field `key`.
    pub(super) fn distinct<'t>(
        &mut self,
        list: Node<'t>,
        key: &'static str,
        take: &mut dyn FnMut(Node<'t>, &mut Self),
    ) -> bool {
        let mut keys: BTreeSet<&str> = BTreeSet::new();
        self.items(list, &mut |item, reader| {
            let before = reader.errors.len();
            take(item, reader);
            // An empty string is an error already, or the same as none.
            let text = item.member(key).and_then(Node::as_str).filter(|text| !text.is_empty());
            if let Some(text) = text.filter(|text| !keys.insert(text)) {
                reader.note_repeated(item, key, text, before);
            }
        })
    }

    /// Notes a repeated string in the field `key` of `item`, among the errors of the item, which are those behind the first
    /// `before`.
    #[cold]
    #[inline(never)]
    fn note_repeated(&mut self, item: Node<'_>, key: &'static str, text: &str, before: usize) {
        let earlier = item.members().map(|(name, _)| name).take_while(|name| *name != key);
        let earlier: Vec<_> = earlier.collect();
        let is_earlier =
            |error: &&Error| earlier.iter().any(|name| behind_field(error.path(), name).is_some());
        let own = self.errors.iter().skip(before).take_while(is_earlier).count();
        let message = format!("`{}` is a duplicate", shorten(text));
        self.errors.insert(before + own, Error::new(codes::INVALID_VALUE, message).under(key));
        self.errors.truncate(MOST_ERRORS);
    }

    /// Calls `take` with each field of an object in which every name is data. Returns false if the value is not an object.
    pub fn members<'t>(
        &mut self,
        object: Node<'t>,
        take: &mut dyn FnMut(&'t str, Node<'t>, &mut Self),
    ) -> bool {
        if object.kind() != Kind::Object {
            self.refuse(object, "an object");
            return false;
        }
        for (name, value) in object.members() {
            if self.is_full() {
                break;
            }
            self.part(|| name.to_string(), |reader| take(name, value, reader));
        }
        true
    }

    /// Reads the tag of an object: the word in its field `name`. Returns the index of the word in `words`.
    ///
    /// Returns `None` after an error: `object` is no object (the message expects `expecting`), the field is missing, or it has no word
    /// of `words`.
    pub fn tag(
        &mut self,
        object: Node<'_>,
        name: &'static str,
        expecting: &'static str,
        words: &'static [&'static str],
    ) -> Option<usize> {
        if object.kind() != Kind::Object {
            self.refuse(object, expecting);
            return None;
        }
        let Some(tag) = object.member(name) else {
            self.note(missing_field(name));
            return None;
        };
        let mut found = None;
        self.part(|| name.to_string(), |reader| found = reader.word(tag, words));
        found
    }

    /// Reads a string that stands for another value. An error of `parse` becomes [`codes::INVALID_VALUE`] at the string.
    pub fn parsed<'t, T>(
        &mut self,
        node: Node<'t>,
        parse: impl FnOnce(&'t str) -> Result<T, Error>,
    ) -> Option<T> {
        let parsed = parse(<&str>::read(node, self)?);
        parsed.map_err(|error| self.note(Error::new(codes::INVALID_VALUE, error.message().to_string()))).ok()
    }

    /// Returns the index of a value among `words`.
    #[inline(never)]
    pub fn word(&mut self, node: Node<'_>, words: &'static [&'static str]) -> Option<usize> {
        let Some(text) = node.as_str() else {
            self.refuse(node, &format!("one of {}", listed(words)));
            return None;
        };
        let found = place(words, text.as_bytes());
        if found.is_none() {
            let hint = hint(text, words);
            let message = format!("`{}` is not one of {}{hint}", shorten(text), listed(words));
            self.note(Error::new(codes::INVALID_VALUE, message));
        }
        found
    }
}
