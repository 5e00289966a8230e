//! From tape to typed values: a serde deserializer that knows where it is.
//!
//! Four things differ from an ordinary data format, and they are why the wire types can stay plain derives:
//! an error carries the code and the JSON Pointer of the member at fault; a member whose key begins with `x-` is
//! skipped in objects with declared fields (and only there); `null` stands for an absent member only where the
//! type is [`Nullable`](super::Nullable); and an object whose type is called [`OPEN`] may hold other members, which
//! are skipped unless their names are close to a declared one.

use alloc::{
    format,
    string::{String, ToString},
};
use core::fmt;

use serde::{
    Deserialize,
    de::{self, DeserializeSeed, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor},
    forward_to_deserialize_any,
};

use super::{
    failure::{Failure, list, shorten},
    nullable::NULLABLE,
    suggest::is_close,
    tape::{Items, Kind, Members, Node, Tape},
};
use crate::{codes, decimal::float, error::Error};

/// The name, as serde knows it, of a type whose objects may hold members that are not declared.
const OPEN: &str = "open";

impl Tape<'_> {
    /// Fills a typed value from the document.
    ///
    /// # Errors
    ///
    /// The first error in document order; a missing member counts as standing at its object's end.
    ///
    /// ```
    /// use adjudicate_lang::json;
    /// #[derive(Debug, serde::Deserialize)]
    /// #[serde(deny_unknown_fields)]
    /// struct Size { width: u32 }
    /// let tape = json::read(br#"{"width": 3, "x-note": null, "heigth": 4}"#, json::Limits::DOCUMENT)?;
    /// assert_eq!(tape.decode::<Size>().unwrap_err().path(), "/heigth");
    /// # Ok::<(), adjudicate_lang::Error>(())
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

    /// A short description for messages, such as `` the string `a` ``, `` `12` `` or `a list`.
    #[must_use]
    pub fn describe(self) -> String {
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
        Failure::new(codes::INVALID_VALUE, format!("expected {expected}, found {}", self.describe()))
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
            Kind::Object => visitor.visit_map(Entries::of(self)),
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
        visitor.visit_borrowed_str(self.text()?)
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
            Kind::Object => visitor.visit_map(Entries::of(self)),
            _ => Err(self.refuse(&"an object")),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        match self.kind() {
            Kind::Object => visitor.visit_map(Declared::of(self, fields, name == OPEN)),
            _ => Err(self.refuse(&Expects(&visitor))),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        visitor.visit_enum(Word(self.word(variants)?))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i128 u8 u16 u128 f32 f64 char bytes byte_buf unit unit_struct tuple tuple_struct
    }
}

impl<'t> Node<'t> {
    /// The integer, if the value is one that fits.
    fn integer<T: TryFrom<i128>>(self) -> Option<T> {
        T::try_from(self.whole()?).ok()
    }

    /// The string.
    #[inline(never)]
    fn text(self) -> Result<&'t str, Failure> {
        self.as_str().ok_or_else(|| self.refuse(&"a string"))
    }

    /// Which of `words` the string is.
    #[inline(never)]
    fn word(self, words: &'static [&'static str]) -> Result<u64, Failure> {
        let Some(text) = self.as_str() else {
            return Err(self.refuse(&format_args!("one of {}", list(words))));
        };
        place(words, text).ok_or_else(|| de::Error::unknown_variant(text, words))
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

/// The place of a name among `names`.
fn place(names: &[&str], name: &str) -> Option<u64> {
    names.iter().position(|other| is_same(other, name)).map(|place| place as u64)
}

/// Whether two names are the same. In wasm, the comparison of the standard library is a call that looks at one byte
/// after the other; here it is eight at a time, of which the last may have been looked at before.
#[inline]
fn is_same(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    if left.len() != right.len() {
        return false;
    }
    match (left.last_chunk::<8>(), right.last_chunk::<8>()) {
        (Some(left_end), Some(right_end)) => {
            let (left, right) = (left.as_chunks::<8>().0, right.as_chunks::<8>().0);
            u64::from_ne_bytes(*left_end) == u64::from_ne_bytes(*right_end)
                && left.iter().zip(right).all(|(l, r)| u64::from_ne_bytes(*l) == u64::from_ne_bytes(*r))
        }
        _ => left.iter().zip(right).all(|(left, right)| left == right),
    }
}

/// The members of an object in which every key is data, the latest one kept for the path.
struct Entries<'t> {
    members: Members<'t>,
    value: Option<(&'t str, Node<'t>)>,
}

impl<'t> Entries<'t> {
    fn of(node: Node<'t>) -> Self {
        Self { members: node.members(), value: None }
    }
}

impl<'t> MapAccess<'t> for Entries<'t> {
    type Error = Failure;

    fn next_key_seed<K: DeserializeSeed<'t>>(&mut self, seed: K) -> Result<Option<K::Value>, Failure> {
        let Some((key, value)) = self.members.next() else { return Ok(None) };
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

/// The members of an object with declared fields; extensions are not for the type.
///
/// A field is handed on as its place among the declared ones, not as its name: so names are compared here, by code
/// that all types share, and not in what is derived for each of them. A member that is not declared is an error; in an
/// open object only where its name is close to a declared one.
struct Declared<'t> {
    members: Members<'t>,
    fields: &'static [&'static str],
    is_open: bool,
    /// Documents mostly have their members in the declared order, so the next one is likely to be there.
    next: usize,
    value: Option<(&'t str, Node<'t>)>,
}

impl<'t> Declared<'t> {
    fn of(node: Node<'t>, fields: &'static [&'static str], is_open: bool) -> Self {
        Self { members: node.members(), fields, is_open, next: 0, value: None }
    }

    #[inline(never)]
    fn next_field(&mut self) -> Result<Option<u64>, Failure> {
        while let Some((key, value)) = self.members.find(|(key, _)| !is_extension(key)) {
            let place = match self.fields.get(self.next) {
                Some(field) if is_same(field, key) => self.next as u64,
                _ => match place(self.fields, key) {
                    Some(place) => place,
                    None if self.is_open && !is_close(key, self.fields) => continue,
                    None => return Err(<Failure as de::Error>::unknown_field(key, self.fields).under(key)),
                },
            };
            self.next = place as usize + 1;
            self.value = Some((key, value));
            return Ok(Some(place));
        }
        Ok(None)
    }
}

/// Whether a member is one that only its owner knows.
fn is_extension(key: &str) -> bool {
    matches!(key.as_bytes(), [b'x', b'-', ..])
}

impl<'t> MapAccess<'t> for Declared<'t> {
    type Error = Failure;

    fn next_key_seed<K: DeserializeSeed<'t>>(&mut self, seed: K) -> Result<Option<K::Value>, Failure> {
        match self.next_field()? {
            Some(place) => seed.deserialize(de::value::U64Deserializer::new(place)).map(Some),
            None => Ok(None),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'t>>(&mut self, seed: V) -> Result<V::Value, Failure> {
        match self.value.take() {
            Some((key, value)) => seed.deserialize(value).map_err(|failure| failure.under(key)),
            None => Err(de::Error::custom("value asked for before its key")),
        }
    }
}

/// A variant without content: its place among the variants.
struct Word(u64);

impl<'t> EnumAccess<'t> for Word {
    type Error = Failure;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'t>>(self, seed: V) -> Result<(V::Value, Self), Failure> {
        Ok((seed.deserialize(de::value::U64Deserializer::<Failure>::new(self.0))?, self))
    }
}

impl<'t> VariantAccess<'t> for Word {
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
