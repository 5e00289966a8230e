//! Recording of violations, with their paths. Validation with a yes-or-no answer does none of this.

use alloc::{format, string::String};

use super::{
    keyword::Keyword,
    keywords,
    range::SchemaId,
    tree::{Rule, Schema, SchemaNode},
    validate::{PathSegment, Validator},
    value_types,
    violation::Violation,
};
use crate::{codes, error::Error, json::Pointer};

/// The most violations of one instance: all of them must fit into the memory of a module.
const MOST: usize = 10_000;

/// The steps to record a violation, and for each byte of its texts.
const ENTRY: usize = 1_024;
const BYTE: usize = 16;

impl Validator<'_, '_, '_> {
    /// Records that a rule fails that depends only on the value.
    #[cold]
    #[inline(never)]
    pub(super) fn rule_violation(&mut self, id: SchemaId, rule: &Rule) -> bool {
        self.violation(id, rule.keyword, |schema| keywords::expected(schema, rule.check))
    }

    /// Records that a value has none of the allowed types.
    #[cold]
    #[inline(never)]
    pub(super) fn type_violation(&mut self, id: SchemaId, node: &SchemaNode) {
        let types = node.types;
        if types != 0 {
            self.violation(id, Keyword::Type, |_| value_types::names(types));
        } else if self.collects {
            let name = self.schema.keyword_above(id);
            let expected = match name {
                "additionalProperties" | "unevaluatedProperties" => "no field of this name",
                _ => "nothing: the schema is `false`",
            };
            self.note(id, None, name, expected.into());
        }
    }

    /// Records that a keyword fails. Always returns `false`, the result of the keyword.
    #[cold]
    #[inline(never)]
    pub(super) fn violation(
        &mut self,
        id: SchemaId,
        keyword: Keyword,
        expected: impl FnOnce(&Schema) -> String,
    ) -> bool {
        if self.collects {
            let expected = expected(self.schema);
            self.note(id, Some(keyword), keyword.name(), expected);
        }
        false
    }

    #[inline(never)]
    fn note(&mut self, id: SchemaId, keyword: Option<Keyword>, name: &'static str, expected: String) {
        let mut instance_path = Pointer::new("");
        for segment in &self.path {
            instance_path = match segment {
                PathSegment::Field(name) => instance_path.key(name.name()),
                PathSegment::Item(index) => instance_path.index(*index),
            };
        }
        let instance_path = instance_path.into_string();
        let schema_path = match self.schema.pointer(id, keyword) {
            ("", pointer) => pointer,
            (document, pointer) => format!("{document}#{pointer}"),
        };
        let length = instance_path.len() + schema_path.len() + expected.len();
        let violation = Violation { instance_path, schema_path, keyword: name, expected };
        self.memo.count_violation();
        // Branching references reach the same place repeatedly.
        if self.spend(ENTRY + BYTE * length) && self.found.last() != Some(&violation) {
            self.found.push(violation);
            if self.found.len() > MOST {
                let message = format!("more than {MOST} violations");
                self.fail(Error::new(codes::LIMIT_EXCEEDED, message));
            }
        }
    }
}
