//! JSON as a tree that keeps the order of fields, so that tests can rearrange and damage it.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser::SerializeMap};

/// A JSON value whose objects keep the order of their fields.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Integer(i64),
    Number(f64),
    Text(String),
    List(Vec<Self>),
    Object(Vec<(String, Self)>),
}

impl Json {
    /// Parses a text; `None` if it is not JSON.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        serde_json::from_slice(text).ok()
    }

    pub(crate) fn to_text(&self) -> String {
        serde_json::to_string(self).expect("a tree with text keys has a JSON form")
    }

    /// The field of that name of an object.
    pub(crate) fn member(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.iter().find(|(key, _)| key == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The same, mutable.
    pub(crate) fn member_mut(&mut self, name: &str) -> Option<&mut Self> {
        match self {
            Self::Object(members) => members.iter_mut().find(|(key, _)| key == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The object with that field at its end; a field of the same name is replaced.
    pub(crate) fn with(&self, name: &str, value: Self) -> Self {
        let mut members = self.members_but(name);
        members.push((name.to_owned(), value));
        Self::Object(members)
    }

    /// The object without the field of that name.
    pub(crate) fn without(&self, name: &str) -> Self {
        Self::Object(self.members_but(name))
    }

    fn members_but(&self, name: &str) -> Vec<(String, Self)> {
        match self {
            Self::Object(members) => members.iter().filter(|(key, _)| key != name).cloned().collect(),
            other => panic!("{other:?} is no object"),
        }
    }

    /// The value at a path of names.
    pub(crate) fn at(&self, names: &[&str]) -> Option<&Self> {
        names.iter().try_fold(self, |value, name| value.member(name))
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The items of a list; none for other values.
    pub(crate) fn items(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }

    /// The pointers of all values inside of this one that are neither containers nor null. No key needs an escape.
    pub(crate) fn scalars(&self) -> Vec<String> {
        let below = |segment: &str, value: &Self| {
            value.scalars().into_iter().map(|rest| format!("/{segment}{rest}")).collect::<Vec<_>>()
        };
        match self {
            Self::Object(members) => members.iter().flat_map(|(key, value)| below(key, value)).collect(),
            Self::List(items) => {
                items.iter().enumerate().flat_map(|(index, item)| below(&index.to_string(), item)).collect()
            }
            Self::Null => Vec::new(),
            _ => vec![String::new()],
        }
    }

    /// Replaces the value at one of those pointers by another value of its type.
    pub(crate) fn change(&mut self, pointer: &str) {
        match (self, pointer.strip_prefix('/')) {
            (container, Some(path)) => {
                let (segment, rest) = path.split_at(path.find('/').unwrap_or(path.len()));
                let inner = match container {
                    Self::List(items) => segment.parse().ok().and_then(|index: usize| items.get_mut(index)),
                    object => object.member_mut(segment),
                };
                inner.unwrap_or_else(|| panic!("nothing at {pointer}")).change(rest);
            }
            (Self::Bool(value), None) => *value = !*value,
            (Self::Integer(value), None) => *value = value.checked_add(1).unwrap_or(0),
            (Self::Number(value), None) => *value += 1.0,
            (Self::Text(text), None) => text.push('x'),
            (other, None) => panic!("{other:?} is no scalar"),
        }
    }

    /// Visits this value and all values inside of it, each with the name of its field. Fields whose names begin with
    /// `x-` are skipped, because the engine carries and never reads them.
    pub(crate) fn walk<'a>(&'a self, name: &'a str, visit: &mut impl FnMut(&'a str, &'a Self)) {
        match self {
            Self::List(items) => items.iter().for_each(|item| item.walk(name, visit)),
            Self::Object(members) => {
                let read = members.iter().filter(|(key, _)| !is_extension(key));
                read.for_each(|(key, member)| member.walk(key, visit));
            }
            _ => {}
        }
        visit(name, self);
    }

    /// The same, mutable. A value comes after all values inside of it, so inserted values are not visited.
    pub(crate) fn walk_mut(&mut self, name: &str, visit: &mut impl FnMut(&str, &mut Self)) {
        match self {
            Self::List(items) => items.iter_mut().for_each(|item| item.walk_mut(name, visit)),
            Self::Object(members) => {
                let read = members.iter_mut().filter(|(key, _)| !is_extension(key));
                read.for_each(|(key, member)| member.walk_mut(key, visit));
            }
            _ => {}
        }
        visit(name, self);
    }
}

fn is_extension(key: &str) -> bool {
    key.starts_with("x-")
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Integer(value) => serializer.serialize_i64(*value),
            Self::Number(value) => serializer.serialize_f64(*value),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => serializer.collect_seq(items),
            Self::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (key, member) in members {
                    map.serialize_entry(key, member)?;
                }
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Tree)
    }
}

/// Builds the tree from any input.
struct Tree;

impl<'de> de::Visitor<'de> for Tree {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Integer(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        // Accepted calls of the corpus have no integer beyond `i64`. Larger integers keep their magnitude.
        Ok(i64::try_from(value).map_or(Json::Number(value as f64), Json::Integer))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Number(value))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.to_owned()))
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Json::List(items))
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Json::Object(members))
    }
}
