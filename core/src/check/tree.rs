//! JSON that is being made: the envelopes of witnesses, member by member, in an order of its own.

use alloc::{string::String, vec::Vec};

use serde::{Serialize, Serializer};

use crate::{
    json::{Kind, Node},
    logic::{Number, Value},
};

/// A JSON value that can be changed. Members keep the order in which they came, whatever library writes them.
#[derive(Clone, Debug)]
pub enum Tree {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string.
    Text(String),
    /// A list.
    List(Vec<Self>),
    /// An object.
    Object(Vec<(String, Self)>),
}

impl Tree {
    /// An object of some members.
    pub(super) fn object<const N: usize>(members: [(&str, Self); N]) -> Self {
        Self::of(Vec::from(members))
    }

    // Once, whatever the number of members is.
    #[inline(never)]
    fn of(members: Vec<(&str, Self)>) -> Self {
        Self::Object(members.into_iter().map(|(name, value)| (String::from(name), value)).collect())
    }

    /// A list of texts.
    pub(super) fn texts<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::List(texts.into_iter().map(|text| Self::Text(text.into())).collect())
    }

    pub(super) fn count(count: u64) -> Self {
        Self::Number(Number::from(count))
    }

    /// The member of that name; it comes to be, as null, if there is none. What is no object becomes one.
    fn member(&mut self, name: &str) -> Option<&mut Self> {
        if !matches!(self, Self::Object(_)) {
            *self = Self::Object(Vec::new());
        }
        let Self::Object(members) = self else { return None };
        if !members.iter().any(|(known, _)| known == name) {
            members.push((name.into(), Self::Null));
        }
        members.iter_mut().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// What some names lead to; it comes to be.
    pub(super) fn at(&mut self, names: &[&str]) -> Option<&mut Self> {
        names.iter().try_fold(self, |here, name| here.member(name))
    }

    /// Puts a value where some names lead to.
    #[inline(never)]
    pub(super) fn set(&mut self, names: &[&str], value: Self) {
        if let Some(place) = self.at(names) {
            *place = value;
        }
    }

    /// Adds an item to the list that some names lead to.
    #[inline(never)]
    pub(super) fn add(&mut self, names: &[&str], item: Self) {
        match self.at(names) {
            Some(Self::List(items)) => items.push(item),
            Some(other) => *other = Self::List(Vec::from([item])),
            None => {}
        }
    }
}

impl Tree {
    /// The text, if it is one.
    pub(super) fn into_text(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn is_text(&self, text: &str) -> bool {
        matches!(self, Self::Text(own) if own == text)
    }

    pub(super) const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Whether a member has that text.
    pub(super) fn is_member(&self, name: &str, text: &str) -> bool {
        let Self::Object(members) = self else { return false };
        members.iter().any(|(known, value)| known == name && value.is_text(text))
    }

    /// Adds the members that are not there yet.
    pub(super) fn complete(&mut self, members: &[(&str, Self)]) {
        for (name, value) in members {
            if let Some(place) = self.at(&[*name]).filter(|place| place.is_null()) {
                *place = value.clone();
            }
        }
    }

    /// The item at an index; items before it come to be as `filler`.
    pub(super) fn item(&mut self, index: usize, filler: &Self) -> Option<&mut Self> {
        if !matches!(self, Self::List(_)) {
            *self = Self::List(Vec::new());
        }
        let Self::List(items) = self else { return None };
        while items.len() <= index {
            items.push(filler.clone());
        }
        items.get_mut(index)
    }
}

impl From<String> for Tree {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Tree {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<Node<'_>> for Tree {
    fn from(node: Node<'_>) -> Self {
        match node.kind() {
            Kind::Null => Self::Null,
            Kind::Bool(value) => Self::Bool(value),
            Kind::Integer | Kind::Float => Self::Number(Number::read(node.as_number().unwrap_or_default())),
            Kind::String => Self::Text(node.as_str().unwrap_or_default().into()),
            Kind::Array => Self::List(node.items().map(Self::from).collect()),
            Kind::Object => {
                Self::Object(node.members().map(|(name, value)| (name.into(), Self::from(value))).collect())
            }
        }
    }
}

/// What is unknown becomes null.
impl From<&Value<'_>> for Tree {
    fn from(value: &Value<'_>) -> Self {
        match value {
            Value::Unknown | Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => Self::Number(number.clone()),
            Value::Data(node) => Self::from(*node),
            other => {
                if let Some(text) = other.as_text() {
                    return Self::from(text);
                }
                match other.items() {
                    Some(items) => Self::List(items.map(|item| Self::from(&item)).collect()),
                    None => {
                        let members = other.members().into_iter().flatten();
                        Self::Object(members.map(|(name, value)| (name.into(), Self::from(&value))).collect())
                    }
                }
            }
        }
    }
}

impl Serialize for Tree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(number) => number.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => serializer.collect_seq(items),
            Self::Object(members) => {
                serializer.collect_map(members.iter().map(|(name, value)| (name, value)))
            }
        }
    }
}
