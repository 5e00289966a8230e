//! The compiled form: all schemas of a document and of what it refers to, in a few flat lists.
//!
//! A schema is named by a number, and its keywords are a run of [`Rule`]s: first those that look at any value, then
//! those for numbers, strings, lists and objects, so that a value meets only what can say something about it.

use alloc::{boxed::Box, string::String, vec::Vec};
use core::fmt;

use super::{
    keywords::format::Format,
    lists::{ByPattern, Choice, Dependent, DynamicAnchor, Guard, Limit, Members, Property},
    word::Word,
};
use crate::pattern::Regex;

/// The number of a schema.
pub(super) type Id = u32;

/// No schema.
pub(super) const NONE: Id = Id::MAX;

/// A run of entries of one of the lists.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Run {
    pub first: u32,
    pub count: u32,
}

impl Run {
    /// What it stands for in `list`.
    pub(super) fn of<T>(self, list: &[T]) -> &[T] {
        list.get(self.first as usize..(self.first + self.count) as usize).unwrap_or_default()
    }
}

/// A text: bytes of [`Schema::text`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Text {
    pub start: u32,
    pub end: u32,
}

/// A compiled schema.
///
/// ```
/// use adjudicate_lang::{Steps, json::{self, Limits}, schema::{Documents, Options, Schema}};
/// let schema = json::read(br#"{"properties": {"age": {"minimum": 0}}, "required": ["name"]}"#, Limits::DOCUMENT)?;
/// let steps = &mut Steps::default();
/// let schema = Schema::compile(schema.root(), &Documents::default(), Options::default(), steps)?;
///
/// let person = json::read(br#"{"name": "Ada", "age": 36}"#, Limits::DOCUMENT)?;
/// assert!(schema.is_valid(person.root(), steps)?);
///
/// let nobody = json::read(br#"{"age": -1}"#, Limits::DOCUMENT)?;
/// let found = schema.validate(nobody.root(), steps)?;
/// let found: Vec<_> = found.iter().map(|found| (&*found.instance_path, &*found.schema_path)).collect();
/// assert_eq!(found, [("", "/required"), ("/age", "/properties/age/minimum")]);
/// # Ok::<(), adjudicate_lang::Error>(())
/// ```
#[derive(Default)]
pub struct Schema {
    pub(super) nodes: Vec<Node>,
    /// Where each schema stands.
    pub(super) places: Vec<Place>,
    pub(super) rules: Vec<Rule>,
    /// Members of lists of schemas.
    pub(super) ids: Vec<Id>,
    pub(super) numbers: Vec<Limit>,
    pub(super) patterns: Vec<Regex>,
    pub(super) choices: Vec<Choice>,
    pub(super) integers: Vec<i32>,
    /// Names that properties call for.
    pub(super) texts: Vec<Text>,
    pub(super) members: Vec<Members>,
    pub(super) properties: Vec<Property>,
    /// Where [`Names`](super::lists::Names) are looked up: numbers of properties, from one.
    pub(super) slots: Vec<u32>,
    /// What names that match a pattern must be.
    pub(super) by_pattern: Vec<ByPattern>,
    pub(super) dependents: Vec<Dependent>,
    /// For each schema what is looked at first where it need not hold.
    pub(super) guards: Vec<Option<Guard>>,
    /// The documents that were handed in and are referred to, after the schema itself.
    pub(super) uris: Vec<Box<str>>,
    pub(super) anchors: Vec<DynamicAnchor>,
    pub(super) text: String,
}

/// One schema.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The types that it allows, as bits.
    pub types: u8,
    /// Where the rules of each family end, counted from the first.
    pub ends: [u8; Family::COUNT],
    /// Whether a rule looks at what other rules have evaluated.
    pub collects: bool,
    /// Whether no rule applies another schema to the value itself, and no other rule is beside one for any value.
    pub is_simple: bool,
    /// One of [`Schema::choices`], where it is the only rule.
    pub choice: u32,
    /// The first of its rules.
    pub first: u32,
    /// What `$dynamicRef` sees as one scope.
    pub resource: u32,
}

/// Whom rules say something about.
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

/// Where a schema stands: what it is to the schema around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The schema around it; [`NONE`] for a document.
    pub up: Id,
    pub step: Step,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// A document of [`Schema::uris`], the schema itself the first.
    Document(u32),
    /// The value of a keyword.
    Value(Word),
    /// A member of a keyword's value.
    Name(Word, Text),
    /// An item of a keyword's value.
    Index(Word, u32),
    /// A pointer that only a reference knows about.
    Pointer(Text),
}

/// One keyword, or several that cannot be told apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    /// The keyword that is said to fail.
    pub word: Word,
    pub check: Check,
}

/// What a rule looks at.
#[derive(Clone, Copy, Debug)]
pub(super) enum Check {
    Ref(Id),
    /// The outermost anchor in scope that has the name of the anchor of that number, or the schema.
    DynamicRef(u32, Id),
    /// One of [`Schema::choices`].
    Choice(u32),
    AllOf(Run),
    AnyOf(Run),
    OneOf(Run),
    Not(Id),
    /// The condition, and what holds if it does and if it does not.
    If(Id, Id, Id),
    /// One of [`Schema::numbers`].
    Minimum(u32),
    Maximum(u32),
    ExclusiveMinimum(u32),
    ExclusiveMaximum(u32),
    MultipleOf(u32),
    MinLength(u32),
    MaxLength(u32),
    /// One of [`Schema::patterns`].
    Pattern(u32),
    Format(Format),
    MinItems(u32),
    MaxItems(u32),
    UniqueItems,
    /// The first items, each its own, and the schema of all others, if there is one.
    Items(Run, Id),
    /// The schema, how often at least, how often at most.
    Contains(Id, u32, u32),
    UnevaluatedItems(Id),
    MinProperties(u32),
    MaxProperties(u32),
    /// One of [`Schema::members`].
    Members(u32),
    PropertyNames(Id),
    Dependents(Run),
    UnevaluatedProperties(Id),
}

impl Check {
    /// Whether it is one for numbers or one for strings.
    pub(super) const fn is_for_scalars(self) -> bool {
        matches!(
            self,
            Self::Minimum(_)
                | Self::Maximum(_)
                | Self::ExclusiveMinimum(_)
                | Self::ExclusiveMaximum(_)
                | Self::MultipleOf(_)
                | Self::MinLength(_)
                | Self::MaxLength(_)
                | Self::Pattern(_)
                | Self::Format(_)
        )
    }

    /// Whether it applies other schemas to the value itself.
    pub(super) const fn is_in_place(self) -> bool {
        matches!(
            self,
            Self::Ref(_)
                | Self::DynamicRef(..)
                | Self::AllOf(_)
                | Self::AnyOf(_)
                | Self::OneOf(_)
                | Self::Not(_)
                | Self::If(..)
                | Self::Dependents(_)
        )
    }
}

/// What it is made of would fill pages.
impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Schema").field("schemas", &self.nodes.len()).finish_non_exhaustive()
    }
}

impl Node {
    /// Whether it has no rules.
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

    /// The keywords of a schema.
    pub(super) fn rules_of(&self, id: Id) -> &[Rule] {
        let Some(node) = self.nodes.get(id as usize) else { return &[] };
        let [.., count] = node.ends;
        self.rules.get(node.first as usize..node.first as usize + usize::from(count)).unwrap_or_default()
    }

    /// Keeps a text.
    pub(super) fn keep(&mut self, text: &str) -> Text {
        let start = narrow(self.text.len());
        self.text.push_str(text);
        Text { start, end: narrow(self.text.len()) }
    }

    /// Whether any reference depends on how one got there.
    pub(super) fn is_dynamic(&self) -> bool {
        !self.anchors.is_empty()
    }
}

/// An index as it is kept; documents are far below 4 GiB.
pub(super) fn narrow(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// A run of what was pushed to a list since it had `first` entries.
pub(super) fn run_since<T>(list: &[T], first: usize) -> Run {
    Run { first: narrow(first), count: narrow(list.len() - first) }
}
