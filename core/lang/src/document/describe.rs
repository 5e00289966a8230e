//! The trait of types that describe themselves, and the descriptions of values.

use alloc::{borrow::Cow, borrow::ToOwned, boxed::Box, collections::BTreeMap, string::String, vec::Vec};

use serde::de::IgnoredAny;

use super::{
    AtLeast, Condition, Distinct, FormatVersion, Id, IfObject, Magnitude, Notes, Object, OwnedId,
    SchemaDocument,
    definition::{Content, Definition, Type, Word},
};
use crate::{
    decimal::Decimal,
    json::{Node, Nullable, OwnedValue},
    logic::{Operator, Types, Value},
    order::SortedMap,
    paths::{PathCase, Pattern},
};

/// A type that describes itself, for generators. The engine never asks.
pub trait Describe {
    /// Returns the description.
    fn describe() -> Type;

    /// Returns a value as JSON, if it can be the default of a field.
    #[inline]
    fn literal(&self) -> Option<OwnedValue> {
        None
    }
}

/// Declares descriptions of values, in code that only their users compile: generics, type, description, and the value of a
/// default.
#[doc(hidden)]
#[macro_export]
macro_rules! __describe {
    ($([$($generics:tt)*] $name:ty => $description:expr $(, |$value:ident| $literal:expr)?;)+) => { $(
        impl<$($generics)*> $crate::document::Describe for $name {
            #[inline]
            fn describe() -> $crate::document::Type {
                $description
            }

            $(#[inline]
            fn literal(&self) -> Option<$crate::json::OwnedValue> {
                let $value = self;
                $literal
            })?
        }
    )+ };
}

/// Returns the integers of a type.
macro_rules! integer {
    ($type:ty) => {
        Type::Integer { minimum: Some(<$type>::MIN as i128), maximum: Some(<$type>::MAX as i128) }
    };
}

__describe! {
    [] bool => Type::Bool, |value| Some(OwnedValue::Bool(*value));
    [] u64 => integer!(u64), |value| Some(OwnedValue::count(*value));
    [] u32 => integer!(u32), |value| Some(OwnedValue::count((*value).into()));
    [] u8 => integer!(u8), |value| Some(OwnedValue::count((*value).into()));
    [] u16 => integer!(u16), |value| Some(OwnedValue::count((*value).into()));
    // As on the targets with the most memory: an answer says how many, and not on which machine.
    [] usize => integer!(u64), |value| Some(OwnedValue::count(*value as u64));
    [] i64 => integer!(i64);
    [] str => Type::TEXT, |value| Some(OwnedValue::text(value));
    [] String => Type::TEXT, |value| Some(OwnedValue::text(value));
    [] Decimal => Type::Number { minimum: None, maximum: None };
    [] Magnitude => Type::Number { minimum: Some(0), maximum: None };
    [] Id<'_> => Type::Text { min_length: 1, pattern: "" };
    [] OwnedId => Id::describe();
    [] Pattern<'_> => Type::Named(&PATTERN);
    [] PathCase => Type::Named(&PATH_CASE), |value| Some(OwnedValue::text(value.as_str()));
    [] IgnoredAny => Type::Any;
    [] OwnedValue => Type::Any;
    [] Node<'_> => Type::Any;
    [] Value<'_> => Type::Any;
    [] Object<'_> => Type::Object;
    [] SchemaDocument<'_> => Type::Named(&JSON_SCHEMA);
    [] Condition<'_> => Type::Named(&CONDITION);
    [] Notes<'_> => Type::Either(Vec::from([Type::TEXT, Type::List(Box::new(Type::TEXT))]));
    [const MIN: u64] AtLeast<MIN> => Type::Integer { minimum: Some(MIN as i128), maximum: Some(u64::MAX as i128) };
    [const NUMBER: u64] FormatVersion<NUMBER> => Type::Integer { minimum: Some(NUMBER as i128), maximum: Some(NUMBER as i128) };
    [T: Describe] IfObject<T> => Type::Either(Vec::from([
        T::describe(), Type::TEXT, Decimal::describe(), Type::Bool, Type::List(Box::new(Type::Any)),
    ]));
    [T: Describe + ?Sized] &T => T::describe(), |value| T::literal(value);
    [T: Describe] Box<T> => T::describe(), |value| T::literal(value);
    [T: Describe + ToOwned + ?Sized] Cow<'_, T> => T::describe(), |value| T::literal(value);
    [T: Describe] Option<T> => T::describe(), |value| value.as_ref().and_then(T::literal);
    [T: Describe] Nullable<T> => T::describe().nullable(), |value| value.as_ref().and_then(T::literal);
    [T: Describe] [T] => Type::List(Box::new(T::describe())),
        |value| value.iter().map(T::literal).collect::<Option<Vec<_>>>().map(OwnedValue::List);
    [T: Describe] Vec<T> => <[T]>::describe(), |value| value.as_slice().literal();
    [T: Describe] Distinct<T> => <[T]>::describe(), |value| value.0.as_slice().literal();
    [K: Ord, T: Describe] SortedMap<K, T> => Type::Map(Box::new(T::describe())),
        |value| value.is_empty().then(|| OwnedValue::object([]));
    [K, T: Describe] BTreeMap<K, T> => Type::Map(Box::new(T::describe())),
        |value| value.is_empty().then(|| OwnedValue::object([]));
}

static PATTERN: Definition = Definition {
    name: "Pattern",
    source: "adjudicate_lang::paths::Pattern",
    about: "A path or a glob, for example `src/**/*.rs`. `*` and `?` match within a segment, `**` matches any number of segments, and \
            `{a,b}` lists alternatives. An entry that ends in `/` matches everything in the directory. Braces must pair.",
    // One segment is neither empty nor `.` nor `..`.
    content: Content::Type(|| Type::Text { min_length: 0, pattern: "(^|/)([^/.]|\\.[^/.]|\\.\\.[^/])" }),
    keywords: "",
};

static PATH_CASE: Definition = Definition {
    name: "PathCase",
    source: "adjudicate_lang::paths::PathCase",
    about: "The comparison of letters in a list of paths.",
    content: Content::Words(&[
        Word { name: "sensitive", about: "`A` and `a` differ." },
        Word {
            name: "ascii_insensitive",
            about: "`A` and `a` are the same, and so on to `Z`; letters beyond ASCII differ.",
        },
    ]),
    keywords: "",
};

static JSON_SCHEMA: Definition = Definition {
    name: "JsonSchema",
    source: "adjudicate_lang::document::SchemaDocument",
    about: "A JSON Schema of draft-07 or 2020-12.",
    content: Content::Type(|| Type::Either(Vec::from([Type::Object, Type::Bool]))),
    keywords: "",
};

static CONDITION: Definition = Definition {
    name: "Condition",
    source: "adjudicate_lang::logic::Condition",
    about: "A condition in JSONLogic: an object whose only field is an operator, or true or false. For example \
            `{\">\": [{\"var\": \"facts.diff.count\"}, 40]}`.",
    content: Content::Schema { write: condition, refers: &[&EXPRESSION] },
    keywords: "",
};

static EXPRESSION: Definition = Definition {
    name: "Expression",
    source: "adjudicate_lang::logic::Expression",
    about: "An expression in strict JSONLogic: an operation, a list of expressions, or a constant.",
    content: Content::Schema { write: expression, refers: &[] },
    keywords: "",
};

/// Returns the JSON Schema of conditions: expressions whose operator may give a boolean.
fn condition() -> OwnedValue {
    let others =
        Operator::ALL.iter().map(|operator| operator.signature()).filter(|row| !row.gives.meets(Types::BOOL));
    let others = OwnedValue::object([("enum", OwnedValue::texts(others.map(|row| row.name)))]);
    OwnedValue::object([
        ("$ref", OwnedValue::text("#/$defs/Expression")),
        ("type", OwnedValue::texts(["object", "boolean"])),
        ("propertyNames", OwnedValue::object([("not", others)])),
    ])
}

/// Returns the JSON Schema of expressions. It knows the operators and how many operands each takes, and no types.
fn expression() -> OwnedValue {
    let itself = || OwnedValue::text("#/$defs/Expression");
    let operators = || Operator::ALL.iter().map(|operator| (operator.signature(), operator.meaning()));
    let properties = operators().map(|(row, meaning)| {
        let mut operands =
            Vec::from([("description".into(), OwnedValue::text(meaning)), ("$ref".into(), itself())]);
        if row.least > 1 {
            operands.push(("type".into(), OwnedValue::text("array")));
        }
        operands.push(("minItems".into(), OwnedValue::count(row.least as u64)));
        operands.extend(row.most.map(|most| ("maxItems".into(), OwnedValue::count(most as u64))));
        (row.name.into(), OwnedValue::Object(operands))
    });
    let one = operators().map(|(row, _)| OwnedValue::object([("required", OwnedValue::texts([row.name]))]));
    OwnedValue::object([
        ("properties", OwnedValue::Object(properties.collect())),
        ("patternProperties", OwnedValue::object([("^x-", OwnedValue::Bool(true))])),
        ("additionalProperties", OwnedValue::Bool(false)),
        ("items", OwnedValue::object([("$ref", itself())])),
        ("if", OwnedValue::object([("type", OwnedValue::text("object"))])),
        ("then", OwnedValue::object([("oneOf", OwnedValue::List(one.collect()))])),
    ])
}
