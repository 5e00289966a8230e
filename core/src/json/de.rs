//! From tape to typed values: a serde deserializer that knows where it is.
//!
//! Three things differ from an ordinary data format, and they are why the wire types can stay plain derives:
//! an error carries the code and the JSON Pointer of the member at fault; a member whose key begins with `x-` is
//! skipped in objects with declared fields (and only there); `null` stands for an absent member only where the
//! type is [`Nullable`](super::Nullable).

use alloc::{
    format,
    string::{String, ToString},
};
use core::fmt;

use serde::{
    Deserialize,
    de::{self, DeserializeSeed, EnumAccess, IntoDeserializer, MapAccess, SeqAccess, VariantAccess, Visitor},
    forward_to_deserialize_any,
};

use super::{
    failure::{Failure, list, shorten},
    float,
    nullable::NULLABLE,
    tape::{Items, Kind, Members, Node, Tape},
};
use crate::{codes::ErrorCode, error::Error};

impl Tape<'_> {
    /// Fills a typed value from the document.
    ///
    /// # Errors
    ///
    /// The first error in document order; a missing member counts as standing at its object's end.
    ///
    /// ```
    /// use adjudicate_core::json;
    /// #[derive(Debug, serde::Deserialize)]
    /// #[serde(deny_unknown_fields)]
    /// struct Size { width: u32 }
    /// let tape = json::read(br#"{"width": 3, "x-note": null, "heigth": 4}"#, json::Limits::DOCUMENT)?;
    /// assert_eq!(tape.decode::<Size>().unwrap_err().path(), "/heigth");
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn decode<'t, T: Deserialize<'t>>(&'t self) -> Result<T, Error> {
        self.root().decode()
    }
}

impl<'t> Node<'t> {
    /// Fills a typed value from this value; pointers begin here.
    ///
    /// # Errors
    ///
    /// Those of [`Tape::decode`].
    pub fn decode<T: Deserialize<'t>>(self) -> Result<T, Error> {
        T::deserialize(self).map_err(Failure::into_error)
    }

    /// A short description for messages: what the value is, and what it says if it is short.
    pub(crate) fn describe(self) -> String {
        match self.kind() {
            Kind::Null => "null".to_string(),
            Kind::Bool(value) => format!("`{value}`"),
            Kind::Integer | Kind::Float => format!("`{}`", shorten(self.as_number().unwrap_or_default())),
            Kind::String => format!("the string `{}`", shorten(self.as_str().unwrap_or_default())),
            Kind::Array => "a list".to_string(),
            Kind::Object => "an object".to_string(),
        }
    }

    #[cold]
    #[inline(never)]
    fn refuse(self, expected: &dyn fmt::Display) -> Failure {
        Failure::new(ErrorCode::InvalidValue, format!("expected {expected}, found {}", self.describe()))
    }
}

/// What `visitor` says it expects.
struct Expects<'v, V>(&'v V);

impl<'t, V: Visitor<'t>> fmt::Display for Expects<'_, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }
}

impl<'de> de::Deserializer<'de> for Node<'de> {
    type Error = Failure;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self.kind() {
            Kind::Null => visitor.visit_unit(),
            Kind::Bool(value) => visitor.visit_bool(value),
            Kind::Integer | Kind::Float => visit_number(self, visitor),
            Kind::String => visitor.visit_borrowed_str(self.as_str().unwrap_or_default()),
            Kind::Array => visitor.visit_seq(List { items: self.items(), at: 0 }),
            Kind::Object => visitor.visit_map(Entries::all(self)),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self.kind() {
            Kind::Bool(value) => visitor.visit_bool(value),
            _ => Err(self.refuse(&"true or false")),
        }
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        visitor.visit_i64(self.integer_as("an integer")?)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        visitor.visit_u64(self.integer_as("an integer of 0 or more")?)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        visitor.visit_u32(self.integer_as("an integer from 0 to 4294967295")?)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self.as_str() {
            Some(text) => visitor.visit_borrowed_str(text),
            None => Err(self.refuse(&"a string")),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        // A member that is there has a value. Where null is one, the type says `Nullable`.
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Failure> {
        if name == NULLABLE && self.kind() == Kind::Null {
            return visitor.visit_none();
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self.kind() {
            Kind::Array => visitor.visit_seq(List { items: self.items(), at: 0 }),
            _ => Err(self.refuse(&"a list")),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        match self.kind() {
            Kind::Object => visitor.visit_map(Entries::all(self)),
            _ => Err(self.refuse(&"an object")),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        match self.kind() {
            Kind::Object => visitor.visit_map(Entries::declared(self)),
            _ => Err(self.refuse(&Expects(&visitor))),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        match self.as_str() {
            Some(text) => visitor.visit_enum(Word(text)),
            None => Err(self.refuse(&format_args!("one of {}", list(variants)))),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i128 u8 u16 u128 f32 f64 char bytes byte_buf unit unit_struct tuple tuple_struct
    }
}

impl Node<'_> {
    /// The integer, if the value is one that fits.
    fn integer<T: TryFrom<i128>>(self) -> Option<T> {
        T::try_from(self.whole()?).ok()
    }

    fn integer_as<T: TryFrom<i128>>(self, expected: &str) -> Result<T, Failure> {
        self.integer().ok_or_else(|| self.refuse(&expected))
    }

    /// The integer, if the value is one in the range of 64 bits. `-0` is none, for no integer is negative and zero.
    #[inline(never)]
    fn whole(self) -> Option<i128> {
        match self.kind() {
            Kind::Integer => {
                let text = self.as_number().filter(|text| *text != "-0")?;
                let signed = text.parse::<i64>().map(i128::from);
                signed.or_else(|_| text.parse::<u64>().map(i128::from)).ok()
            }
            _ => None,
        }
    }
}

/// Hands a number on as the narrowest of `u64`, `i64` and `f64` that holds it.
fn visit_number<'t, V: Visitor<'t>>(node: Node<'t>, visitor: V) -> Result<V::Value, Failure> {
    if let Some(value) = node.integer::<u64>() {
        return visitor.visit_u64(value);
    }
    if let Some(value) = node.integer::<i64>() {
        return visitor.visit_i64(value);
    }
    visitor.visit_f64(float::parse(node.as_number().unwrap_or_default()))
}

/// The items of a list, counted for the path.
struct List<'t> {
    items: Items<'t>,
    at: usize,
}

impl<'t> SeqAccess<'t> for List<'t> {
    type Error = Failure;

    fn next_element_seed<T: DeserializeSeed<'t>>(&mut self, seed: T) -> Result<Option<T::Value>, Failure> {
        let Some(item) = self.items.next() else { return Ok(None) };
        let index = self.at;
        self.at += 1;
        seed.deserialize(item).map(Some).map_err(|failure| failure.under_index(index))
    }

    fn size_hint(&self) -> Option<usize> {
        self.items.size_hint().1
    }
}

/// The members of an object, the latest one kept for the path.
struct Entries<'t> {
    members: Members<'t>,
    value: Option<(&'t str, Node<'t>)>,
    skips_extensions: bool,
}

impl<'t> Entries<'t> {
    /// All members: in a map every key is data.
    fn all(node: Node<'t>) -> Self {
        Self { members: node.members(), value: None, skips_extensions: false }
    }

    /// The members of an object with declared fields: extensions are not for the type.
    fn declared(node: Node<'t>) -> Self {
        Self { skips_extensions: true, ..Self::all(node) }
    }
}

impl<'t> MapAccess<'t> for Entries<'t> {
    type Error = Failure;

    fn next_key_seed<K: DeserializeSeed<'t>>(&mut self, seed: K) -> Result<Option<K::Value>, Failure> {
        let skips = self.skips_extensions;
        let Some((key, value)) = self.members.find(|(key, _)| !(skips && key.starts_with("x-"))) else {
            return Ok(None);
        };
        self.value = Some((key, value));
        let deserializer = de::value::BorrowedStrDeserializer::<Failure>::new(key);
        seed.deserialize(deserializer).map(Some).map_err(|failure| failure.under(key))
    }

    fn next_value_seed<V: DeserializeSeed<'t>>(&mut self, seed: V) -> Result<V::Value, Failure> {
        match self.value.take() {
            Some((key, value)) => seed.deserialize(value).map_err(|failure| failure.under(key)),
            None => Err(de::Error::custom("value asked for before its key")),
        }
    }
}

/// The name of a variant without content.
struct Word<'t>(&'t str);

impl<'t> EnumAccess<'t> for Word<'t> {
    type Error = Failure;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'t>>(self, seed: V) -> Result<(V::Value, Self), Failure> {
        let deserializer: de::value::StrDeserializer<'t, Failure> = self.0.into_deserializer();
        Ok((seed.deserialize(deserializer)?, self))
    }
}

impl<'t> VariantAccess<'t> for Word<'t> {
    type Error = Failure;

    fn unit_variant(self) -> Result<(), Failure> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'t>>(self, _seed: T) -> Result<T::Value, Failure> {
        Err(de::Error::custom("expected an object"))
    }

    fn tuple_variant<V: Visitor<'t>>(self, _len: usize, _visitor: V) -> Result<V::Value, Failure> {
        Err(de::Error::custom("expected a list"))
    }

    fn struct_variant<V: Visitor<'t>>(
        self,
        _fields: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, Failure> {
        Err(de::Error::custom("expected an object"))
    }
}
