//! The types that documents are made of, and how documents use them.

use std::collections::BTreeMap;

use adjudicate_core::document::{Content, Definition, Type};

use super::{CARRYING, SENT_BACK, is_declared};

/// The use of a type.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Usage {
    /// True if an input has it.
    pub is_input: bool,
    /// True if it may have fields whose names begin with `x-`.
    pub is_extensible: bool,
}

impl Usage {
    pub(super) const INPUT: Self = Self { is_input: true, is_extensible: true };
    pub(super) const ANSWER: Self = Self { is_input: false, is_extensible: false };

    fn or(self, other: Self) -> Self {
        Self {
            is_input: self.is_input || other.is_input,
            is_extensible: self.is_extensible || other.is_extensible,
        }
    }
}

/// The types, by name.
#[derive(Default)]
pub(super) struct Types(BTreeMap<&'static str, (&'static Definition, Usage)>);

impl Types {
    /// Adds a type, and all types that it is made of.
    pub(super) fn add(&mut self, kind: &Type, usage: Usage) {
        match kind {
            Type::Named(definition) => self.define(definition, usage),
            Type::List(item) | Type::Map(item) | Type::Nullable(item) => self.add(item, usage),
            Type::Either(kinds) => kinds.iter().for_each(|kind| self.add(kind, usage)),
            Type::Any
            | Type::Bool
            | Type::Integer { .. }
            | Type::Number { .. }
            | Type::Text { .. }
            | Type::Object => {}
        }
    }

    fn define(&mut self, definition: &'static Definition, usage: Usage) {
        if is_declared(definition.name) {
            return;
        }
        let usage =
            Usage { is_extensible: usage.is_extensible && !SENT_BACK.contains(&definition.name), ..usage };
        let own =
            Usage { is_extensible: usage.is_extensible || CARRYING.contains(&definition.name), ..usage };
        let known = self.0.get(definition.name).copied();
        let all = known.map_or(own, |(_, known)| known.or(own));
        if let Some((other, known)) = known {
            assert_eq!(other.source, definition.source, "two types have the name `{}`", definition.name);
            if known == all {
                return;
            }
        }
        self.0.insert(definition.name, (definition, all));
        match definition.content {
            Content::Type(describe) => self.add(&describe(), usage),
            Content::Schema { refers, .. } => {
                refers.iter().for_each(|definition| self.define(definition, usage))
            }
            Content::Words(_) | Content::Object { .. } | Content::Tagged { .. } => {
                definition.fields().for_each(|field| self.add(&(field.describe)(), usage));
            }
        }
    }

    /// Returns the types in the order of their names.
    pub(super) fn all(&self) -> impl Iterator<Item = (&'static Definition, Usage)> {
        self.0.values().copied()
    }
}
