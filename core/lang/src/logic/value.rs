//! Values of the data, of constants, and of evaluation.
//!
//! Lists and objects of the data stay in the tape. Only values that an operator builds are allocated, and then shared, so a clone
//! is cheap. `walk` iterates over their parts.

use alloc::{boxed::Box, sync::Arc, vec::Vec};

use super::{cost::PART, interner::StringInterner, number::Number, types::Types};
use crate::json::{Kind, Node};

/// A value of an expression.
///
/// ```
/// use adjudicate_lang::{json, logic::Value};
/// let tape = json::read(br#"{"ready": [true, 3]}"#, json::ReadLimits::DOCUMENT)?;
/// let ready = Value::from(tape.root().member("ready").unwrap());
/// let items: Vec<Value> = ready.items().unwrap().collect();
/// assert_eq!(items[0].as_bool(), Some(true));
/// assert_eq!(serde_json::to_string(&ready).unwrap(), "[true,3]");
/// # Ok::<(), adjudicate_lang::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum Value<'v> {
    /// A value that is not known; in strict mode only, and never within another value.
    Unknown,
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string of the data or of the expression.
    Text(&'v str),
    /// A string that an operator built.
    BuiltText(Arc<str>),
    /// A list or an object of the data.
    Data(Node<'v>),
    /// A list of the expression or of a scope.
    List(&'v [Self]),
    /// A list that an operator built.
    BuiltList(Arc<Built<Self>>),
    /// An object that is not in the data.
    Object(Arc<Built<(Box<str>, Self)>>),
}

/// The parts of a built container, and its depth.
#[derive(Clone, Debug)]
pub struct Built<T> {
    parts: Box<[T]>,
    depth: u32,
}

impl<T> Built<T> {
    /// Returns the items or fields, in order.
    #[inline]
    #[must_use]
    pub fn parts(&self) -> &[T] {
        &self.parts
    }
}

impl<'v> Value<'v> {
    /// Returns a list of these items.
    #[must_use]
    pub fn list(items: Vec<Self>) -> Self {
        let depth = 1 + items.iter().map(Self::depth).max().unwrap_or_default();
        Self::BuiltList(Arc::new(Built { parts: items.into(), depth }))
    }

    /// Returns an object of these fields, whose names must be distinct.
    #[must_use]
    pub fn object(members: Vec<(Box<str>, Self)>) -> Self {
        let depth = 1 + members.iter().map(|(_, value)| value.depth()).max().unwrap_or_default();
        Self::Object(Arc::new(Built { parts: members.into(), depth }))
    }

    /// Returns the number of nested built containers, including this one. Containers within the data do not count.
    pub(super) fn depth(&self) -> u32 {
        match self {
            Self::BuiltList(list) => list.depth,
            Self::Object(object) => object.depth,
            _ => 0,
        }
    }

    /// Returns whether the value is unknown.
    #[must_use]
    pub const fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }

    /// Returns the boolean.
    #[must_use]
    pub const fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the number.
    #[must_use]
    pub const fn as_number(&self) -> Option<&Number> {
        match self {
            Self::Number(number) => Some(number),
            _ => None,
        }
    }

    /// Returns the string.
    #[must_use]
    #[inline]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::BuiltText(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the number of items or fields, or 0 for other values.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::List(items) => items.len(),
            Self::BuiltList(list) => list.parts.len(),
            Self::Object(object) => object.parts.len(),
            Self::Data(node) => node.len(),
            _ => 0,
        }
    }

    /// Returns whether there are no items or fields.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the cost of one pass over all items or fields. Long texts cost more, because numbers are parsed each time.
    pub(super) fn weight(&self) -> usize {
        let inside = if let Self::Data(node) = self { (node.extent() + node.text_extent()) / 4 } else { 0 };
        self.len() * PART + inside
    }

    /// Returns whether the value is a list or an object.
    pub(super) const fn is_container(&self) -> bool {
        matches!(self, Self::Data(_) | Self::List(_) | Self::BuiltList(_) | Self::Object(_))
    }

    /// Returns the type. Unknown has none.
    #[inline]
    #[must_use]
    pub fn types(&self) -> Types {
        match self {
            Self::Unknown => Types::NONE,
            Self::Null => Types::NULL,
            Self::Bool(_) => Types::BOOL,
            Self::Number(_) => Types::NUMBER,
            Self::Text(_) | Self::BuiltText(_) => Types::TEXT,
            Self::List(_) | Self::BuiltList(_) => Types::LIST,
            Self::Data(node) if node.kind() == Kind::Array => Types::LIST,
            Self::Data(_) | Self::Object(_) => Types::OBJECT,
        }
    }

    /// Returns the same value without shared memory, except for the strings of `texts`.
    pub(super) fn detached(&self, texts: &StringInterner) -> Self {
        match self {
            Self::Number(number) => Self::Number(number.detached()),
            Self::BuiltText(text) => Self::BuiltText(texts.detached(text)),
            Self::BuiltList(list) => {
                let parts = list.parts.iter().map(|item| item.detached(texts)).collect();
                Self::BuiltList(Arc::new(Built { parts, depth: list.depth }))
            }
            Self::Object(object) => {
                let members = object.parts.iter().map(|(name, value)| (name.clone(), value.detached(texts)));
                Self::Object(Arc::new(Built { parts: members.collect(), depth: object.depth }))
            }
            plain => plain.clone(),
        }
    }

    /// Returns the owned strings in the value, with repetitions and without field names.
    pub(super) fn built_texts(&self) -> Vec<&Arc<str>> {
        let mut found = Vec::new();
        let mut pending = Vec::from([self]);
        while let Some(value) = pending.pop() {
            match value {
                Self::BuiltText(text) => found.push(text),
                Self::BuiltList(list) => pending.extend(list.parts()),
                Self::Object(object) => pending.extend(object.parts().iter().map(|(_, value)| value)),
                _ => {}
            }
        }
        found
    }

    /// Returns the same value with owned data.
    pub(super) fn into_owned(self) -> Value<'static> {
        match self {
            Self::Unknown => Value::Unknown,
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(value),
            Self::Number(number) => Value::Number(number),
            Self::Text(text) => Value::BuiltText(text.into()),
            Self::BuiltText(text) => Value::BuiltText(text),
            list_or_object => match list_or_object.items() {
                Some(items) => Value::list(items.map(Value::into_owned).collect()),
                None => list_or_object.owned_members(),
            },
        }
    }

    fn owned_members(&self) -> Value<'static> {
        let members = self.members().into_iter().flatten();
        Value::object(members.map(|(name, value)| (name.into(), value.into_owned())).collect())
    }
}

impl<'v> From<Node<'v>> for Value<'v> {
    #[inline]
    fn from(node: Node<'v>) -> Self {
        if let Some(integer) = node.short_integer() {
            return Self::Number(integer.into());
        }
        match node.kind() {
            Kind::Null => Self::Null,
            Kind::Bool(value) => Self::Bool(value),
            Kind::Integer | Kind::Float => Self::Number(Number::read(node.as_number().unwrap_or_default())),
            Kind::String => Self::Text(node.as_str().unwrap_or_default()),
            Kind::Array | Kind::Object => Self::Data(node),
        }
    }
}

impl From<bool> for Value<'_> {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<Number> for Value<'_> {
    fn from(value: Number) -> Self {
        Self::Number(value)
    }
}

impl<'v> From<&'v str> for Value<'v> {
    fn from(value: &'v str) -> Self {
        Self::Text(value)
    }
}

/// `None` becomes unknown.
impl<'v, T: Into<Self>> From<Option<T>> for Value<'v> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Unknown, Into::into)
    }
}
