//! Owned JSON values, which can be changed field by field.

use alloc::{format, string::String, vec::Vec};

use serde::{Serialize, Serializer};

use super::{
    Kind, Node, ReadLimits,
    object::{ObjectWriter, write_list},
    read, write_string,
};
use crate::decimal::float;

/// An owned JSON value. Fields keep their order. Numbers keep their text, and two values are equal if their texts are.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OwnedValue {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as written.
    Number(String),
    /// A string.
    Text(String),
    /// A list.
    List(Vec<Self>),
    /// An object.
    Object(Vec<(String, Self)>),
}

impl OwnedValue {
    /// Returns a string.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self::Text(text.into())
    }

    /// Returns a list of strings.
    #[must_use]
    pub fn texts<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::List(texts.into_iter().map(|text| Self::Text(text.into())).collect())
    }

    /// Returns an object with these fields.
    #[must_use]
    pub fn object<const N: usize>(members: [(&str, Self); N]) -> Self {
        Self::Object(members.map(|(name, value)| (name.into(), value)).into())
    }

    /// Returns an integer of 0 or more.
    #[must_use]
    pub fn count(count: u64) -> Self {
        Self::Number(format!("{count}"))
    }

    /// Parses a JSON text of the program itself. As text, an object takes a fraction of the size of the code that builds it.
    /// Invalid text gives null.
    #[must_use]
    #[inline(never)]
    pub fn from_json(text: &str) -> Self {
        read(text.as_bytes(), ReadLimits::DOCUMENT).map_or(Self::Null, |tape| Self::from(tape.root()))
    }

    /// Returns the value at a path of field names. Adds missing fields as null, and replaces values on the path that are not
    /// objects.
    ///
    /// ```
    /// use adjudicate_lang::json::{OwnedValue, write};
    /// let mut value = OwnedValue::from_json(r#"{"a":1}"#);
    /// value.set(&["b", "c"], OwnedValue::text("d"));
    /// value.add(&["e"], OwnedValue::count(2));
    /// assert_eq!(write(&value), r#"{"a":1,"b":{"c":"d"},"e":[2]}"#);
    /// ```
    #[inline(never)]
    pub fn at(&mut self, names: &[&str]) -> Option<&mut Self> {
        names.iter().try_fold(self, |here, name| here.member(name))
    }

    /// Sets the value at a path of field names, as [`at`](Self::at) finds it.
    #[inline(never)]
    pub fn set(&mut self, names: &[&str], value: Self) {
        if let Some(place) = self.at(names) {
            *place = value;
        }
    }

    /// Appends an item to the list at a path of field names. Replaces any other value there by a list of this item.
    #[inline(never)]
    pub fn add(&mut self, names: &[&str], item: Self) {
        match self.at(names) {
            Some(Self::List(items)) => items.push(item),
            Some(other) => *other = Self::List(Vec::from([item])),
            None => {}
        }
    }

    /// Returns the item at an index. Adds missing items as copies of `filler`, and replaces a value that is not a list.
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
    /// Returns the JSON text, with every number as it was written. Serde writes integers beyond 64 bits as floats.
    ///
    /// ```
    /// use adjudicate_lang::json::{OwnedValue, write};
    /// let value = OwnedValue::from_json(r#"{"least": [-18446744073709551615, 1.50, "a"]}"#);
    /// assert_eq!(value.to_text(), r#"{"least":[-18446744073709551615,1.50,"a"]}"#);
    /// assert_eq!(write(&value), r#"{"least":[-1.8446744073709552e+19,1.5,"a"]}"#);
    /// ```
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        self.write_text(&mut text);
        text
    }

    fn write_text(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Number(text) => out.push_str(text),
            Self::Text(text) => write_string(text, out),
            Self::List(items) => write_list(items, out, Self::write_text),
            Self::Object(members) => {
                let mut object = ObjectWriter::open(out);
                for (name, value) in members {
                    object.part(name, |out| value.write_text(out));
                }
                object.close();
            }
        }
    }

    /// Returns the string.
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

    /// Returns the field of this name.
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

/// Numbers with an integer value are written as integers.
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
                    // Larger numbers are written with an exponent.
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
    fn values_are_written_as_read() {
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
            assert_eq!(write(&OwnedValue::from_json(text)), expected.unwrap_or(text), "{text}");
        }
        assert_eq!(OwnedValue::from_json("{"), OwnedValue::Null);
    }

    #[test]
    fn missing_values_on_a_path_are_created() {
        let mut value = OwnedValue::from_json(r#"{"a":1}"#);
        value.set(&["a", "b"], OwnedValue::count(2));
        value.add(&["c"], OwnedValue::text("x"));
        value.add(&["c"], OwnedValue::texts(["y"]));
        *value.at(&["d"]).unwrap().item(1, &OwnedValue::Null).unwrap() = OwnedValue::Bool(true);
        assert_eq!(write(&value), r#"{"a":{"b":2},"c":["x",["y"]],"d":[null,true]}"#);
        assert_eq!(value.lookup("c").and_then(OwnedValue::as_str), None);
        assert!(value.lookup("e").is_none());
    }
}
