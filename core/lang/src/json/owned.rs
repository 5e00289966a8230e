//! JSON values that own what they are made of, and can be changed member by member.

use alloc::{format, string::String, vec::Vec};

use serde::{Serialize, Serializer};

use super::{Kind, Limits, Node, read};
use crate::decimal::float;

/// A JSON value that borrows from nothing. Members keep the order in which they came, whatever library writes them;
/// numbers keep the text that they are written as, and two values are equal if they are written alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnedValue {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as it is written.
    Number(String),
    /// A string.
    Text(String),
    /// A list.
    List(Vec<Self>),
    /// An object.
    Object(Vec<(String, Self)>),
}

impl OwnedValue {
    /// A string.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self::Text(text.into())
    }

    /// A list of strings.
    #[must_use]
    pub fn texts<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::List(texts.into_iter().map(|text| Self::Text(text.into())).collect())
    }

    /// An object of some members.
    #[must_use]
    pub fn object<const N: usize>(members: [(&str, Self); N]) -> Self {
        Self::Object(members.map(|(name, value)| (name.into(), value)).into())
    }

    /// An integer of 0 or more.
    #[must_use]
    pub fn count(count: u64) -> Self {
        Self::Number(format!("{count}"))
    }

    /// The value of a JSON text that is part of the program: in data, objects take a fraction of the room that the code
    /// to build them does. Null if it is none.
    #[must_use]
    #[inline(never)]
    pub fn of_json(text: &str) -> Self {
        read(text.as_bytes(), Limits::DOCUMENT).map_or(Self::Null, |tape| Self::from(tape.root()))
    }

    /// The value at the end of some names. A missing member is added, as null; a value on the way that is no object becomes one.
    ///
    /// ```
    /// use adjudicate_lang::json::{OwnedValue, write};
    /// let mut value = OwnedValue::of_json(r#"{"a":1}"#);
    /// value.set(&["b", "c"], OwnedValue::text("d"));
    /// value.add(&["e"], OwnedValue::count(2));
    /// assert_eq!(write(&value), r#"{"a":1,"b":{"c":"d"},"e":[2]}"#);
    /// ```
    #[inline(never)]
    pub fn at(&mut self, names: &[&str]) -> Option<&mut Self> {
        names.iter().try_fold(self, |here, name| here.member(name))
    }

    /// Puts a value at the end of some names, as [`at`](Self::at) finds it.
    #[inline(never)]
    pub fn set(&mut self, names: &[&str], value: Self) {
        if let Some(place) = self.at(names) {
            *place = value;
        }
    }

    /// Adds an item to the list at the end of some names; any other value there becomes the list of this item.
    #[inline(never)]
    pub fn add(&mut self, names: &[&str], item: Self) {
        match self.at(names) {
            Some(Self::List(items)) => items.push(item),
            Some(other) => *other = Self::List(Vec::from([item])),
            None => {}
        }
    }

    /// The item at an index. Missing items are added as copies of `filler`; a value that is no list becomes one.
    pub fn item(&mut self, index: usize, filler: &Self) -> Option<&mut Self> {
        if !matches!(self, Self::List(_)) {
            *self = Self::List(Vec::new());
        }
        let Self::List(items) = self else { return None };
        while items.len() <= index {
            items.push(filler.clone());
        }
        items.get_mut(index)
    }

    fn member(&mut self, name: &str) -> Option<&mut Self> {
        if !matches!(self, Self::Object(_)) {
            *self = Self::Object(Vec::new());
        }
        let Self::Object(members) = self else { return None };
        let place = members.iter().position(|(known, _)| known == name);
        let place = place.unwrap_or_else(|| {
            members.push((name.into(), Self::Null));
            members.len() - 1
        });
        members.get_mut(place).map(|(_, value)| value)
    }
}

impl OwnedValue {
    /// The string, if it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns whether it is null.
    #[must_use]
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The member of that name, if it is an object that has it.
    #[must_use]
    pub fn lookup(&self, name: &str) -> Option<&Self> {
        let Self::Object(members) = self else { return None };
        members.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}

impl From<Node<'_>> for OwnedValue {
    fn from(node: Node<'_>) -> Self {
        match node.kind() {
            Kind::Null => Self::Null,
            Kind::Bool(value) => Self::Bool(value),
            Kind::Integer | Kind::Float => Self::Number(node.as_number().unwrap_or_default().into()),
            Kind::String => Self::text(node.as_str().unwrap_or_default()),
            Kind::Array => Self::List(node.items().map(Self::from).collect()),
            Kind::Object => {
                Self::Object(node.members().map(|(name, value)| (name.into(), value.into())).collect())
            }
        }
    }
}

/// Numbers are written as whole ones where they are.
impl Serialize for OwnedValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(text) => match (text.parse::<i64>(), text.parse::<u64>()) {
                (Ok(integer), _) => serializer.serialize_i64(integer),
                (_, Ok(integer)) => serializer.serialize_u64(integer),
                _ => {
                    let value = float::parse(text);
                    // Larger ones are written with an exponent.
                    let is_short = value.abs() < 1e16;
                    let whole = value as i64;
                    match is_short && whole as f64 == value {
                        true => serializer.serialize_i64(whole),
                        false => serializer.serialize_f64(value),
                    }
                }
            },
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => serializer.collect_seq(items),
            Self::Object(members) => {
                serializer.collect_map(members.iter().map(|(name, value)| (name, value)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::write;

    #[test]
    fn written_as_read() {
        for (text, expected) in [
            (r#"{"b":1,"a":[null,true,"x\n",{}],"b2":-0.5}"#, None),
            ("18446744073709551615", None),
            ("-9223372036854775808", None),
            ("1.0", Some("1")),
            ("1e2", Some("100")),
            ("-0", Some("0")),
            ("0.10", Some("0.1")),
            ("1e300", Some("1e+300")),
        ] {
            assert_eq!(write(&OwnedValue::of_json(text)), expected.unwrap_or(text), "{text}");
        }
        assert_eq!(OwnedValue::of_json("{"), OwnedValue::Null);
    }

    #[test]
    fn what_names_lead_to_comes_to_be() {
        let mut value = OwnedValue::of_json(r#"{"a":1}"#);
        value.set(&["a", "b"], OwnedValue::count(2));
        value.add(&["c"], OwnedValue::text("x"));
        value.add(&["c"], OwnedValue::texts(["y"]));
        *value.at(&["d"]).unwrap().item(1, &OwnedValue::Null).unwrap() = OwnedValue::Bool(true);
        assert_eq!(write(&value), r#"{"a":{"b":2},"c":["x",["y"]],"d":[null,true]}"#);
        assert_eq!(value.lookup("c").and_then(OwnedValue::as_str), None);
        assert!(value.lookup("e").is_none());
    }
}
