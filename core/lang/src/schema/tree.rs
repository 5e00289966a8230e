//! The compiled form: all schemas of a document and of the documents that it refers to, in flat lists.
//!
//! A schema is a number, and its keywords are a range of [`Rule`]s: first the rules for any value, then those for numbers, strings,
//! arrays and objects. So a value meets only the rules that apply to its type.

use alloc::{boxed::Box, string::String, vec::Vec};
use core::fmt;

use super::{
    format::Format,
    keyword::Keyword,
    lists::{ByPattern, Choice, Dependent, Discriminator, DynamicAnchor, Limit, ObjectRules, Property},
    range::{ListRange, SchemaId, Text, narrow},
};
use crate::pattern::Regex;

/// A compiled schema.
///
/// ```
/// use adjudicate_lang::{Steps, json::{self, ReadLimits}, schema::{Documents, Options, Schema}};
/// let schema = json::read(br#"{"properties": {"age": {"minimum": 0}}, "required": ["name"]}"#, ReadLimits::DOCUMENT)?;
/// let steps = &mut Steps::default();
/// let schema = Schema::compile(schema.root(), &Documents::default(), Options::default(), steps)?;
///
/// let person = json::read(br#"{"name": "Ada", "age": 36}"#, ReadLimits::DOCUMENT)?;
/// assert!(schema.is_valid(person.root(), steps)?);
///
/// let unnamed = json::read(br#"{"age": -1}"#, ReadLimits::DOCUMENT)?;
/// let found = schema.validate(unnamed.root(), steps)?;
/// let found: Vec<_> = found.iter().map(|found| (&*found.instance_path, &*found.schema_path)).collect();
/// assert_eq!(found, [("", "/required"), ("/age", "/properties/age/minimum")]);
/// # Ok::<(), adjudicate_lang::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Schema {
    pub(super) nodes: Vec<SchemaNode>,
    /// The position of each schema.
    pub(super) positions: Vec<SchemaPosition>,
    pub(super) rules: Vec<Rule>,
    /// The entries of lists of schemas.
    pub(super) ids: Vec<SchemaId>,
    pub(super) numbers: Vec<Limit>,
    pub(super) patterns: Vec<Regex>,
    pub(super) choices: Vec<Choice>,
    pub(super) integers: Vec<i32>,
    /// Property names that `dependentRequired` lists.
    pub(super) texts: Vec<Text>,
    pub(super) members: Vec<ObjectRules>,
    pub(super) properties: Vec<Property>,
    /// Hash tables of [`Names`](super::lists::Names): property indices plus one, or 0.
    pub(super) slots: Vec<u32>,
    /// The entries of `patternProperties`.
    pub(super) by_pattern: Vec<ByPattern>,
    pub(super) dependents: Vec<Dependent>,
    /// The discriminator of each schema that has one.
    pub(super) discriminators: Vec<Option<Discriminator>>,
    /// The URIs of all documents; the root document is the first.
    pub(super) uris: Vec<Box<str>>,
    pub(super) anchors: Vec<DynamicAnchor>,
    pub(super) text: String,
}

/// One schema.
#[derive(Clone, Copy, Debug)]
pub(super) struct SchemaNode {
    /// The allowed types, as bits.
    pub types: u8,
    /// The end of each family's rules, counted from `first`.
    pub ends: [u8; Family::COUNT],
    /// True if a rule reads evaluated annotations.
    pub collects: bool,
    /// True if no rule applies another schema to the same value, and a choice, if present, is the only rule.
    pub is_simple: bool,
    /// An index into [`Schema::choices`] if a choice is the only rule, otherwise [`NONE`](super::range::NONE).
    pub choice: u32,
    /// The index of the first rule.
    pub first: u32,
    /// The resource, which is a scope for `$dynamicRef`.
    pub resource: u32,
}

/// The types of values that a rule applies to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Family {
    Any,
    Number,
    String,
    Array,
    Object,
}

impl Family {
    pub(super) const COUNT: usize = 5;
}

/// The position of a schema, relative to the schema around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct SchemaPosition {
    /// The schema around it; [`NONE`](super::range::NONE) for a document.
    pub up: SchemaId,
    pub step: PositionStep,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum PositionStep {
    /// An index into [`Schema::uris`]; 0 is the root document.
    Document(u32),
    /// The value of a keyword.
    Value(Keyword),
    /// A field of a keyword's value.
    Name(Keyword, Text),
    /// An item of a keyword's value.
    Index(Keyword, u32),
    /// A pointer below a schema, to a place that only a reference names.
    Pointer(Text),
}

/// One keyword, or several that are checked together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    /// The keyword that violations name.
    pub keyword: Keyword,
    pub check: Check,
}

/// The assertion of a rule.
#[derive(Clone, Copy, Debug)]
pub(super) enum Check {
    Ref(SchemaId),
    /// The first anchor of a name, and the target unless the dynamic scope has another one.
    DynamicRef(u32, SchemaId),
    /// An index into [`Schema::choices`].
    Choice(u32),
    AllOf(ListRange),
    AnyOf(ListRange),
    OneOf(ListRange),
    Not(SchemaId),
    /// The schemas of `if`, `then` and `else`.
    If(SchemaId, SchemaId, SchemaId),
    /// An index into [`Schema::numbers`], as in the next four.
    Minimum(u32),
    Maximum(u32),
    ExclusiveMinimum(u32),
    ExclusiveMaximum(u32),
    MultipleOf(u32),
    MinLength(u32),
    MaxLength(u32),
    /// An index into [`Schema::patterns`].
    Pattern(u32),
    Format(Format),
    MinItems(u32),
    MaxItems(u32),
    UniqueItems,
    /// The schemas of the first items, one each, and the schema of all further items or [`NONE`](super::range::NONE).
    Items(ListRange, SchemaId),
    /// The schema, `minContains` and `maxContains`.
    Contains(SchemaId, u32, u32),
    UnevaluatedItems(SchemaId),
    MinProperties(u32),
    MaxProperties(u32),
    /// An index into [`Schema::members`].
    ObjectRules(u32),
    PropertyNames(SchemaId),
    Dependents(ListRange),
    UnevaluatedProperties(SchemaId),
}

/// The part of a value that a check looks at.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reach {
    /// A number or a string.
    Scalar,
    /// The value, by these schemas.
    SameValue(InPlaceSchemas),
    /// The value itself, its items or its fields.
    Contents,
}

/// Schemas that a check applies to the same value.
#[derive(Clone, Copy, Debug)]
pub(super) enum InPlaceSchemas {
    One(SchemaId),
    Three([SchemaId; 3]),
    /// Entries of [`Schema::ids`].
    List(ListRange),
    /// Entries of [`Schema::dependents`].
    Dependents(ListRange),
    /// A schema that is known only at run time.
    Dynamic,
}

impl Check {
    /// Returns the part of a value that the check looks at.
    pub(super) const fn reach(self) -> Reach {
        match self {
            Self::Minimum(_)
            | Self::Maximum(_)
            | Self::ExclusiveMinimum(_)
            | Self::ExclusiveMaximum(_)
            | Self::MultipleOf(_)
            | Self::MinLength(_)
            | Self::MaxLength(_)
            | Self::Pattern(_)
            | Self::Format(_) => Reach::Scalar,
            Self::Ref(schema) | Self::Not(schema) => Reach::SameValue(InPlaceSchemas::One(schema)),
            Self::DynamicRef(..) => Reach::SameValue(InPlaceSchemas::Dynamic),
            Self::AllOf(schemas) | Self::AnyOf(schemas) | Self::OneOf(schemas) => {
                Reach::SameValue(InPlaceSchemas::List(schemas))
            }
            Self::If(condition, then, otherwise) => {
                Reach::SameValue(InPlaceSchemas::Three([condition, then, otherwise]))
            }
            Self::Dependents(dependents) => Reach::SameValue(InPlaceSchemas::Dependents(dependents)),
            Self::Choice(_)
            | Self::MinItems(_)
            | Self::MaxItems(_)
            | Self::UniqueItems
            | Self::Items(..)
            | Self::Contains(..)
            | Self::UnevaluatedItems(_)
            | Self::MinProperties(_)
            | Self::MaxProperties(_)
            | Self::ObjectRules(_)
            | Self::PropertyNames(_)
            | Self::UnevaluatedProperties(_) => Reach::Contents,
        }
    }

    /// Returns whether the check is only for numbers or only for strings.
    pub(super) const fn is_for_scalars(self) -> bool {
        matches!(self.reach(), Reach::Scalar)
    }

    /// Returns whether the check applies other schemas to the same value.
    pub(super) const fn is_in_place(self) -> bool {
        matches!(self.reach(), Reach::SameValue(_))
    }
}

/// Prints only the number of schemas, because the lists would fill pages.
impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Schema").field("schemas", &self.nodes.len()).finish_non_exhaustive()
    }
}

impl SchemaNode {
    /// Returns whether there are no rules.
    #[inline]
    pub(super) const fn is_leaf(&self) -> bool {
        let [.., end] = self.ends;
        end == 0
    }
}

impl Schema {
    pub(super) fn text(&self, text: Text) -> &str {
        self.text.get(text.start as usize..text.end as usize).unwrap_or_default()
    }

    pub(super) fn bytes(&self, text: Text) -> &[u8] {
        self.text.as_bytes().get(text.start as usize..text.end as usize).unwrap_or_default()
    }

    /// Returns the rules of a schema.
    pub(super) fn rules_of(&self, id: SchemaId) -> &[Rule] {
        let Some(node) = self.nodes.get(id as usize) else { return &[] };
        let [.., count] = node.ends;
        self.rules.get(node.first as usize..node.first as usize + usize::from(count)).unwrap_or_default()
    }

    /// Stores a text.
    pub(super) fn keep(&mut self, text: &str) -> Text {
        let start = narrow(self.text.len());
        self.text.push_str(text);
        Text { start, end: narrow(self.text.len()) }
    }

    /// Returns whether any reference depends on the path to it.
    pub(super) fn is_dynamic(&self) -> bool {
        !self.anchors.is_empty()
    }
}
