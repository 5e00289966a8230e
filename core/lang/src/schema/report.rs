//! Noting what does not hold, and where. None of it happens when the answer is yes or no.

use alloc::{format, string::String};

use super::{
    keywords,
    run::{Run, Segment},
    tree::{Id, Node as Compiled, Rule, Schema},
    violation::Violation,
    word::Word,
};
use crate::{codes, error::Error, json::Pointer};

/// How many violations one instance may have: all of them have to fit into the memory of a module, and nobody reads more.
const MOST: usize = 10_000;

/// What it costs to note a violation, and each byte that it says.
const ENTRY: usize = 1_024;
const BYTE: usize = 16;

impl Run<'_, '_, '_> {
    /// Notes that a rule does not hold that looks at nothing but the value.
    #[cold]
    #[inline(never)]
    pub(super) fn unmet(&mut self, id: Id, rule: &Rule) -> bool {
        self.wrong(id, rule.word, |schema| keywords::expected(schema, rule.check))
    }

    /// That a value has none of the types that a schema allows.
    #[cold]
    #[inline(never)]
    pub(super) fn wrong_type(&mut self, id: Id, node: &Compiled) {
        let types = node.types;
        if types != 0 {
            self.wrong(id, Word::Type, |_| keywords::types::names(types));
        } else if self.collects {
            let keyword = self.schema.keyword_above(id);
            self.note(id, None, keyword, "nothing: the schema is `false`".into());
        }
    }

    /// Notes that a keyword does not hold; always false, as the keyword is.
    #[cold]
    #[inline(never)]
    pub(super) fn wrong(&mut self, id: Id, word: Word, expected: impl FnOnce(&Schema) -> String) -> bool {
        if self.collects {
            let expected = expected(self.schema);
            self.note(id, Some(word), word.name(), expected);
        }
        false
    }

    #[inline(never)]
    fn note(&mut self, id: Id, word: Option<Word>, keyword: &'static str, expected: String) {
        let mut instance_path = Pointer::new("");
        for segment in &self.path {
            instance_path = match segment {
                Segment::Member(name) => instance_path.key(name.name()),
                Segment::Item(index) => instance_path.index(*index),
            };
        }
        let instance_path = instance_path.into_string();
        let schema_path = match self.schema.pointer(id, word) {
            ("", pointer) => pointer,
            (document, pointer) => format!("{document}#{pointer}"),
        };
        let length = instance_path.len() + schema_path.len() + expected.len();
        let violation = Violation { instance_path, schema_path, keyword, expected };
        self.recall.note();
        // References that branch lead to the same place again and again.
        if self.spend(ENTRY + BYTE * length) && self.found.last() != Some(&violation) {
            self.found.push(violation);
            if self.found.len() > MOST {
                let message = format!("more than {MOST} violations");
                self.fail(Error::new(codes::LIMIT_EXCEEDED, message));
            }
        }
    }
}
